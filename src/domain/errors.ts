/**
 * The closed list of error codes. The edges map a code to an HTTP status or a close code; nothing below them knows
 * either.
 */
export type ErrorCode =
  | 'malformed' // the bytes are not what they claim to be
  | 'too_large_file'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'timeout' // the body did not arrive in time
  | 'conflict'
  | 'limit' // a board or a user has as much as they may have
  | 'too_large'
  | 'wrong_type'
  | 'invalid' // well-formed, but not what the schema allows
  | 'too_many'
  | 'internal'
  | 'unavailable';

/** An error as plain data, which can cross a thread or the network. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly detail: string;
  /** Seconds after which a retry makes sense (`too_many`, `unavailable`). */
  readonly retryAfter?: number;
  /** Further fields of the answer, beside `detail`. */
  readonly fields?: Readonly<Record<string, string | number | null>>;
}

export class AppError extends Error implements ErrorData {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfter?: number;
  readonly fields?: Readonly<Record<string, string | number | null>>;

  constructor(code: ErrorCode, detail: string, options: Pick<ErrorData, 'retryAfter' | 'fields'> & { cause?: unknown } = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
    if (options.fields !== undefined) this.fields = options.fields;
  }

  get detail(): string {
    return this.message;
  }

  static from(data: ErrorData): AppError {
    return new AppError(data.code, data.detail, data);
  }

  toData(): ErrorData {
    const { code, detail, retryAfter, fields } = this;
    return { code, detail, ...(retryAfter === undefined ? {} : { retryAfter }), ...(fields === undefined ? {} : { fields }) };
  }
}

/** This Node or this system cannot run the service. The message names what is missing, and the ways round. */
export class UnsupportedHost extends Error {
  override readonly name = 'UnsupportedHost';
}

/** Another process holds the lock of the file. */
export class InUse extends AppError {
  constructor(detail: string) {
    super('unavailable', detail);
  }
}

/** The disk or the lock of the file prevents writing; the command itself is not at fault. */
export class NotStored extends AppError {
  constructor(detail: string, options: { retryAfter: number; cause?: unknown }) {
    super('unavailable', detail, options);
  }
}

/**
 * A commit was refused because this process no longer owns the partition; a store settles it with this. `isStored`:
 * whether the commit counts all the same, which a process that lost its connection cannot know.
 */
export class Deposed extends Error {
  override readonly name = 'Deposed';
  readonly isStored: 'no' | 'unknown';

  constructor(isStored: 'no' | 'unknown', options: { cause?: unknown } = {}) {
    super('the partition has another owner', options);
    this.isStored = isStored;
  }
}

/** The answer for a failure that the input did not cause; the cause goes to the log only. */
export const INTERNAL_ERROR: ErrorData = { code: 'internal', detail: 'Internal Server Error' };
