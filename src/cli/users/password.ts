/**
 * Reads a password: typed at a terminal without echo, or from standard input. Never from an argument, which every user
 * of the machine can see and the shell stores.
 */
import type { Readable } from 'node:stream';
import * as v from 'valibot';
import { password as passwordField } from '../../api/schemas/fields.js';
import { passwordProblem } from '../../auth/passwordRules.js';
import type { Config } from '../../settings/config.js';
import type { Terminal } from '../command.js';
import { CommandFailure, EX_FAILURE, UsageError } from '../outcome.js';

/** No password is this long; an endless standard input is a mistake. */
const MAX_INPUT_CHARACTERS = 4096;
/** A shell's exit code for a program ended by Ctrl-C. */
const EX_INTERRUPTED = 130;

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const BACKSPACE = '\b';
const DELETE = '\u007f';

export async function obtainPassword(fromStdin: boolean, config: Config, terminal: Terminal): Promise<string> {
  const password = fromStdin ? await readSecret(terminal.stdin, 'password') : await askTwice(terminal);
  const problem =
    passwordProblem(password, { minLength: config.passwordMinLength, require: config.passwordRequire }) ??
    (v.is(passwordField(), password) ? null : 'The password contains characters that are not allowed.');
  if (problem !== null) throw new CommandFailure(EX_FAILURE, problem);
  return password;
}

/** The first line of standard input. `what` names it in an error message. */
export async function readSecret(stdin: Readable, what: string): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin as AsyncIterable<string>) {
    text += chunk;
    if (text.includes('\n')) break;
    if (text.length > MAX_INPUT_CHARACTERS) {
      throw new CommandFailure(EX_FAILURE, `The ${what} has more than ${MAX_INPUT_CHARACTERS} characters.`);
    }
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

async function askTwice({ stdin, stderr }: Terminal): Promise<string> {
  if (!stdin.isTTY || !stdin.setRawMode) throw new UsageError('There is no terminal to ask on: use --password-stdin.');
  stdin.setEncoding('utf8');
  // Raw mode, thus without echo, before the prompt and until both answers are read: the user may type ahead.
  stdin.setRawMode(true);
  const keys = keysOf(stdin);
  try {
    // On standard error, so that standard output can be redirected.
    stderr.write('Password: ');
    const password = await readTyped(keys);
    stderr.write('\nAgain: ');
    if ((await readTyped(keys)) === password) return password;
    throw new CommandFailure(EX_FAILURE, 'The two passwords differ.');
  } finally {
    stderr.write('\n');
    stdin.setRawMode(false);
    await keys.return();
  }
}

/** Its end closes standard input, which would otherwise keep the process alive. */
async function* keysOf(stdin: Readable): AsyncGenerator<string, void, undefined> {
  for await (const chunk of stdin as AsyncIterable<string>) yield* chunk;
}

/** Reads a line with the editing keys that raw mode leaves to the program. */
async function readTyped(keys: AsyncGenerator<string, void, undefined>): Promise<string> {
  const typed: string[] = [];
  for (;;) {
    const { value: key = CTRL_D } = await keys.next();
    if (key === '\r' || key === '\n') return typed.join('');
    if (key === CTRL_C || key === CTRL_D) throw new CommandFailure(EX_INTERRUPTED, 'Cancelled.');
    if (key === BACKSPACE || key === DELETE) typed.pop();
    else if (key === CTRL_U) typed.length = 0;
    else if (key >= ' ') typed.push(key);
  }
}
