/** The command line in a folder of its own, which holds the data too. */
import { join } from 'node:path';
import type { Test } from 'tap';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { shortFolder } from '../store/folder.js';
import { runProgram, type Finished } from './program.js';
import type { Settings } from './serviceProcess.js';

/** A folder to run in, with the data in it. */
export function workplace(t: Test): { folder: string; dataDir: string } {
  const folder = shortFolder(t);
  return { folder, dataDir: join(folder, 'data') };
}

export function run(
  folder: string,
  args: readonly string[],
  { settings = {}, input }: { settings?: Settings; input?: string } = {},
): Promise<Finished> {
  return runProgram(args, settings, input === undefined ? { folder } : { folder, input });
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
