/** A real nats-server with the configuration for operators, on its own port. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Test } from 'tap';
import { packagePath } from '../../../src/paths.js';
import { accepts, freePort } from '../service/ports.js';

const USER = 'switchboard';
const PASSWORD = 'a-test-password';
const RETRY_MS = 20;

export class NatsProcess {
  readonly url: string;
  readonly #program: string;
  readonly #ports: readonly [number, number];
  #child: ChildProcess | null = null;

  readonly #arguments: readonly string[];

  private constructor(program: string, ports: readonly [number, number], more: readonly string[]) {
    this.#program = program;
    this.#arguments = more;
    this.#ports = ports;
    this.url = `nats://${USER}:${PASSWORD}@127.0.0.1:${ports[0]}`;
  }

  /** A port without a server at first. `more`: further arguments. */
  static async prepare(t: Test, program: string, more: readonly string[] = []): Promise<NatsProcess> {
    const nats = new NatsProcess(program, [await freePort(), await freePort()], more);
    t.teardown(() => nats.kill());
    return nats;
  }

  /** Two servers that form a cluster and name each other to their clients. */
  static async startPair(t: Test, program: string): Promise<[NatsProcess, NatsProcess]> {
    const routes = [await freePort(), await freePort()];
    const prepare = (own: number | undefined, other: number | undefined): Promise<NatsProcess> =>
      NatsProcess.prepare(t, program, [
        '--name', `server-${own}`, '--cluster_name', 'pair',
        '--cluster', `nats://127.0.0.1:${own}`, '--routes', `nats://127.0.0.1:${other}`,
      ]);
    const pair = [await prepare(routes[0], routes[1]), await prepare(routes[1], routes[0])] as const;
    await Promise.all(pair.map((server) => server.start()));
    return [...pair];
  }

  static async start(t: Test, program: string): Promise<NatsProcess> {
    const nats = await NatsProcess.prepare(t, program);
    await nats.start();
    return nats;
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const [port, monitoring] = this.#ports;
    const args = ['-c', packagePath('nats.conf'), '-p', String(port), '-m', String(monitoring), ...this.#arguments];
    const env = { ...process.env, SWITCHBOARD_NATS_PASSWORD: PASSWORD };
    const child = spawn(this.#program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    const lines: string[] = [];
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
    while (!(await accepts(port))) {
      if (child.exitCode !== null) throw new Error(`nats-server did not start:\n${lines.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** It loses all its state. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** The subjects to which clients are subscribed. */
  async subjects(): Promise<string[]> {
    const response = await fetch(`http://127.0.0.1:${this.#ports[1]}/subsz?subs=1`);
    const { subscriptions_list: list } = (await response.json()) as { subscriptions_list?: Array<{ subject: string }> };
    return (list ?? []).map(({ subject }) => subject);
  }

  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }
}
