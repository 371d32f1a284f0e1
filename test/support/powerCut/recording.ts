/** Starts the service with recorder.c, once or several times, on one data folder, and reads what was recorded. */
import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { ServiceProcess, type Settings } from '../service/serviceProcess.js';
import { temporaryFolder } from '../store/folder.js';
import { readTrace, type TraceRecord } from './trace.js';

export interface RecordedService extends ServiceProcess {
  /**
   * Kills it before its next change: an ordinary kill could fall between a change and its record. An `idle` one is asked
   * to stop, so that there is a next change.
   */
  killBetweenChanges(activity?: 'busy' | 'idle'): Promise<void>;
}

export class Recording {
  readonly dataDir: string;
  readonly #t: Test;
  readonly #library: string;
  readonly #folder: string;
  readonly #settings: Settings;
  #started = 0;

  private constructor(t: Test, library: string, folder: string, settings: Settings) {
    this.#t = t;
    this.#library = library;
    this.#folder = folder;
    this.#settings = settings;
    this.dataDir = join(folder, 'data');
  }

  /** `library` is the compiled recorder. */
  static async prepare(t: Test, library: string, settings: Settings): Promise<Recording> {
    const folder = await realpath(await temporaryFolder(t));
    const recording = new Recording(t, library, folder, settings);
    await mkdir(recording.dataDir);
    return recording;
  }

  async start(): Promise<RecordedService> {
    this.#started += 1;
    const killFile = join(this.#folder, `kill-${this.#started}`);
    const service = await ServiceProcess.start({
      ...this.#settings,
      DATA_DIR: this.dataDir,
      LD_PRELOAD: this.#library,
      POWER_CUT_FOLDER: this.dataDir,
      POWER_CUT_TRACE: this.#traceFile,
      POWER_CUT_KILL: killFile,
      // Changes made through the kernel's own queue could not be recorded.
      UV_USE_IO_URING: '0',
    });
    this.#t.teardown(() => service.kill());
    const killBetweenChanges: RecordedService['killBetweenChanges'] = async (activity = 'busy') => {
      await writeFile(killFile, '');
      await (activity === 'idle' ? service.stop() : service.ended);
    };
    return Object.assign(service, { killBetweenChanges });
  }

  /** Not while a service is running. */
  records(): TraceRecord[] {
    return readTrace(this.#traceFile);
  }

  get #traceFile(): string {
    return join(this.#folder, 'trace');
  }
}
