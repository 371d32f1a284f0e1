/** The command line in a folder of its own, which holds the data too. */
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import type { Test } from 'tap';
import { run as runCommand } from '../../../src/cli/run.js';
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

/** Commands in this process share its folder and its environment, so one follows another. */
let commandBefore: Promise<unknown> = Promise.resolve();

/**
 * The same without a process, whose start takes most of the time of a command. One call of each command is made as a
 * program by some test: only so it is seen that the program ends, and with which code.
 */
export function runHere(
  folder: string,
  args: readonly string[],
  { settings = {}, input = '' }: { settings?: Settings; input?: string } = {},
): Promise<Finished> {
  const finished = commandBefore.then(async () => {
    const [cwd, env] = [process.cwd(), process.env];
    process.chdir(folder);
    process.env = { PATH: env['PATH'] ?? '', ...settings };
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const output = Promise.all([readAll(stdout), readAll(stderr)]);
    try {
      const code = await runCommand(args, { stdin: Readable.from([Buffer.from(input)]), stdout, stderr });
      stdout.end();
      stderr.end();
      const [printed, said] = await output;
      return { code, stdout: printed, stderr: said };
    } finally {
      process.chdir(cwd);
      process.env = env;
    }
  });
  commandBefore = finished.catch(() => undefined);
  return finished;
}

export async function createUser(folder: string, username: string, ...more: string[]): Promise<string> {
  const args = ['user', 'create', '--email', `${username}@example.org`, '--username', username, '--password-stdin'];
  const { stdout, stderr } = await runHere(folder, [...args, ...more], { input: `${username}'s password\n` });
  const id = /with id (\S+)\.$/m.exec(stdout)?.[1];
  if (id === undefined) throw new Error(stderr);
  return id;
}

export async function listUsers(folder: string): Promise<PublicUser[]> {
  return JSON.parse((await runHere(folder, ['user', 'list', '--json'])).stdout) as PublicUser[];
}
