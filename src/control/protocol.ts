/**
 * The protocol between the command line and a running service: one JSON object a line, requests answered in order. Only
 * the operator's commands are accepted, not the whole directory.
 */
import type { Socket } from 'node:net';
import * as v from 'valibot';
import { AUDIT_KINDS } from '../domain/audit.js';
import { SCOPES } from '../domain/account/apiKey.js';
import type { DirectoryCommand } from '../domain/commands/directoryCommands.js';
import type { Uuid } from '../domain/ids.js';
import { AppError, type ErrorData } from '../domain/errors.js';
import type { Result } from '../domain/result.js';

/** The largest request is a user with every field at its maximum, about 5 KB. */
export const MAX_REQUEST_CHARACTERS = 64 * 1024;
/** The largest answer is a page of users, requested by our own command line. */
export const MAX_ANSWER_CHARACTERS = 16 * 1024 * 1024;

export type ControlReply = Result<{ readonly value: unknown }>;

export const OVERVIEW = 'service.overview';
export const SNAPSHOT = 'service.snapshot';
/** About an instance of a cluster of several machines. */
export const CLUSTER_OPERATIONS = ['verify', 'diagnose', 'drain', 'undrain'] as const;
export type ClusterOperation = (typeof CLUSTER_OPERATIONS)[number];
export const CLUSTER = 'service.cluster';
export const DELETE_USER = 'service.deleteUser';
/** Documents travel in pieces, each in a request or an answer of its own: a connection exchanges one at a time. */
export const EXPORT = 'document.export';
export const READ = 'document.read';
export const IMPORT = 'document.import';
export const PUSH = 'document.push';
export const FINISH = 'document.finish';
/** In Base64 it fits the longest request. */
export const PIECE_BYTES = 45 * 1024;

const id = v.pipe(v.string(), v.uuid());
const nullableText = v.nullable(v.string());
const timestamp = v.pipe(v.string(), v.isoTimestamp());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What the operator has done. */
const auditEntry = v.strictObject({
  at: v.pipe(v.string(), v.isoTimestamp()),
  id,
  kind: v.picklist(AUDIT_KINDS),
  user_id: v.null(),
  username: v.null(),
  subject_id: v.nullable(id),
  subject: nullableText,
  address: v.null(),
  device: nullableText,
  details: v.strictObject({}),
});
const audit = v.exactOptional(auditEntry);

const Request = v.variant('op', [
  v.object({
    op: v.literal('user.create'),
    input: v.strictObject({
      id,
      email: v.string(),
      username: v.string(),
      hashed_password: v.string(),
      firstname: nullableText,
      lastname: nullableText,
      is_superuser: v.boolean(),
      now: v.string(),
    }),
    audit,
  }),
  v.object({ op: v.literal('user.get'), input: v.strictObject({ id }) }),
  v.object({ op: v.literal('user.findForLogin'), input: v.strictObject({ login: v.string() }) }),
  v.object({ op: v.literal('user.getWithHash'), input: v.strictObject({ id }) }),
  v.object({
    op: v.literal('user.search'),
    input: v.strictObject({ search: nullableText, limit: count, offset: count, with: v.exactOptional(v.literal('factors')) }),
  }),
  v.object({
    op: v.literal('user.update'),
    input: v.strictObject({
      id,
      now: v.string(),
      changes: v.strictObject({
        firstname: v.exactOptional(nullableText),
        lastname: v.exactOptional(nullableText),
        hashed_password: v.exactOptional(v.string()),
        is_active: v.exactOptional(v.boolean()),
        is_superuser: v.exactOptional(v.boolean()),
        is_verified: v.exactOptional(v.boolean()),
      }),
    }),
    audit,
  }),
  v.object({
    op: v.literal('factor.remove'),
    input: v.strictObject({ user_id: id, proof: v.null(), keep_session: v.null(), now: v.string() }),
    audit,
  }),
  v.object({ op: v.literal('audit.add'), input: v.strictObject({ entries: v.tuple([auditEntry]) }) }),
  v.object({
    op: v.literal('key.create'),
    input: v.strictObject({
      id,
      user_id: id,
      name: v.string(),
      prefix: v.string(),
      token_hash: v.string(),
      scopes: v.array(v.picklist(SCOPES)),
      board_ids: v.nullable(v.array(id)),
      expires_at: v.nullable(timestamp),
      now: timestamp,
    }),
    audit,
  }),
  v.object({ op: v.literal('user.deletion'), input: v.strictObject({ user: v.string(), by: v.picklist(['id', 'login']) }) }),
  v.object({ op: v.literal('membership.list'), input: v.strictObject({ user_id: id }) }),
  v.object({ op: v.literal(DELETE_USER), input: v.strictObject({ id, heir_id: v.nullable(id) }) }),
  v.object({ op: v.literal(EXPORT), input: v.strictObject({ board_id: id }) }),
  v.object({ op: v.literal(READ), input: v.strictObject({ from: count, to: count }) }),
  v.object({ op: v.literal(IMPORT), input: v.strictObject({ owner_id: id }) }),
  v.object({ op: v.literal(PUSH), input: v.strictObject({ content: v.pipe(v.string(), v.base64()) }) }),
  v.object({ op: v.literal(FINISH), input: v.strictObject({}) }),
  v.object({ op: v.literal('health.check'), input: v.strictObject({}) }),
  v.object({ op: v.literal(OVERVIEW), input: v.strictObject({}) }),
  v.object({ op: v.literal(SNAPSHOT), input: v.strictObject({ partition: v.string() }) }),
  v.object({ op: v.literal(CLUSTER), input: v.strictObject({ operation: v.picklist(CLUSTER_OPERATIONS) }) }),
]);

