/** Shapes of directory commands and answers from other instances. */
import * as v from 'valibot';
import { AUDIT_BATCH, type AuditDetails, type AuditEntry, type AuditKind } from '../../domain/audit.js';
import type {
  DirectoryCommand,
  DirectoryCommands,
  DirectoryOperation,
  MembershipChanges,
  UserForLogin,
  Redemption,
  UserDeletion,
} from '../../domain/commands/directoryCommands.js';
import { PROOF_OUTCOMES, type FactorProof, type FactorView } from '../../domain/account/factor.js';
import { SCOPES, type ApiKey, type FoundKey } from '../../domain/account/apiKey.js';
import type { Invitation } from '../../domain/account/invitation.js';
import { ROLES } from '../../domain/model.js';
import type { LiveSessions, Session } from '../../domain/account/session.js';
import type { PublicUser, User } from '../../domain/account/user.js';
import { quote, Refusal } from '../../wire/refusal.js';
import { fingerprint, idempotencyKey } from './keyShapes.js';
import {
  count,
  flag,
  liveSession,
  nullableText,
  parseShape,
  publicUser,
  text,
  timestamp,
  uuid,
  type Shape,
  type WholeShape,
} from '../../wire/shapes.js';

const MAX_INSTANCE_CHARACTERS = 64;
const instanceId = v.pipe(text, v.minLength(1), v.maxLength(MAX_INSTANCE_CHARACTERS));
const nothing = v.object({}) as WholeShape<Record<string, never>>;
const uuids = v.array(uuid);
const done = v.literal(true);

const user = v.object({
  id: uuid,
  email: text,
  username: text,
  firstname: nullableText,
  lastname: nullableText,
  is_active: flag,
  is_verified: flag,
  is_superuser: flag,
  hashed_password: text,
  created_at: text,
  updated_at: text,
  // Absent in answers of programs without sessions.
  revoked_at: v.optional(nullableText, null),
}) satisfies Shape<User>;
const userForLogin: Shape<UserForLogin> = v.object({ ...user.entries, has_second_factor: v.exactOptional(done) });

const factorProof: Shape<FactorProof> = v.variant('kind', [
  v.object({ kind: v.literal('totp'), sealed_secret: text, step: v.nullable(count) }),
  v.object({ kind: v.literal('recovery'), hash: text }),
]);
const factorView: Shape<FactorView> = v.object({ sealed_secret: text, confirmed_at: nullableText, recovery_codes: count });
const proofOutcome = v.picklist(PROOF_OUTCOMES);
const hashes = v.array(text);

const auditDetails: Shape<AuditDetails> = v.record(text, v.union([text, v.number(), flag]));
/** A newer peer may know more kinds; they are stored unchanged. */
const auditKind = v.custom<AuditKind>((kind) => typeof kind === 'string');
const auditEntry: WholeShape<AuditEntry> = v.object({
  at: timestamp,
  id: uuid,
  kind: auditKind,
  user_id: v.nullable(uuid),
  username: nullableText,
  subject_id: v.nullable(uuid),
  subject: nullableText,
  address: nullableText,
  device: nullableText,
  details: auditDetails,
});

const liveSessions: Shape<LiveSessions> = v.object({
  revoked_at: nullableText,
  sessions: v.array(liveSession),
  // Absent in answers of programs without API keys.
  keys: v.optional(uuids, []),
});

const session: Shape<Session> = v.object({
  ...liveSession.entries,
  user_id: uuid,
  generation: count,
  device: text,
  address: text,
  created_at: text,
  last_seen: text,
});

const caller: Shape<PublicUser & { live?: LiveSessions }> = v.object({ ...publicUser.entries, live: v.exactOptional(liveSessions) });

const membershipChanges: WholeShape<MembershipChanges> = v.object({
  board_id: uuid,
  version: count,
  members: v.union([v.literal('none left'), v.array(v.object({ user_id: uuid, profile: v.nullable(publicUser) }))]),
});

