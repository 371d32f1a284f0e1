/** Several machines: each has a nats-server and an instance of the service with its own data folder. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Test } from 'tap';
import { readOverview } from '../../../src/control/client.js';
import type { Overview } from '../../../src/control/overview.js';
import { packagePath } from '../../../src/paths.js';
import { Api } from '../http/api.js';
import { ServiceProcess, type Settings } from '../service/serviceProcess.js';
import { temporaryFolder } from '../store/folder.js';
import { NatsCluster } from './natsCluster.js';

const run = promisify(execFile);
const PROGRAM = packagePath('dist', 'src', 'main.js');
const SECRET = 'a secret that only the tests of several machines share';
const RETRY_MS = 25;
export const MACHINE_SHARDS = 4;

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
  static async prepare(t: Test, program: string, settings: Settings = {}, count = 3): Promise<Machines> {
    const machines = await Machines.over(t, await NatsCluster.start(t, program, count), settings, count);
    await machines.command(0, 'cluster', 'init');
    return machines;
  }

  /** On nats-servers that run already; the cluster is not made yet. */
  static async over(t: Test, nats: NatsCluster, settings: Settings = {}, count = 3): Promise<Machines> {
    const folders = await Promise.all(Array.from({ length: count }, () => temporaryFolder(t)));
    const all = folders.map((dataDir, number): Machine => ({ number, dataDir, service: null, api: null }));
    const machines = new Machines(nats, all, { LOG_REPLICAS: String(count), ...settings });
    t.teardown(() => Promise.all(all.map(({ service }) => (service?.isRunning === true ? service.kill() : undefined))));
    return machines;
  }

  /** All instances run, and have shared the partitions. */
  static async start(t: Test, program: string, settings: Settings = {}, count = 3): Promise<Machines> {
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
  async startInstance(number: number, settings: Settings = {}, program?: string): Promise<Machine & { readonly service: ServiceProcess; readonly api: Api }> {
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
  settled(): Promise<Overview> {
    const running = this.all.filter(({ service }) => service?.isRunning === true);
    return until(async () => {
      const overviews = await Promise.all(running.map(({ number }) => this.overview(number)));
      return overviews.every((overview) => isSettled(overview, running.length)) && overviews[0];
    });
  }

  /** Runs the command line on a machine; resolves with its standard output. */
  async command(number: number, ...words: string[]): Promise<string> {
    const env = { PATH: process.env['PATH'] ?? '', JWT_SECRET: 'of the tests alone', ...this.settingsOf(number) };
    const { stdout } = await run(process.execPath, [PROGRAM, ...words], { cwd: this.machine(number).dataDir, env });
    return stdout;
  }
}

function isSettled({ instances, partitions, replicated = [] }: Overview, running: number): boolean {
  const loads = instances.map((instance) => instance.partitions.length);
  const isEven = loads.length === running && Math.max(...loads) - Math.min(...loads) <= 1;
  const isOwnedOnce = loads.reduce((sum, load) => sum + load, 0) === partitions.length && replicated.every(({ owner }) => owner !== null);
  const areEqual = replicated.every(({ copies, log }) => {
    const states = copies.filter(({ lag }) => lag === 0).map(({ state }) => state);
    const isSound = states.length === running && states.every((state) => state === 'following' || state === 'owning');
    return isSound && log.hasQuorum && log.servers.every(({ isCurrent }) => isCurrent);
  });
  return isEven && isOwnedOnce && areEqual;
}

/** Polls until there is an answer. The time-out of the test ends it otherwise. */
export async function until<T>(look: () => Promise<T | undefined | null | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
