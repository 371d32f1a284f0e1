/** The command line as an operator uses it, each command in its own process. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { text as readAll } from 'node:stream/consumers';
import { packagePath } from '../../../src/paths.js';
import type { Settings } from './serviceProcess.js';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProgramOptions {
  /** Where it runs: with a `.env` file there, its settings count too. */
  readonly folder?: string;
  readonly input?: string;
  /** The user to run as; only root can choose another one. */
  readonly userId?: number;
}

/** The program gets nothing of the environment of the tests. */
export function spawnProgram(args: readonly string[], settings: Settings, folder?: string, userId?: number): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  const user = userId === undefined ? {} : { uid: userId, gid: userId };
  return spawn(process.execPath, [packagePath('dist', 'program', 'main.js'), ...args], { cwd: folder, env, ...user });
}

export async function runProgram(
  args: readonly string[],
  settings: Settings,
  { folder, input = '', userId }: ProgramOptions = {},
): Promise<Finished> {
  const child = spawnProgram(args, settings, folder, userId);
  child.stdin.end(input);
  const output = [readAll(child.stdout), readAll(child.stderr)] as const;
  const [stdout, stderr, [code]] = await Promise.all([...output, once(child, 'close') as Promise<[number | null]>]);
  return { code, stdout, stderr };
}
