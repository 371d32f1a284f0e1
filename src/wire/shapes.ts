/** Shapes shared by several messages between instances. Unknown fields are dropped: a newer peer may send some. */
import * as v from 'valibot';
import type { ErrorCode, ErrorData } from '../domain/errors.js';
import type { BoardEvent, EventType, PublishedEvent } from '../domain/events.js';
import { parseUuid, type Uuid } from '../domain/ids.js';
import type { LiveSession } from '../domain/account/session.js';
import type { PublicUser } from '../domain/account/user.js';
import { Refusal } from './refusal.js';

export type Shape<T> = v.GenericSchema<unknown, T>;

export const text = v.string();
export const nullableText = v.nullable(v.string());
export const flag = v.boolean();
/** A position, a size or an event number. */
export const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
export const uuid: Shape<Uuid> = v.custom<Uuid>((id) => typeof id === 'string' && parseUuid(id) === id);
export const bytes: Shape<Uint8Array> = v.instance(Uint8Array);

export const publicUser = v.object({
  id: uuid,
  email: text,
  username: text,
  firstname: nullableText,
  lastname: nullableText,
  is_active: flag,
  is_verified: flag,
  is_superuser: flag,
}) satisfies Shape<PublicUser>;

/** A time that is compared with others. */
export const timestamp = v.pipe(text, v.isoTimestamp());

export const liveSession = v.object({ id: uuid, refreshed_at: timestamp, expires_at: timestamp }) satisfies Shape<LiveSession>;

/** A newer peer may know more kinds of events; they are passed on unchanged. */
export const boardEvent: Shape<BoardEvent> = v.object({
  seq: count,
  type: v.custom<EventType>((type) => typeof type === 'string'),
  json: text,
});

/** A large event is encoded bytes. */
export const publishedEvent: Shape<PublishedEvent> = v.union([
  boardEvent,
  v.object({ seq: count, type: v.custom<EventType>((type) => typeof type === 'string'), bytes }),
]);

const ERROR_CODES: Readonly<Record<ErrorCode, true>> = {
  malformed: true,
  too_large_file: true,
  unauthenticated: true,
  forbidden: true,
  not_found: true,
  method_not_allowed: true,
  timeout: true,
  conflict: true,
  limit: true,
  too_large: true,
  wrong_type: true,
  invalid: true,
  too_many: true,
  internal: true,
  unavailable: true,
};

/** An error code that only newer instances know becomes `unavailable`. */
export const errorData: Shape<ErrorData> = v.object({
  code: v.pipe(
    text,
    v.transform((code): ErrorCode => (isErrorCode(code) ? code : 'unavailable')),
  ),
  detail: text,
  retryAfter: v.exactOptional(v.number()),
  fields: v.exactOptional(v.record(text, v.union([v.string(), v.number(), v.null()]))),
});

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code);
}

/** Validates the value, or throws a `Refusal` that names the first problem. */
export function parseShape<T>(shape: Shape<T>, value: unknown, what: string): T {
  const parsed = v.safeParse(shape, value, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new Refusal('malformed', `${what}: ${v.getDotPath(issue) ?? 'all of it'} is invalid`);
}
