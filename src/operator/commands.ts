/**
 * What an operator may ask of a running service: commands of the directory, and not all of them, and commands about the
 * service itself. Each is `POST /operator/<op>` with `{input, audit}`; documents have routes of their own.
 */
import * as v from 'valibot';
import { AUDIT_KINDS } from '../domain/audit.js';
import { SCOPES } from '../domain/account/apiKey.js';
import type { DirectoryCommand } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import type { PubsubStatus } from '../domain/ports/pubsub.js';
import type { PartitionName } from '../partitions/messages.js';
import type { InstanceInfo } from '../partitions/ownership.js';
import type { PartitionOverview } from '../partitions/health/replicationOverview.js';

/** Every command is a path below it. */
export const OPERATOR_PATH = '/operator/';
/** `GET` with the id of a board. */
export const EXPORT_PATH = `${OPERATOR_PATH}export/`;
/** `POST` of a document with the id of its owner. */
export const IMPORT_PATH = `${OPERATOR_PATH}import/`;

export const OVERVIEW = 'service.overview';
export const SNAPSHOT = 'service.snapshot';
/** About an instance of a cluster of several machines. */
export const CLUSTER_OPERATIONS = ['verify', 'diagnose', 'drain', 'undrain'] as const;
export type ClusterOperation = (typeof CLUSTER_OPERATIONS)[number];
export const CLUSTER = 'service.cluster';
export const DELETE_USER = 'service.deleteUser';

/** A running service's report on itself and its instances. */
export interface Overview {
  readonly pubsub: PubsubStatus;
  /** The answering instance first. */
  readonly instances: readonly InstanceInfo[];
  /** All partitions, with or without an owner. */
  readonly partitions: readonly PartitionName[];
  /** Only if the partitions are replicated. */
  readonly replicated?: readonly PartitionOverview[];
}

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

const Command = v.variant('op', [
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
  v.object({ op: v.literal('health.check'), input: v.strictObject({}) }),
  v.object({ op: v.literal(OVERVIEW), input: v.strictObject({}) }),
  v.object({ op: v.literal(SNAPSHOT), input: v.strictObject({ partition: v.string() }) }),
  v.object({ op: v.literal(CLUSTER), input: v.strictObject({ operation: v.picklist(CLUSTER_OPERATIONS) }) }),
]);

/** A directory command, or one about the service itself. */
export type OperatorCommand =
  | DirectoryCommand
  | { readonly op: typeof DELETE_USER; readonly input: { readonly id: Uuid; readonly heir_id: Uuid | null } }
  | { readonly op: typeof OVERVIEW }
  | { readonly op: typeof SNAPSHOT; readonly input: { readonly partition: string } }
  | { readonly op: typeof CLUSTER; readonly input: { readonly operation: ClusterOperation } };

export function parseCommand(op: string, body: unknown): OperatorCommand {
  const parsed = v.safeParse(Command, typeof body === 'object' ? { ...body, op } : body);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  throw new AppError('invalid', `${v.getDotPath(issue) ?? 'request'}: ${issue.message}`);
}

/** The id at the end of a path below `prefix`. */
export function idIn(path: string, prefix: string): Uuid {
  const parsed = v.safeParse(id, path.slice(prefix.length));
  if (parsed.success) return parsed.output as Uuid;
  throw new AppError('invalid', 'The path must end with an id');
}
