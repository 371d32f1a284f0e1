/** From arguments to exit code: finds the command, runs it, and reports its failure. */
import { VERSION } from '../version.js';
import { boardCommands } from './boards/boardCommands.js';
import { backup } from './data/backup.js';
import { check } from './data/check.js';
import { cluster } from './cluster/cluster.js';
import { clusterDoctor } from './cluster/clusterDoctor.js';
import { clusterDrain, clusterUndrain } from './cluster/clusterDrain.js';
import { clusterInit } from './cluster/clusterInit.js';
import { clusterReseed } from './cluster/clusterReseed.js';
import { clusterSnapshot } from './cluster/clusterSnapshot.js';
import { clusterVerify } from './cluster/clusterVerify.js';
import type { Command, Terminal } from './command.js';
import { configCheck } from './configCheck.js';
import { demo } from './demo.js';
import { exportCommand } from './data/export.js';
import { commandHelp, groupHelp, overviewHelp, PROGRAM } from './help.js';
import { importCommand } from './data/import.js';
import { init } from './init.js';
import { mailTest } from './mailTest.js';
import { EX_OK, exitCodeOf, isForeseen, UsageError } from './outcome.js';
import { restore } from './data/restore.js';
import { seed } from './seed/seed.js';
import { serve } from './serve.js';
import { nearestOf } from './suggestion.js';
import { printable } from './table.js';
import { userCommands } from './users/users.js';

/** Every start loads them all, also a start of the service, so a command imports the store when it runs. */
const COMMANDS: readonly Command[] = [
  serve,
  demo,
  init,
  ...userCommands,
  ...boardCommands,
  seed,
  exportCommand,
  importCommand,
  clusterInit,
  clusterSnapshot,
  clusterReseed,
  clusterDoctor,
  clusterVerify,
  clusterDrain,
  clusterUndrain,
  cluster,
  backup,
  restore,
  check,
  configCheck,
  mailTest,
];

export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  // A reader that closes the pipe early, such as `head`, is not a failure.
  terminal.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  const [first, ...rest] = args;
  if (first === 'help') return run([...rest, '--help'], terminal);
  if (isHelp(first)) return print(terminal, overviewHelp(COMMANDS));
  if (first === '--version' || first === '-v') return print(terminal, `${VERSION}\n`);
  if (first === undefined || first.startsWith('-')) return runCommand(serve, args, terminal);

  const found = COMMANDS.find(({ words }) => words === args.slice(0, words.split(' ').length).join(' '));
  if (found) return runCommand(found, args.slice(found.words.split(' ').length), terminal);

  const group = COMMANDS.filter(({ words }) => words.startsWith(`${first} `));
  if (group.length > 0 && isHelp(args[1])) return print(terminal, groupHelp(first, group));
  if (args[1] === undefined && group.length > 0) return fail(terminal, new UsageError(`"${first}" needs a command.`), first);
  const typed = group.length > 0 || isMisspeltGroup(first, args[1]) ? `${first} ${args[1]}` : first;
  return fail(terminal, new UsageError(unknownCommand(typed)), group.length > 0 ? first : '');
}

/** Whether a second word follows a first one that is close to the name of a group. */
function isMisspeltGroup(first: string, second: string | undefined): boolean {
  if (second === undefined || second.startsWith('-')) return false;
  const groups = COMMANDS.filter(({ words }) => words.includes(' ')).map(({ words }) => words.split(' ', 1)[0] ?? '');
  return nearestOf(first, groups) !== null;
}

function unknownCommand(typed: string): string {
  const meant = nearestOf(
    typed,
    COMMANDS.map(({ words }) => words),
  );
  return `There is no command "${printable(typed)}".${meant === null ? '' : ` Did you mean "${meant}"?`}`;
}

async function runCommand(command: Command, args: readonly string[], terminal: Terminal): Promise<number> {
  if (args.slice(0, endOfOptions(args)).some(isHelp)) return print(terminal, commandHelp(command));
  try {
    return await command.execute(args, terminal);
  } catch (error) {
    return fail(terminal, error, command.words);
  }
}

/** One line for expected failures; a fault of the program is rethrown for its stack trace. */
function fail(terminal: Terminal, error: unknown, words: string): number {
  if (!isForeseen(error)) throw error;
  terminal.stderr.write(`${PROGRAM}: ${error.message}\n`);
  if (error instanceof UsageError) terminal.stderr.write(`Try: ${PROGRAM}${words && ` ${words}`} --help\n`);
  return exitCodeOf(error);
}

function endOfOptions(args: readonly string[]): number {
  const end = args.indexOf('--');
  return end < 0 ? args.length : end;
}

function isHelp(argument: string | undefined): boolean {
  return argument === '--help' || argument === '-h';
}

function print(terminal: Terminal, text: string): number {
  terminal.stdout.write(text);
  return EX_OK;
}
