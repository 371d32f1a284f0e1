import { AppError, UnsupportedHost } from '../domain/errors.js';
import { EX_CONFIG } from '../settings/config.js';

/** Exit codes, from sysexits.h where it has one, because scripts and service managers know them. */
export const EX_OK = 0;
export const EX_FAILURE = 1;
export const EX_USAGE = 64;
export const EX_TEMPFAIL = 75;

/** The command cannot be carried out. The message is for the operator; a stack trace would not help. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The arguments are invalid. */
export class UsageError extends CommandFailure {
  constructor(message: string) {
    super(EX_USAGE, message);
  }
}

/**
 * Whether the message alone helps the operator. It does for errors of the operating system and of SQLite (codes such as
 * EACCES and SQLITE_CANTOPEN), and for a binary that another Node or another system was installed for; any other error
 * without a class of its own is a fault of the program.
 */
export function isForeseen(error: unknown): error is Error {
  if (error instanceof CommandFailure || error instanceof AppError || error instanceof UnsupportedHost) return true;
  return error instanceof Error && 'code' in error && /^(E[A-Z0-9]+|ERR_DLOPEN_FAILED|SQLITE_\w+)$/.test(String(error.code));
}

/** Of an error whose message alone helps. */
export function exitCodeOf(error: Error): number {
  if (error instanceof UnsupportedHost) return EX_CONFIG;
  return error instanceof CommandFailure ? error.exitCode : EX_FAILURE;
}