const userCreate = v.object({
  id: uuid,
  email: text,
  username: text,
  hashed_password: text,
  firstname: nullableText,
  lastname: nullableText,
  is_superuser: flag,
  now: text,
  invitation: v.exactOptional(text),
});
const userUpdate = v.object({
  id: uuid,
  now: text,
  changes: v.object({
    firstname: v.exactOptional(nullableText),
    lastname: v.exactOptional(nullableText),
    hashed_password: v.exactOptional(text),
    is_active: v.exactOptional(flag),
    is_superuser: v.exactOptional(flag),
    is_verified: v.exactOptional(flag),
  }),
  keep_session: v.exactOptional(uuid),
});
const redemption: WholeShape<Redemption> = v.object({
  id: uuid,
  hash: text,
  expires_at: timestamp,
  expected: v.object({ email: text, hashed_password: v.exactOptional(text) }),
  changes: v.object({ hashed_password: v.exactOptional(text), is_verified: v.exactOptional(flag) }),
  now: timestamp,
});
const invitation: WholeShape<Invitation> = v.object({
  id: uuid,
  token_hash: text,
  created_by: uuid,
  created_at: text,
  expires_at: text,
  max_uses: count,
  uses: count,
  board_id: v.nullable(uuid),
  role: v.nullable(v.picklist(ROLES)),
});
const identityEnter = v.object({
  issuer: text,
  subject: text,
  email: nullableText,
  is_email_verified: flag,
  is_superuser: v.nullable(flag),
  newcomer: v.exactOptional(
    v.object({
      id: uuid,
      usernames: v.array(text),
      hashed_password: text,
      firstname: nullableText,
      lastname: nullableText,
      invitation: v.exactOptional(text),
    }),
  ),
  now: timestamp,
});
const identityEntry = v.variant('kind', [
  v.object({
    kind: v.literal('entered'),
    user: publicUser,
    revoked_at: nullableText,
    is_new: flag,
    is_linked: v.exactOptional(done),
    has_new_rank: v.exactOptional(done),
  }),
  v.object({ kind: v.literal('unknown') }),
  v.object({ kind: v.literal('inactive') }),
  v.object({ kind: v.literal('email_taken') }),
]);
const userDelete = v.object({ id: uuid, heir_id: v.nullable(uuid), now: timestamp });
const userDeletion: Shape<UserDeletion> = v.object({ id: uuid, heir: v.nullable(publicUser), isPending: flag, board_ids: uuids });
const invitationRemove = v.object({ id: uuid, created_by: v.nullable(uuid) });
const sessionEnd = v.object({ user_id: uuid, id: uuid });
const keyRemove = v.object({ user_id: uuid, id: uuid });
const foundKey = v.object({
  id: uuid,
  user_id: uuid,
  scopes: v.array(v.picklist(SCOPES)),
  board_ids: v.nullable(uuids),
  expires_at: v.nullable(timestamp),
}) satisfies Shape<FoundKey>;
const apiKey = v.object({
  ...foundKey.entries,
  name: text,
  prefix: text,
  created_at: text,
  last_used: nullableText,
}) satisfies Shape<ApiKey>;
const sessionEndOthers = v.object({ user_id: uuid, keep: v.nullable(uuid), now: timestamp });
const onceValue = v.union([publicUser, flag]);
const keyedRequest = { scope: text, key: idempotencyKey, fingerprint, now: text };

type DirectoryShapes = {
  readonly [Op in DirectoryOperation]: {
    readonly input: WholeShape<DirectoryCommands[Op]['input']>;
    readonly output: Shape<DirectoryCommands[Op]['output']>;
  };
};

