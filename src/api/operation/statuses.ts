/** The HTTP statuses of the service, and the mapping from error codes to statuses. */
import type { ErrorCode } from '../../domain/errors.js';

const REASONS = {
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  204: 'No Content',
  206: 'Partial Content',
  302: 'Found',
  304: 'Not Modified',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
} as const;

export type Status = keyof typeof REASONS;

export const STATUS_OF = {
  malformed: 400,
  too_large_file: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  timeout: 408,
  conflict: 409,
  limit: 409,
  too_large: 413,
  wrong_type: 415,
  invalid: 422,
  too_many: 429,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ErrorCode, Status>;

/** A newer instance may refuse with a code that this version does not know. */
export function statusOf(code: string): Status {
  return Object.hasOwn(STATUS_OF, code) ? STATUS_OF[code as ErrorCode] : STATUS_OF.unavailable;
}

const LINES: ReadonlyMap<number, string> = new Map(Object.entries(REASONS).map(([status, reason]) => [Number(status), `${status} ${reason}`]));

export function statusLine(status: number): string {
  return LINES.get(status) ?? `${status} Unknown`;
}
