import { AppError } from '../domain/errors.js';

/** How a command ends: the codes of sysexits.h where it has one, because scripts and service managers know them. */
export const EX_OK = 0;
export const EX_FAILURE = 1;
export const EX_USAGE = 64;
export const EX_TEMPFAIL = 75;

/** The command cannot be done; the message is for the operator, and no stack trace would tell them more. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: number;

  constructor(exitCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}

/** The command was not understood. */
export class UsageError extends CommandFailure {
  constructor(message: string) {
    super(EX_USAGE, message);
  }
}

/**
 * Whether the message alone tells the operator what to do. Errors of the operating system and of SQLite (their codes
 * look like EACCES and SQLITE_CANTOPEN) do; anything else without a class of its own is a fault of the program.
 */
export function isForeseen(error: unknown): error is Error {
  if (error instanceof CommandFailure || error instanceof AppError) return true;
  return error instanceof Error && 'code' in error && /^(E[A-Z0-9]+|SQLITE_\w+)$/.test(String(error.code));
}
