/** The audit log: who did what, from where and when. No entry has a secret. */
import type { Uuid } from './ids.js';
import { DAY_MS } from './content/time.js';

export const AUDIT_KINDS = [
  'login',
  'login.failed',
  'logout',
  'session.ended',
  'sessions.ended',
  'refresh.refused',
  'user.registered',
  'user.created',
  'user.activated',
  'user.deactivated',
  'user.promoted',
  'user.demoted',
  'user.deleted',
  'email.verified',
  'email.changed',
  'username.changed',
  'password.changed',
  'password.reset_requested',
  'password.reset',
  'factor.enabled',
  'factor.disabled',
  'factor.reset',
  'recovery_codes.renewed',
  'key.created',
  'key.revoked',
  'sso.linked',
  'invitation.created',
  'invitation.revoked',
  'invitation.accepted',
  'board.deleted',
  'board.restored',
  'board.imported',
  'member.added',
  'member.removed',
  'member.role_changed',
  'webhook.created',
  'webhook.updated',
  'webhook.rotated',
  'webhook.resumed',
  'webhook.replayed',
  'webhook.deleted',
  'service.started',
] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

/** What an entry may say besides. */
export const AUDIT_DETAILS = [
  'more',
  'reason',
  'method',
  'second_factor',
  'session',
  'setup',
  'superuser',
  'invitation',
  'max_uses',
  'board_id',
  'user_id',
  'owner_id',
  'heir_id',
  'role',
  'members',
  'scopes',
  'key_id',
  'fields',
  'host',
  'since',
  'instance',
  'url',
  'version',
] as const;
export type AuditDetail = (typeof AUDIT_DETAILS)[number];
/** Entries of a start have the names of settings too. */
export type AuditDetails = Readonly<Partial<Record<AuditDetail | Uppercase<string>, string | number | boolean>>>;

export interface AuditPosition {
  readonly at: string;
  readonly id: Uuid;
}

export interface AuditEntry extends AuditPosition {
  readonly kind: AuditKind;
  /** Who did it; of a failed login, the account that was meant. Null for the operator, and for anonymous clients. */
  readonly user_id: Uuid | null;
  /** At that time. */
  readonly username: string | null;
  /** The user, board, session, key, invitation or webhook that it was done to. */
  readonly subject_id: Uuid | null;
  /** Its name at that time. */
  readonly subject: string | null;
  /** Of the client. Null if there is none. */
  readonly address: string | null;
  /** What the client calls itself. */
  readonly device: string | null;
  readonly details: AuditDetails;
}

export interface AuditedClient {
  readonly address: () => string;
  readonly userAgent: string;
  /** Of the API key that the request came with. The entry has it as `key_id` in its details. */
  readonly keyId?: Uuid;
}

/** What happened, before it is an entry. */
export interface AuditEvent {
  readonly kind: AuditKind;
  readonly user: { readonly id: Uuid; readonly username: string; readonly is_superuser: boolean } | null;
  readonly subject?: { readonly id: Uuid; readonly name?: string };
  /** The request that caused it. */
  readonly client?: AuditedClient;
  readonly details?: AuditDetails;
}

/** The `reason` of a failed login that a limit refused: no password was checked. */
export const REFUSED_BY_LIMIT = 'limit';

/**
 * Of entries that are never left out, as many as a user causes in an hour; then the operation is refused. More than a user
 * needs, few enough for the disk.
 */
export const MAX_PER_HOUR = {
  'password.changed': 20,
  'email.changed': 20,
  'username.changed': 20,
  'factor.enabled': 20,
  'recovery_codes.renewed': 20,
  'key.created': 200,
  'member.role_changed': 200,
  'webhook.created': 200,
  'webhook.updated': 200,
  'webhook.rotated': 200,
  'webhook.resumed': 200,
  'webhook.replayed': 200,
  /** Or as many as a user can have created. */
  'board.deleted': 200,
  'board.restored': 200,
} as const satisfies Partial<Record<AuditKind, number>>;
/** Of a user in an hour, each with an entry of its own: as many as sessions. */
export const MAX_LOGIN_NETWORKS = 100;

/** About 300 bytes each. Failed logins have a limit of their own: an attack must not push out what was done. */
export const MAX_AUDIT_ENTRIES = { 'login.failed': 20_000, others: 100_000 } as const;
export const AUDIT_LIFETIME_MS = 365 * DAY_MS;
/** Entries in one command. */
export const AUDIT_BATCH = 100;

/** For what the operator does, to a user or to the service. */
export function operatorEntry(
  kind: AuditKind,
  position: AuditPosition,
  subject: { readonly id: Uuid; readonly username: string | null } | null,
  details: AuditDetails = {},
): AuditEntry {
  const nobody = { user_id: null, username: null, address: null };
  return { ...position, kind, ...nobody, subject_id: subject?.id ?? null, subject: subject?.username ?? null, device: 'command line', details };
}

/** The position as a text for a client, which sends it back to read on. */
export function writeAuditPosition({ at, id }: AuditPosition): string {
  return `${at}_${id}`;
}

export const AUDIT_POSITION = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f-]{36})$/;

export function readAuditPosition(text: string): AuditPosition | null {
  const [, at, id] = AUDIT_POSITION.exec(text) ?? [];
  return at === undefined || id === undefined ? null : { at, id };
}
