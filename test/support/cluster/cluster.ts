/** Several instances of the service on one data folder and one NATS, each in its own process. */
import type { Test } from 'tap';
import { Api } from '../http/api.js';
import { temporaryFolder } from '../store/folder.js';
import { until, untilResolved } from '../until.js';
import { findNatsServer } from './natsServer.js';
import { NatsProcess } from './natsProcess.js';
import { changeUser } from '../service/operator.js';
import { ServiceProcess, type Settings } from '../service/serviceProcess.js';
import { newUser, type TestUser } from '../http/users.js';

/** Few enough that a test of three instances moves each of them, many enough to be spread unevenly. */
export const SHARDS = 8;

/** As `GET /admin/cluster` shows it. */
export interface InstanceView {
  readonly id: string;
  readonly pid: number;
  readonly url: string;
  readonly leaving: boolean;
  readonly sockets: number;
  readonly owns: readonly string[];
}

export interface Instance extends ServiceProcess {
  readonly api: Api;
}

export class TestCluster {
  readonly dataDir: string;
  readonly nats: NatsProcess;
  readonly instances: Instance[] = [];
  readonly #settings: Settings;
  #operator: Promise<TestUser> | null = null;

  private constructor(dataDir: string, nats: NatsProcess, settings: Settings) {
    this.dataDir = dataDir;
    this.nats = nats;
    this.#settings = settings;
  }

  /** With NATS running, and no instance yet. */
  static async prepare(t: Test, settings: Settings = {}): Promise<TestCluster> {
    const program = await findNatsServer();
    if ('missing' in program) throw new Error(program.missing);
    const dataDir = await temporaryFolder(t);
    const cluster = new TestCluster(dataDir, await NatsProcess.start(t, program.path), settings);
    t.teardown(async () => {
      await Promise.all(cluster.instances.filter(({ isRunning }) => isRunning).map((instance) => instance.kill()));
    });
    return cluster;
  }

  /** The instances are up, and have shared the shards evenly. */
  static async start(t: Test, count: number, settings: Settings = {}): Promise<TestCluster> {
    const cluster = await TestCluster.prepare(t, settings);
    await Promise.all(Array.from({ length: count }, () => cluster.add()));
    await cluster.evenlySpread();
    return cluster;
  }

  get settings(): Settings {
    return {
      DATA_DIR: this.dataDir,
      NATS_URL: this.nats.url,
      SHARDS: String(SHARDS),
      SHARD_THREADS: '1',
      // With `normal` a kill begins a new epoch, and every client reads its board again.
      DURABILITY: 'full',
      ...this.#settings,
    };
  }

  get running(): Instance[] {
    return this.instances.filter(({ isRunning }) => isRunning);
  }

  /** `program` is a build of another version. */
  async add(settings: Settings = {}, program?: string): Promise<Instance> {
    const service = await ServiceProcess.start({ ...this.settings, ...settings }, program);
    const instance = Object.assign(service, { api: await Api.connect(service.url) });
    this.instances.push(instance);
    return instance;
  }

  /**
   * On a machine that stands still for a second and a half, an instance counts as dead although it runs. Then no client can be
   * told what became of its changes.
   */
  get tookOneForDead(): boolean {
    return this.instances.some(({ warnings }) => warnings.some((text) => text.includes('stopped sending heartbeats')));
  }

  /** The overview from an instance; empty while it cannot authenticate the caller. */
  async overview(from: Instance = first(this.running)): Promise<InstanceView[]> {
    const { token } = await this.operator(from);
    const { status, body } = await from.api.request<{ instances: InstanceView[] }>('GET', '/admin/cluster', { token });
    return status === 200 ? body.instances : [];
  }

  /** Resolves when every running instance sees one owner for every partition, and an even spread. */
  async evenlySpread(): Promise<InstanceView[]> {
    const look = (): Promise<InstanceView[][]> => Promise.all(this.running.map((instance) => this.overview(instance)));
    return until(async () => {
      const views = await look();
      return views.every((view) => isEven(view, this.running.length)) && (views[0] ?? []);
    }, look);
  }

  /** The running instance that owns the shard of this id. */
  async ownerOf(id: string): Promise<Instance> {
    const partition = partitionOf(id);
    const owner = await until(async () => (await this.overview()).find(({ owns }) => owns.includes(partition)));
    return first(this.running.filter(({ pid }) => pid === owner.pid));
  }

  others(...instances: readonly Instance[]): Instance[] {
    return this.running.filter((each) => !instances.includes(each));
  }

  /** A superuser. */
  operator(from: Instance = first(this.running)): Promise<TestUser> {
    this.#operator ??= this.#newOperator(from);
    return this.#operator;
  }

  async #newOperator(from: Instance): Promise<TestUser> {
    // Tried again while the directory moves.
    const user = await untilResolved(() => newUser(from.api));
    await untilResolved(() => changeUser(this.dataDir, user.id, { is_superuser: true }));
    return user;
  }
}

export function partitionOf(id: string): string {
  return `shard ${Number.parseInt(id.slice(0, 8), 16) % SHARDS}`;
}

export function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('there is none');
  return one;
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function isEven(view: readonly InstanceView[], instances: number): boolean {
  const loads = view.map(({ owns }) => owns.length);
  const owned = new Set(view.flatMap(({ owns }) => owns));
  const isComplete = owned.size === SHARDS + 1 && loads.reduce((sum, load) => sum + load, 0) === owned.size;
  return view.length === instances && isComplete && Math.max(...loads) - Math.min(...loads) <= 1;
}
