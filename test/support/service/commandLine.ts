/** The command line as an operator uses it: in a folder of its own, each command a process. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Test } from 'tap';
import type { PublicUser } from '../../../src/domain/user.js';
import { packagePath } from '../../../src/paths.js';
import type { Settings } from './serviceProcess.js';

/** A folder to run in, with the data in it. Its path is short enough for the control socket to be inside. */
export function workplace(t: Test): { folder: string; dataDir: string } {
  const folder = mkdtempSync('/tmp/sb-');
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, dataDir: join(folder, 'data') };
}

/** The program gets nothing of the environment of the tests, nor a `.env` of the checkout. */
export function spawnProgram(folder: string, args: readonly string[], settings: Settings): ChildProcessWithoutNullStreams {
  const env = { PATH: process.env['PATH'] ?? '', ...settings };
  return spawn(process.execPath, [packagePath('dist/src/main.js'), ...args], { cwd: folder, env });
}

export async function run(folder: string, args: readonly string[], options: { settings?: Settings; input?: string } = {}) {
  const child = spawnProgram(folder, args, options.settings ?? {});
  child.stdin.end(options.input ?? '');
  const output = [readAll(child.stdout), readAll(child.stderr)] as const;
  const [stdout, stderr, [code]] = await Promise.all([...output, once(child, 'close') as Promise<[unknown]>]);
  return { stdout, stderr, code };
}

export async function createUser(folder: string, username: string, ...more: string[]): Promise<string> {
  const args = ['user', 'create', '--email', `${username}@example.org`, '--username', username, '--password-stdin'];
  const { stdout, stderr } = await run(folder, [...args, ...more], { input: `${username}'s password\n` });
  const id = /with id (\S+)\.$/m.exec(stdout)?.[1];
  if (id === undefined) throw new Error(stderr);
  return id;
}

export async function listUsers(folder: string): Promise<PublicUser[]> {
  return JSON.parse((await run(folder, ['user', 'list', '--json'])).stdout) as PublicUser[];
}