/** The type ensures that none is missing. */
export const DIRECTORY_SHAPES: DirectoryShapes = {
  'user.create': {
    input: userCreate,
    output: publicUser,
  },
  'user.get': { input: v.object({ id: uuid, with: v.exactOptional(v.literal('sessions')) }), output: v.nullable(caller) },
  'user.findForLogin': { input: v.object({ login: text, by: v.exactOptional(v.literal('username')) }), output: v.nullable(userForLogin) },
  'user.findByEmail': { input: v.object({ emails: v.array(text) }), output: v.array(v.nullable(publicUser)) },
  'user.getWithHash': { input: v.object({ id: uuid }), output: v.nullable(user) },
  'user.search': {
    input: v.object({
      search: nullableText,
      limit: count,
      offset: count,
      visibleTo: v.exactOptional(uuid),
      boards: v.exactOptional(uuids),
      with: v.exactOptional(v.literal('factors')),
    }),
    output: v.array(v.object({ ...publicUser.entries, has_second_factor: v.exactOptional(flag) })),
  },
  'user.sharesBoard': { input: v.object({ user_id: uuid, other_id: uuid, boards: v.exactOptional(uuids) }), output: flag },
  'user.update': {
    input: userUpdate,
    output: publicUser,
  },
  'user.redeem': { input: redemption, output: publicUser },
  'user.delete': { input: userDelete, output: done },
  'user.deletion': { input: v.object({ user: text, by: v.picklist(['id', 'login']) }), output: v.nullable(userDeletion) },
  once: {
    input: v.object({
      ...keyedRequest,
      command: v.variant('op', [
        v.object({ op: v.literal('user.create'), input: userCreate }),
        v.object({ op: v.literal('user.update'), input: userUpdate }),
        v.object({ op: v.literal('user.redeem'), input: redemption }),
        v.object({ op: v.literal('user.delete'), input: userDelete }),
        v.object({ op: v.literal('invitation.remove'), input: invitationRemove }),
        v.object({ op: v.literal('session.end'), input: sessionEnd }),
        v.object({ op: v.literal('session.endOthers'), input: sessionEndOthers }),
        v.object({ op: v.literal('key.remove'), input: keyRemove }),
      ]),
    }),
    output: v.object({ value: onceValue, isReplayed: flag }),
  },
  'once.find': { input: v.object(keyedRequest), output: v.nullable(v.object({ value: onceValue })) },
  'user.inactive': { input: v.object({ ids: uuids }), output: uuids },
  'user.missing': { input: v.object({ ids: uuids }), output: uuids },
  'session.create': {
    input: v.object({
      id: uuid,
      user_id: uuid,
      device: text,
      address: text,
      expires_at: timestamp,
      revoked_at: nullableText,
      now: timestamp,
    }),
    output: done,
  },
  'session.refresh': {
    input: v.object({ id: uuid, generation: count, now: timestamp }),
    output: v.nullable(v.object({ ...liveSession.entries, user_id: uuid, generation: count })),
  },
  'session.list': { input: v.object({ user_id: uuid, now: timestamp }), output: v.array(session) },
  'session.end': { input: sessionEnd, output: done },
  'session.endOthers': { input: sessionEndOthers, output: done },
  'session.seen': { input: v.object({ ids: uuids, now: timestamp }), output: done },
  'session.live': { input: v.object({ user_ids: uuids }), output: v.array(liveSessions) },
  'token.spend': { input: v.object({ hash: text, expires_at: timestamp, now: timestamp }), output: flag },
  'factor.get': { input: v.object({ user_id: uuid }), output: v.nullable(factorView) },
  'factor.begin': { input: v.object({ user_id: uuid, sealed_secret: text, now: timestamp }), output: done },
  'factor.confirm': {
    input: v.object({
      user_id: uuid,
      sealed_secret: text,
      step: v.nullable(count),
      recovery_hashes: hashes,
      keep_session: v.nullable(uuid),
      now: timestamp,
    }),
    output: proofOutcome,
  },
  'factor.prove': { input: v.object({ user_id: uuid, proof: factorProof, now: timestamp }), output: proofOutcome },
  'factor.renewCodes': {
    input: v.object({ user_id: uuid, proof: factorProof, recovery_hashes: hashes, now: timestamp }),
    output: proofOutcome,
  },
  'factor.remove': {
    input: v.object({ user_id: uuid, proof: v.nullable(factorProof), keep_session: v.nullable(uuid), now: timestamp }),
    output: proofOutcome,
  },
  'audit.add': { input: v.object({ entries: v.pipe(v.array(auditEntry), v.maxLength(AUDIT_BATCH)) }), output: done },
  'audit.list': {
    input: v.object({
      before: v.nullable(v.object({ at: timestamp, id: uuid })),
      limit: count,
      user_id: v.nullable(uuid),
      kind: v.nullable(auditKind),
    }),
    output: v.array(auditEntry),
  },
  'identity.enter': { input: identityEnter, output: identityEntry },
  'key.create': {
    input: v.object({ ...foundKey.entries, name: text, prefix: text, token_hash: text, now: timestamp }),
    output: done,
  },
  'key.find': { input: v.object({ hashes: v.array(text) }), output: v.array(v.nullable(foundKey)) },
  'key.list': { input: v.object({ user_id: uuid }), output: v.array(apiKey) },
  'key.remove': { input: keyRemove, output: flag },
  'membership.apply': { input: membershipChanges, output: done },
  'membership.list': {
    input: v.object({
      user_id: uuid,
      limit: v.exactOptional(count),
      offset: v.exactOptional(count),
      boards: v.exactOptional(uuids),
    }),
    output: uuids,
  },
  'board.reserve': { input: v.object({ user_id: uuid, board_id: uuid, max: count, now: text }), output: done },
  'board.wasDeleted': { input: v.object({ board_id: uuid }), output: flag },
  'board.release': { input: v.object({ board_id: uuid }), output: done },
  'grant.reserve': { input: v.object({ user_id: uuid, wanted: count, max: count, now: text }), output: count },
  'grant.release': { input: v.object({ user_id: uuid, count, now: text }), output: done },
  'invitation.create': { input: invitation, output: done },
  'invitation.list': {
    input: v.object({ created_by: v.nullable(uuid), limit: count, offset: count }),
    output: v.array(invitation),
  },
  'invitation.find': { input: v.object({ token_hash: text, now: text, user_id: v.exactOptional(uuid) }), output: v.nullable(invitation) },
  'invitation.use': { input: v.object({ token_hash: text, now: text, user_id: v.exactOptional(uuid) }), output: flag },
  'invitation.remove': { input: invitationRemove, output: flag },
  'outbox.push': { input: v.object({ after: count }), output: done },
  'outbox.delivered': { input: v.object({ id: count }), output: done },
  'profile.pending': { input: v.object({ after: count, limit: count }), output: v.tuple([]) },
  stats: {
    input: nothing,
    output: v.object({ users: count, active_users: count, boards: count, memberships: count }),
  },
  'health.check': { input: nothing, output: done },
  'users.lease': { input: v.object({ instance: instanceId }), output: v.object({ ms: count, by: instanceId }) },
};

const outline = v.object({ op: text, input: v.unknown(), audit: v.exactOptional(auditEntry) });

export function parseDirectoryCommand(value: unknown): DirectoryCommand {
  const { op, input, audit } = parseShape(outline, value, 'a directory command');
  if (!isDirectoryOperation(op)) throw new Refusal('unsupported', `the operation ${quote(op)} is not known here`);
  const shape: Shape<unknown> = DIRECTORY_SHAPES[op].input;
  // A pair of operation and input is a command, but TypeScript cannot derive that from the union.
  return { op, input: parseShape(shape, input, op), ...(audit === undefined ? {} : { audit }) } as DirectoryCommand;
}

function isDirectoryOperation(op: string): op is DirectoryOperation {
  return Object.hasOwn(DIRECTORY_SHAPES, op);
}
