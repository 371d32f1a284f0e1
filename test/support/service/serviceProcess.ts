/** The service in its own process, started as an operator does, so that it can be killed and frozen. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { packagePath } from '../../../src/paths.js';

export type Settings = Readonly<Record<string, string>>;

export interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly url?: string;
}

/** The level of a line in the log. */
export const WARNING = 40;

const PROGRAM = packagePath('dist', 'program', 'main.js');
/** The program before it is bundled: for tests that look at its modules, or at the packages that it loads. */
export const MODULES = packagePath('dist', 'src', 'main.js');

export class ServiceProcess {
  readonly log: LogLine[] = [];
  /** Resolves when the process is gone. */
  readonly ended: Promise<unknown>;
  readonly #child: ChildProcess;
  #errors = '';
  #url = '';

  private constructor(settings: Settings, program: string) {
    // The program gets nothing of the environment of the tests.
    const env = { PATH: process.env['PATH'] ?? '', PORT: '0', JWT_SECRET: 'of the tests alone', ...settings };
    const cwd = settings['DATA_DIR'];
    this.#child = spawn(process.execPath, [program], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.ended = once(this.#child, 'close');
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
  }

  /** Resolves when it serves. If it does not, rejects with its standard error. */
  static async start(settings: Settings, program = PROGRAM): Promise<ServiceProcess> {
    const service = new ServiceProcess(settings, program);
    await service.#serving();
    return service;
  }

  get url(): string {
    return this.#url;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#errors;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Lines of the log that matter to an operator: warnings and worse. */
  get warnings(): string[] {
    return this.log.filter(({ level }) => level >= WARNING).map(({ msg }) => msg);
  }

  /** An orderly stop; returns the exit code. */
  async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    await this.ended;
    return this.#child.exitCode;
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  #serving(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { stdout } = this.#child;
      if (stdout === null) throw new Error('standard output is not read');
      createInterface({ input: stdout }).on('line', (text) => {
        const line = JSON.parse(text) as LogLine;
        this.log.push(line);
        if (line.msg !== 'serving') return;
        this.#url = line.url ?? '';
        resolve();
      });
      void this.ended.then(() => reject(new Error(this.#errors || 'it ended without a message')));
    });
  }
}