/** A directory command, or one about the service itself. */
export type ControlRequest =
  | DirectoryCommand
  | { readonly op: typeof DELETE_USER; readonly input: { readonly id: Uuid; readonly heir_id: Uuid | null } }
  | DocumentRequest
  | { readonly op: typeof OVERVIEW }
  | { readonly op: typeof SNAPSHOT; readonly input: { readonly partition: string } }
  | { readonly op: typeof CLUSTER; readonly input: { readonly operation: ClusterOperation } };

export type DocumentRequest =
  | { readonly op: typeof EXPORT; readonly input: { readonly board_id: Uuid } }
  | { readonly op: typeof READ; readonly input: { readonly from: number; readonly to: number } }
  | { readonly op: typeof IMPORT; readonly input: { readonly owner_id: Uuid } }
  | { readonly op: typeof PUSH; readonly input: { readonly content: string } }
  | { readonly op: typeof FINISH };

export function parseRequest(line: string): ControlRequest {
  const parsed = v.safeParse(Request, parseJson(line));
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new AppError('invalid', `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`);
}

const AnswerSchema = v.variant('ok', [
  v.object({ ok: v.literal(true), value: v.unknown() }),
  // The code is one of ours, or one that a newer service added: it is passed on unchanged.
  v.object({
    ok: v.literal(false),
    error: v.object({
      code: v.custom<ErrorData['code']>((code) => typeof code === 'string'),
      detail: v.string(),
      retryAfter: v.exactOptional(v.number()),
    }),
  }),
]);

export function parseAnswer(line: string): ControlReply {
  const parsed = v.safeParse(AnswerSchema, parseJson(line));
  if (parsed.success) return parsed.output;
  throw new AppError('malformed', 'The running service sent an answer that this version does not understand');
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new AppError('malformed', 'A line is not JSON', { cause });
  }
}

/** Yields the received lines until the other side ends. A line without end is refused before it fills the memory. */
export async function* linesOf(socket: Socket, maxCharacters: number): AsyncGenerator<string, void, undefined> {
  socket.setEncoding('utf8');
  let rest = '';
  // The socket survives a refusal, so that the other side can be informed.
  const chunks: AsyncIterable<string> = socket.iterator({ destroyOnReturn: false });
  for await (const chunk of chunks) {
    rest += chunk;
    for (let end = rest.indexOf('\n'); end >= 0 && end <= maxCharacters; end = rest.indexOf('\n')) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 1);
    }
    if (rest.length > maxCharacters) throw new AppError('too_large', `A line exceeds ${maxCharacters} characters`);
  }
}
