/** A real nats-server with a configuration for operators, on its own port. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import { packagePath } from '../../../src/paths.js';
import { accepts, freePort } from '../service/ports.js';
import { until } from '../until.js';

const USER = 'switchboard';
export const PASSWORD = 'a-test-password';
/** Each look is a connection to the server. */
const LOOK_EVERY_MS = 20;
/** A server that takes longer to end is stuck. */
const PATIENCE_MS = 60_000;

/** With the user of the service. */
export function natsUrl(port: number): string {
  return `nats://${USER}:${PASSWORD}@127.0.0.1:${port}`;
}

/** What a server is started with, apart from its ports. */
interface Launch {
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
  /** Further arguments. */
  readonly more: readonly string[];
}

interface Ports {
  readonly clients: number;
  readonly monitoring: number;
}

const SINGLE: Launch = { config: packagePath('nats.conf'), env: { SWITCHBOARD_NATS_PASSWORD: PASSWORD }, more: [] };

export class NatsProcess {
  readonly url: string;
  readonly #program: string;
  readonly #ports: Ports;
  readonly #launch: Launch;
  #child: ChildProcess | null = null;
  /** What it has logged. */
  #lines: string[] = [];

  private constructor(program: string, ports: Ports, launch: Launch) {
    this.#program = program;
    this.#ports = ports;
    this.#launch = launch;
    this.url = natsUrl(ports.clients);
  }

  /** A port without a server at first. */
  static async prepare(t: Pick<Test, 'teardown'>, program: string, launch: Partial<Launch> = {}, port?: number): Promise<NatsProcess> {
    const ports = { clients: port ?? (await freePort()), monitoring: await freePort() };
    const nats = new NatsProcess(program, ports, { ...SINGLE, ...launch });
    t.teardown(() => nats.kill());
    return nats;
  }

  /** Two servers that form a cluster and name each other to their clients. */
  static async startPair(t: Pick<Test, 'teardown'>, program: string): Promise<[NatsProcess, NatsProcess]> {
    const routes = [await freePort(), await freePort()];
    const prepare = (own: number | undefined, other: number | undefined): Promise<NatsProcess> =>
      NatsProcess.prepare(t, program, {
        more: ['--name', `server-${own}`, '--cluster_name', 'pair', '--cluster', `nats://127.0.0.1:${own}`, '--routes', `nats://127.0.0.1:${other}`],
      });
    const pair = [await prepare(routes[0], routes[1]), await prepare(routes[1], routes[0])] as const;
    await Promise.all(pair.map((server) => server.start()));
    return [...pair];
  }

  static async start(t: Pick<Test, 'teardown'>, program: string): Promise<NatsProcess> {
    const nats = await NatsProcess.prepare(t, program);
    await nats.start();
    return nats;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const { clients, monitoring } = this.#ports;
    const { config, more } = this.#launch;
    const args = ['-c', config, '-p', String(clients), '-m', String(monitoring), ...more];
    const env = { ...process.env, ...this.#launch.env };
    const child = spawn(this.#program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    this.#lines = [];
    createInterface({ input: child.stderr }).on('line', (line) => this.#lines.push(line));
    await until(
      () => {
        if (child.exitCode !== null) throw new Error(`nats-server did not start:\n${this.#lines.join('\n')}`);
        return accepts(clients);
      },
      () => this.#lines,
      LOOK_EVERY_MS,
    );
  }

  /** It loses everything that is not on disk. */
  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** In an orderly way: it first hands over what it leads. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  /** The end of its log, for a failure. */
  lastLines(count: number): string[] {
    return this.#lines.slice(-count);
  }

  /** The subjects to which clients are subscribed. */
  async subjects(): Promise<string[]> {
    const report = await this.report('subsz?subs=1');
    const { subscriptions_list: list } = report as { subscriptions_list?: Array<{ subject: string }> };
    return (list ?? []).map(({ subject }) => subject);
  }

  /** An answer of its monitoring port. */
  async report(path: string): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${this.#ports.monitoring}/${path}`);
    return response.json();
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit', { signal: AbortSignal.timeout(PATIENCE_MS) });
    child.kill(signal);
    await ended.catch((error: unknown) => {
      throw new Error(`nats-server did not end after ${signal}:\n${this.lastLines(20).join('\n')}`, { cause: error });
    });
  }
}
