/** The command line as an operator uses it, each command in its own process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readAll } from 'node:stream/consumers';
import { packagePath } from '../../../src/paths.js';
import type { Settings } from './serviceProcess.js';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The program gets nothing of the environment of the tests. */
export async function runProgram(args: readonly string[], settings: Settings): Promise<Finished> {
  const child = spawn(process.execPath, [packagePath('dist', 'src', 'main.js'), ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [readAll(child.stdout), readAll(child.stderr)] as const;
  const [stdout, stderr, [code]] = await Promise.all([...output, once(child, 'close') as Promise<[number | null]>]);
  return { code, stdout, stderr };
}
