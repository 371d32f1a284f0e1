/**
 * The closed list of ways in which a request can be refused. The edges map a code to an HTTP status or a close code;
 * nothing below them knows about either.
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
  | 'too_large'
  | 'wrong_type'
  | 'invalid' // well-formed, but not what the schema allows
  | 'too_many'
  | 'internal'
  | 'unavailable';

/** An error as plain data, so that it can cross a thread or the network. */
export interface ErrorData {
  readonly code: ErrorCode;
  readonly detail: string;
  /** Seconds after which trying again makes sense (`too_many`, `unavailable`). */
  readonly retryAfter?: number;
}

export class AppError extends Error implements ErrorData {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfter?: number;

  constructor(code: ErrorCode, detail: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }

  get detail(): string {
    return this.message;
  }

  static from(data: ErrorData): AppError {
    return new AppError(data.code, data.detail, data.retryAfter === undefined ? {} : { retryAfter: data.retryAfter });
  }

  toData(): ErrorData {
    return this.retryAfter === undefined
      ? { code: this.code, detail: this.detail }
      : { code: this.code, detail: this.detail, retryAfter: this.retryAfter };
  }
}

/** Another process has the file open, and its lock. */
export class InUse extends AppError {
  constructor(detail: string) {
    super('unavailable', detail);
  }
}

/** The disk, or the lock of the file, does not let anything be stored: nothing that the command itself did. */
export class NotStored extends AppError {
  constructor(detail: string, options: { retryAfter: number; cause?: unknown }) {
    super('unavailable', detail, options);
  }
}

/** What a caller is told of a failure that is nobody's input: the cause is for the log alone. */
export const INTERNAL_ERROR: ErrorData = { code: 'internal', detail: 'Internal Server Error' };
