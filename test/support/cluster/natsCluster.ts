/** Real nats-servers with replicated streams on disk, started with the configuration for operators. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ErrorCode, NatsError, StorageType, type JetStreamManager } from 'nats';
import type { Test } from 'tap';
import { packagePath } from '../../../src/paths.js';
import { freePort } from '../service/ports.js';
import { temporaryFolder } from '../store/folder.js';
import { untilResolved } from '../until.js';
import { withJetStream } from './jetStream.js';
import { NatsProcess, natsUrl, PASSWORD } from './natsProcess.js';
import { Relays, type MachinePorts } from './relays.js';

const CONFIG = packagePath('deploy', 'nats-cluster.conf');
/** Servers tell each other the addresses of others. Such a connection would pass no relay, so none is possible there. */
const UNREACHABLE = '127.0.0.1:1';
/** For the first election, and how often it is tried. */
const ELECTION_MS = 25_000;
const ELECTION_ROUNDS = 3;
/** After the first election, for its voters to be made members. */
const JOIN_MS = 2_000;
/** As in the configuration. */
const SYSTEM_ACCOUNT = 'SYS';
const ACCOUNT = 'BOARDS';
const POLL_MS = 100;
const LAST_LINES = 15;
const NO_ANSWER = new Set<string>([
  ErrorCode.ConnectionRefused,
  ErrorCode.ConnectionTimeout,
  ErrorCode.ConnectionClosed,
  ErrorCode.Disconnect,
  ErrorCode.Timeout,
  ErrorCode.NoResponders,
  ErrorCode.JetStreamNotEnabled,
]);

export interface NatsServerInfo {
  readonly name: string;
  readonly version: string;
  /** Whether it flushes each record to disk before it acknowledges it. */
  readonly syncAlways: boolean;
  /** The server that leads the assignment of streams, as this server knows it. */
  readonly metaLeader: string | null;
}

/** The parts of a server's report that are read here. */
interface Varz {
  readonly server_name: string;
  readonly version: string;
  readonly jetstream: { readonly config: { readonly sync_always?: boolean }; readonly meta?: { readonly leader?: string } };
}

interface Jsz {
  readonly meta_cluster?: MetaCluster;
  readonly account_details?: ReadonlyArray<{ readonly stream_detail?: readonly StreamDetail[] }>;
}

/** The leader of a stream knows its replicas; others may name them, too, from an earlier time. */
interface StreamDetail {
  readonly name: string;
  readonly cluster?: { readonly leader?: string; readonly replicas?: ReadonlyArray<{ readonly name: string; readonly current: boolean }> };
}

interface MetaCluster {
  readonly leader?: string;
  /** Only the leader knows the other members. */
  readonly replicas?: ReadonlyArray<{ readonly name: string }>;
}

interface Routez {
  readonly server_name: string;
  readonly routes?: ReadonlyArray<{ readonly remote_name: string; readonly account?: string }>;
}

interface Member {
  readonly process: NatsProcess;
  readonly store: string;
}

export class NatsCluster {
  /** The links between the machines of the servers. */
  readonly links: Relays;
  /** One for each server, with the user of the service. These ways do not pass the links, so they are never cut. */
  readonly urls: readonly string[];
  /** One for each server, with the user that may only read the servers' state. */
  readonly systemUrls: readonly string[];
  readonly #members: readonly Member[];

  private constructor(members: readonly Member[], links: Relays) {
    this.#members = members;
    this.links = links;
    this.urls = members.map(({ process }) => process.url);
    this.systemUrls = this.urls.map((url) => url.replace('//switchboard:', '//monitor:'));
  }

  /**
   * Resolves when a stream with a copy on every server can be created. One server works without a cluster. `stores`: the
   * folders of servers that need another one than a temporary folder.
   */
  static async start(t: Pick<Test, 'teardown'>, program: string, servers = 3, stores: Readonly<Record<number, string>> = {}): Promise<NatsCluster> {
    const config = servers === 1 ? await configWithoutCluster(t) : CONFIG;
    const ports: MachinePorts[] = [];
    for (let server = 0; server < servers; server += 1) ports.push({ clients: await freePort(), routes: await freePort() });
    const relays = await Relays.open(t, ports);
    const members = await Promise.all(
      ports.map(async ({ clients, routes }, server) => {
        const store = stores[server] ?? (await temporaryFolder(t));
        const env = {
          ...clusterEnvironment(ports.map((_, to) => relays.ports(server, to).routes)),
          SWITCHBOARD_NATS_NAME: nameOf(server),
          SWITCHBOARD_NATS_CLUSTER_LISTEN: `127.0.0.1:${routes}`,
          SWITCHBOARD_NATS_STORE: store,
        };
        const more = servers === 1 ? [] : ['--cluster_advertise', UNREACHABLE];
        return { store, process: await NatsProcess.prepare(t, program, { config, env, more }, clients) };
      }),
    );
    const cluster = new NatsCluster(members, relays);
    await cluster.#form();
    return cluster;
  }

  /** Starts a server again with the same folder. Resolves when it accepts connections, not when it has caught up. */
  async start(server: number): Promise<void> {
    await this.#member(server).process.start();
  }

