/** Starts a contestant in its own process, with an empty folder for its data, and stops it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { COLLECTED, type Ready } from '../contestants/ready.js';
import { readUsage, resetPeak, type Usage } from './usage.js';

/** In the order of the report. */
export const CONTESTANTS = ['limit', 'switchboard', 'fastify', 'socketio'] as const;
export type ContestantName = (typeof CONTESTANTS)[number];

/** One secret for all, so that a token costs the same everywhere. */
export const JWT = { secret: 'a secret that only the benchmark knows, 32 characters or more', audience: 'bench' } as const;

/** Loaded with `--import`, it is in every thread. */
const GARBAGE = new URL('../contestants/garbage.js', import.meta.url).href;

/** Longer than any contestant needs, even on a loaded machine. */
const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 15_000;

interface RunningProcess {
  readonly child: ChildProcess;
  readonly output: Interface;
  readonly folder: string;
  /** Resolves with the exit code or signal. */
  readonly exited: Promise<string>;
}

export class Contestant {
  readonly name: ContestantName;
  readonly url: string;
  /** The folder of its data, unless the settings name another one. */
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #output: Interface;
  readonly #exited: Promise<string>;

  private constructor(name: ContestantName, url: string, process: RunningProcess) {
    this.name = name;
    this.url = url;
    this.#child = process.child;
    this.#output = process.output;
    this.folder = process.folder;
    this.#exited = process.exited;
  }

  /** `settings` are additional environment variables of the contestant. */
  static async start(name: ContestantName, settings: Readonly<Record<string, string>> = {}): Promise<Contestant> {
    const folder = await mkdtemp(join(tmpdir(), `bench-${name}-`));
    const program = fileURLToPath(new URL(`../contestants/${name}/main.js`, import.meta.url));
    const child = spawn(process.execPath, ['--import', GARBAGE, program], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        DATA_DIR: folder,
        JWT_SECRET: JWT.secret,
        JWT_AUDIENCE: JWT.audience,
        ...settings,
      },
    });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    const exited = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}\n${complaints}`.trim()));
    });
    const running = { child, output: createInterface(child.stdout), folder, exited };
    try {
      const { url } = await readReady(name, running);
      child.stderr.on('data', (text: string) => process.stderr.write(text));
      return new Contestant(name, url, running);
    } catch (error) {
      child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Null if the system does not report it. */
  usage(): Usage | null {
    return readUsage(this.#pid());
  }

  resetPeak(): void {
    resetPeak(this.#pid());
  }

  /** So that the measured memory contains no garbage. */
  async collectGarbage(): Promise<void> {
    const done = new Promise<void>((resolve) => {
      const listen = (line: string): void => {
        if (line !== COLLECTED) return;
        this.#output.off('line', listen);
        resolve();
      };
      this.#output.on('line', listen);
    });
    process.kill(this.#pid(), 'SIGUSR2');
    await Promise.race([done, this.#exited]);
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    this.#child.kill('SIGTERM');
    await this.#exited;
    clearTimeout(timer);
    await rm(this.folder, { recursive: true, force: true });
  }

  #pid(): number {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) throw new Error(`${this.name} is not running`);
    return pid;
  }
}

async function readReady(name: string, { output, exited }: RunningProcess): Promise<Ready> {
  const line = new Promise<string>((resolve) => output.once('line', resolve));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it was not ready within ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS);
  });
  try {
    const failed = Promise.race([exited, late]).then((reason) => {
      throw new Error(`${name} did not start: ${reason}`);
    });
    return JSON.parse(await Promise.race([line, failed])) as Ready;
  } finally {
    clearTimeout(timer);
  }
}
