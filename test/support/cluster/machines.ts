/** Several machines: each has a nats-server and an instance of the service with its own data folder. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { readOverview } from '../../../src/operator/client.js';
import type { Overview } from '../../../src/operator/commands.js';
import { packagePath } from '../../../src/paths.js';
import { Api } from '../http/api.js';
import { ServiceProcess, type Settings } from '../service/serviceProcess.js';
import { temporaryFolder } from '../store/folder.js';
import { NatsCluster } from './natsCluster.js';
import { until } from '../until.js';

const run = promisify(execFile);
const PROGRAM = packagePath('dist', 'program', 'main.js');
const SECRET = 'a secret that only the tests of several machines share';
export const MACHINE_SHARDS = 4;
/** A look at all instances costs them 10 ms of the processor, and they have to start or to catch up. */
const LOOK_EVERY_MS = 100;

/** Of the machines: a test, or a benchmark. */
type Owner = Pick<Test, 'teardown'>;

export interface Machine {
  readonly number: number;
  readonly dataDir: string;
  service: ServiceProcess | null;
  api: Api | null;
}

export class Machines {
  readonly nats: NatsCluster;
  readonly all: readonly Machine[];
  readonly #settings: Settings;

  private constructor(nats: NatsCluster, all: readonly Machine[], settings: Settings) {
    this.nats = nats;
    this.all = all;
    this.#settings = settings;
  }

  /** The nats-servers run and the cluster is made; no instance runs yet. */
  static async prepare(t: Owner, program: string, settings: Settings = {}, count = 3): Promise<Machines> {
    const machines = await Machines.over(t, await NatsCluster.start(t, program, count), settings, count);
    await machines.command(0, 'cluster', 'init');
    return machines;
  }

  /** On nats-servers that run already; the cluster is not made yet. */
  static async over(t: Owner, nats: NatsCluster, settings: Settings = {}, count = 3): Promise<Machines> {
    const folders = await Promise.all(Array.from({ length: count }, () => temporaryFolder(t)));
    const all = folders.map((dataDir, number): Machine => ({ number, dataDir, service: null, api: null }));
    const machines = new Machines(nats, all, { LOG_REPLICAS: String(count), ...settings });
    t.teardown(() => Promise.all(all.map(({ service }) => (service?.isRunning === true ? service.kill() : undefined))));
    return machines;
  }

  /** All instances run, and have shared the partitions. */
  static async start(t: Owner, program: string, settings: Settings = {}, count = 3): Promise<Machines> {
    const machines = await Machines.prepare(t, program, settings, count);
    await Promise.all(machines.all.map((_, number) => machines.startInstance(number)));
    await machines.settled();
    return machines;
  }

  settingsOf(number: number): Settings {
    return {
      DATA_DIR: this.machine(number).dataDir,
      NATS_URL: this.nats.urlsFrom(number).join(','),
      REPLICATION: 'jetstream',
      CLUSTER_SECRET: SECRET,
      SHARDS: String(MACHINE_SHARDS),
      SHARD_THREADS: '1',
      ...this.#settings,
    };
  }

  machine(number: number): Machine {
    const machine = this.all[number];
    if (machine === undefined) throw new Error(`there is no machine ${number}`);
    return machine;
  }

  /** `program`: a build of another version. */
  async startInstance(
    number: number,
    settings: Settings = {},
    program?: string,
  ): Promise<Machine & { readonly service: ServiceProcess; readonly api: Api }> {
    const machine = this.machine(number);
    const service = await ServiceProcess.start({ ...this.settingsOf(number), ...settings }, program);
    return Object.assign(machine, { service, api: await Api.connect(service.url) });
  }

  /** The requests of clients of this machine. */
  api(number: number): Api {
    const { api } = this.machine(number);
    if (api === null) throw new Error(`machine ${number} runs no instance`);
    return api;
  }

  service(number: number): ServiceProcess {
    const { service } = this.machine(number);
    if (service === null) throw new Error(`machine ${number} runs no instance`);
    return service;
  }

  /** As the instance on a machine sees all of them. */
  async overview(number: number): Promise<Overview> {
    const overview = await readOverview(this.machine(number).dataDir);
    if (overview === null) throw new Error(`the instance on machine ${number} does not answer`);
    return overview;
  }

  /** Resolves when all running instances see one owner for each partition, an even load, and equal copies. */
  async settled(): Promise<Overview> {
    await until(
      async () => (await this.unsettled()).length === 0,
      () => this.unsettled(),
      LOOK_EVERY_MS,
    );
    return this.overview(this.#running()[0]?.number ?? 0);
  }

  /** Every server has all logs again, and every machine all copies. While clients write, copies are always some records behind. */
  async whole(): Promise<void> {
    const healths = (): Promise<unknown[]> =>
      Promise.all(this.#running().map(async ({ number }) => (await this.api(number).request('GET', '/health')).body));
    await until(async () => (await healths()).every((health) => (health as { reserve: string }).reserve === 'ok'), healths, LOOK_EVERY_MS);
  }

  /** What the running instances miss to be settled. */
  async unsettled(): Promise<string[]> {
    const running = this.#running();
    const overviews = await Promise.all(running.map(({ number }) => this.overview(number)));
    return overviews.flatMap((overview, index) => missingIn(overview, running.length).map((text) => `machine ${running[index]?.number}: ${text}`));
  }

  /** Runs the command line on a machine; resolves with its standard output. */
  async command(number: number, ...words: string[]): Promise<string> {
    const env = { PATH: process.env['PATH'] ?? '', JWT_SECRET: 'of the tests alone', ...this.settingsOf(number) };
    const { stdout } = await run(process.execPath, [PROGRAM, ...words], { cwd: this.machine(number).dataDir, env });
    return stdout;
  }

  #running(): Machine[] {
    return this.all.filter(({ service }) => service?.isRunning === true);
  }
}

function missingIn({ instances, partitions, replicated = [] }: Overview, running: number): string[] {
  const loads = instances.map((instance) => instance.partitions.length);
  const isEven = loads.length === running && Math.max(...loads) - Math.min(...loads) <= 1;
  const owned = loads.reduce((sum, load) => sum + load, 0);
  return [
    ...(isEven ? [] : [`${running} instances run, and own ${loads.join(', ')}`]),
    ...(owned === partitions.length ? [] : [`${owned} of ${partitions.length} partitions are owned`]),
    ...replicated.flatMap(({ partition, owner, copies, log }) => {
      const sound = copies.filter(({ lag, state }) => lag === 0 && (state === 'following' || state === 'owning'));
      const isSound = sound.length === running && log.hasQuorum && log.servers.every(({ isCurrent }) => isCurrent);
      return owner !== null && isSound ? [] : [JSON.stringify({ partition, owner, copies, log })];
    }),
  ];
}
