/** Starts the service on a folder after a power cut, and looks for what is lost, doubled or half done. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { startApp } from '../../../src/app.js';
import type { Environment } from '../../../src/settings/config.js';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { testConfig } from '../service/app.js';
import { writeFolder } from './cut.js';
import type { CutFolder } from './disk.js';

export interface Case {
  /** What the cut left. */
  readonly folder: CutFolder;
  readonly settings: Environment;
  /** Whether `check` must be content before the service starts. Not if the cut came before there was data. */
  readonly isComplete: boolean;
  readonly findProblems: (url: string) => Promise<string[]>;
}

/** Returns the problems. */
export async function judge({ folder, settings, isComplete, findProblems }: Case): Promise<string[]> {
  // SQLite recovers a file when it is opened, so the check and the service get a folder each.
  const checked = isComplete ? await inFolder(folder, (path) => problemsOfCheck(path, 'check before the start')) : [];
  const served = await inFolder(folder, async (path) => [
    ...(await problemsOfService({ ...settings, DATA_DIR: path }, findProblems)),
    ...(await problemsOfCheck(path, 'check after the stop')),
  ]);
  return [...checked, ...served];
}

async function inFolder<T>(folder: CutFolder, look: (path: string) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), 'switchboard-'));
  try {
    await writeFolder(path, folder);
    return await look(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

async function problemsOfService(settings: Environment, findProblems: Case['findProblems']): Promise<string[]> {
  const log: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void log.push(line) });
  try {
    const app = await startApp(testConfig(settings), logger);
    try {
      return await findProblems(app.url);
    } finally {
      await app.close();
    }
  } catch (error) {
    return [`the service cannot be used: ${String(error)}`, ...log];
  }
}

async function problemsOfCheck(folder: string, when: string): Promise<string[]> {
  try {
    const { problems } = await checkFolder(folder);
    return problems.map((problem) => `${when}: ${problem}`);
  } catch (error) {
    return [`${when}: ${String(error)}`];
  }
}