  /**
   * Starts all servers at once with the same folders. Resolves when each has all streams. About one time in fifteen, servers
   * of 2.10.27 that start in the same moment elect no leader, or leave one out until it is restarted. deploy/machines.md
   * tells operators the same.
   */
  async startAll(): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process.start()));
    for (let round = 0; round < ELECTION_ROUNDS; round += 1) {
      let out = await this.#out();
      for (const end = performance.now() + ELECTION_MS; out.length > 0 && performance.now() < end; await setTimeout(POLL_MS)) out = await this.#out();
      if (out.length === 0) return;
      await Promise.all(out.map((server) => this.stop(server)));
      await Promise.all(out.map((server) => this.start(server)));
    }
    throw new Error('the nats-servers do not come together');
  }

  async kill(server: number): Promise<void> {
    await this.#member(server).process.kill();
  }

  /** In an orderly way: it first hands over what it leads. */
  async stop(server: number): Promise<void> {
    await this.#member(server).process.stop();
  }

  freeze(server: number): void {
    this.#member(server).process.freeze();
  }

  resume(server: number): void {
    this.#member(server).process.resume();
  }

  /** Deletes the folder of a server that was killed. */
  async wipe(server: number): Promise<void> {
    await rm(join(this.#member(server).store, 'jetstream'), { recursive: true });
  }

  /** What is on the disk of a server about a stream: the server uses it after a kill. */
  async storedConfig(server: number, stream: string): Promise<{ readonly first_seq?: number }> {
    const folder = join(this.#member(server).store, 'jetstream', ACCOUNT, 'streams', stream);
    return JSON.parse(await readFile(join(folder, 'meta.inf'), 'utf8')) as { readonly first_seq?: number };
  }

  /** The server that leads a stream, when one is known. `asked`: the server whose answer counts. */
  leaderOf(stream: string, asked?: number): Promise<number> {
    return untilResolved(async () => {
      for (const url of asked === undefined ? this.urls : [this.url(asked)]) {
        const info = await withJetStream(url, ({ manager }) => manager.streams.info(stream)).catch(isNoAnswer);
        const leader = this.#members.findIndex((_, server) => nameOf(server) === info?.cluster?.leader);
        if (leader !== -1) return leader;
      }
      throw new Error(`no server says who leads ${stream}`);
    });
  }

  /** The state of each server. */
  info(): Promise<NatsServerInfo[]> {
    return untilResolved(() => Promise.all(this.#members.map(({ process }) => serverInfo(process))));
  }

  /** The same when all servers name one leader. */
  infoWithLeader(): Promise<NatsServerInfo[]> {
    return untilResolved(async () => {
      const infos = await this.info();
      const leaders = new Set(infos.map(({ metaLeader }) => metaLeader));
      if (leaders.size !== 1 || leaders.has(null)) throw new Error(`the leaders are ${[...leaders].join(', ')}`);
      return infos;
    });
  }

  /** All servers as an instance on a machine reaches them: that of its machine first, the others by the links. */
  urlsFrom(machine: number): string[] {
    const servers = this.#members.map((_, server) => server);
    const ownFirst = [machine, ...servers.filter((server) => server !== machine)];
    return ownFirst.map((server) => natsUrl(this.links.ports(machine, server).clients));
  }

  /**
   * Until every server has a route to every other one for the account of the system, by which they elect. Of two servers that
   * dial each other at once one gives up, and may have to dial again.
   */
  async untilLinked(): Promise<void> {
    await untilResolved(async () => {
      for (const { process } of this.#members) {
        const { server_name: name, routes = [] } = (await process.report('routez')) as Routez;
        const linked = new Set(routes.filter(({ account }) => account === SYSTEM_ACCOUNT).map(({ remote_name }) => remote_name));
        if (linked.size < this.#members.length - 1) throw new Error(`${name} has routes only to ${[...linked].join(', ') || 'none'}`);
      }
    });
  }

  /** The ends of the servers' logs, for a failure. */
  lastLines(): string {
    return this.#members.map(({ process }, server) => `${nameOf(server)}:\n${process.lastLines(LAST_LINES).join('\n')}`).join('\n');
  }

  /** The way to a server that is never cut. */
  url(server: number): string {
    return this.#member(server).process.url;
  }

  async #form(): Promise<void> {
    await Promise.all(this.#members.map(({ process }) => process.start()));
    if (this.#members.length > 1) {
      await this.#electLeader();
      await this.#restartForgotten();
    }
    await this.untilLinked();
    await untilResolved(() => withJetStream(this.url(0), ({ manager }) => createAndDelete(manager, this.#members.length)));
  }

  /**
   * About one time in three hundred, servers of 2.10.27 that are all linked never elect their first leader. Restarted, they
   * do. deploy/machines.md tells operators the same.
   */
  async #electLeader(): Promise<void> {
    for (let round = 0; round < ELECTION_ROUNDS; round += 1) {
      for (const end = performance.now() + ELECTION_MS; performance.now() < end; await setTimeout(POLL_MS)) {
        if ((await this.#leadersReport()) !== null) return;
      }
      await Promise.all(this.#members.map(({ process }) => process.stop()));
      await Promise.all(this.#members.map(({ process }) => process.start()));
    }
    throw new Error('the nats-servers elect no leader');
  }

  /**
   * When three servers of 2.10.27 elect their first leader, about one time in twenty the server whose vote comes last is not
   * made a member, and stays out until it is restarted. deploy/machines.md tells operators the same.
   */
  async #restartForgotten(): Promise<void> {
    let forgotten = await untilResolved(() => this.#forgotten());
    for (let waited = 0; forgotten.length > 0 && waited < JOIN_MS; waited += POLL_MS) {
      await setTimeout(POLL_MS);
      forgotten = await untilResolved(() => this.#forgotten());
    }
    for (const server of forgotten) {
      await this.stop(server);
      await this.start(server);
    }
  }

  /** Servers that the leader does not count as members. Rejects while there is no leader. */
  async #forgotten(): Promise<number[]> {
    const report = await this.#leadersReport();
    if (report === null) throw new Error('the nats-servers have no leader');
    const members = [report.leader, ...(report.replicas ?? []).map(({ name }) => name)];
    return this.#members.map((_, server) => server).filter((server) => !members.includes(nameOf(server)));
  }

  /** The servers that lack a stream, as the leaders of the streams say; all of them while a stream has no leader. */
  async #out(): Promise<number[]> {
    const all = this.#members.map((_, server) => server);
    const reports = await Promise.all(
      this.#members.map(({ process }) => process.report('jsz?accounts=true&streams=true').catch(() => ({})) as Promise<Jsz>),
    );
    const streams = reports.map(({ account_details: accounts = [] }) => accounts.flatMap(({ stream_detail: details = [] }) => details));
    const names = new Set(streams.flat().map(({ name }) => name));
    const led = streams.flatMap((of, server) => of.filter(({ cluster }) => cluster?.leader === nameOf(server)));
    if (names.size === 0 || names.size !== new Set(led.map(({ name }) => name)).size) return all;
    const current = led.map(({ cluster }) => [
      cluster?.leader,
      ...(cluster?.replicas ?? []).filter((replica) => replica.current).map(({ name }) => name),
    ]);
    return all.filter((server) => !current.every((members) => members.includes(nameOf(server))));
  }

  /** What the leader says of the members; null while no server leads. */
  async #leadersReport(): Promise<MetaCluster | null> {
    // A server that does not answer yet does not lead.
    const reports = await Promise.all(this.#members.map(({ process }) => process.report('jsz').catch(() => ({})) as Promise<Jsz>));
    return reports.map(({ meta_cluster }) => meta_cluster).find((meta) => meta?.replicas !== undefined) ?? null;
  }

  #member(server: number): Member {
    const member = this.#members[server];
    if (member === undefined) throw new Error(`there is no server ${server}`);
    return member;
  }
}

async function createAndDelete(manager: JetStreamManager, copies: number): Promise<void> {
  await manager.streams.add({
    name: 'readiness',
    subjects: ['readiness'],
    num_replicas: copies,
    storage: StorageType.File,
  });
  await manager.streams.delete('readiness');
}

/** For the failures of a server that is away or has no quorum; others are thrown on. */
function isNoAnswer(error: unknown): null {
  if (error instanceof NatsError && NO_ANSWER.has(error.code)) return null;
  throw error;
}

async function serverInfo(process: NatsProcess): Promise<NatsServerInfo> {
  const { server_name: name, version, jetstream } = (await process.report('varz')) as Varz;
  return {
    name,
    version,
    syncAlways: jetstream.config.sync_always ?? false,
    metaLeader: jetstream.meta?.leader ?? null,
  };
}

/** For one server: the same configuration without its cluster, which nats-server refuses to form alone. */
async function configWithoutCluster(t: Pick<Test, 'teardown'>): Promise<string> {
  const text = await readFile(CONFIG, 'utf8');
  const alone = text.replace(/^cluster \{[^]*?^\}$/m, '');
  if (alone === text) throw new Error('the configuration has no cluster');
  const path = join(await temporaryFolder(t), 'nats.conf');
  await writeFile(path, alone);
  return path;
}

/** Routes lead to all servers, as operators list them: a server ignores the one to itself. */
function clusterEnvironment(routePorts: readonly number[]): Record<string, string> {
  const routes = routePorts.map((port) => `nats://routes:${PASSWORD}@127.0.0.1:${port}`);
  return {
    SWITCHBOARD_NATS_LISTEN: '127.0.0.1:4222',
    SWITCHBOARD_NATS_ROUTES: `[${routes.join(', ')}]`,
    SWITCHBOARD_NATS_MAX_STORE: '300GB',
    SWITCHBOARD_NATS_PASSWORD: PASSWORD,
    SWITCHBOARD_NATS_ROUTE_PASSWORD: PASSWORD,
    SWITCHBOARD_NATS_SYSTEM_PASSWORD: PASSWORD,
  };
}

function nameOf(server: number): string {
  return `machine-${server}`;
}
