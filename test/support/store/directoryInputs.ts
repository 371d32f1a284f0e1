/** Every command of the directory once, with all its fields, and the commands that prepare the directory. */
import type {
  DirectoryCommand,
  DirectoryCommands,
  DirectoryOperation,
  UserChanges,
  KeyedRequest,
} from '../../../src/domain/commands/directoryCommands.js';
import type { AuditEntry } from '../../../src/domain/audit.js';
import { DEFAULT_NOTICE_SETTINGS } from '../../../src/domain/account/noticeSettings.js';
import type { SentNotification } from '../../../src/domain/account/notification.js';
import { IdSource } from '../../../src/domain/ids.js';

const NOW = '2030-01-01T00:00:00.000Z';
const LATER = '2030-01-01T12:00:00.000Z';
const EXPIRY = '2030-02-01T00:00:00.000Z';
const ids = new IdSource();
const [annsSession, newSession, annsKey] = [ids.fresh(), ids.fresh(), ids.fresh()];
const [ann, ben, cleo, board, newBoard] = [ids.fresh(), ids.fresh(), ids.fresh(), ids.fresh(), ids.fresh()];

const userNamed = (id: string, username: string): DirectoryCommands['user.create']['input'] => ({
  id,
  email: `${username}@example.org`,
  username,
  hashed_password: `hash of ${username}`,
  firstname: null,
  lastname: null,
  is_superuser: false,
  now: NOW,
});
const { hashed_password: _hash, now: _now, ...annsFields } = userNamed(ann, 'ann');
const profile = { ...annsFields, is_active: true, is_verified: false };

const sessionOf = (id: string): DirectoryCommands['session.create']['input'] => ({
  id,
  user_id: ann,
  device: 'a browser',
  address: '192.0.2.1',
  expires_at: EXPIRY,
  revoked_at: null,
  now: NOW,
});

/** Ann has a second factor, ben has begun to set one up. */
const proof = { kind: 'totp', sealed_secret: 'a sealed secret', step: 2 } as const;
const confirmation: DirectoryCommands['factor.confirm']['input'] = {
  user_id: ann,
  sealed_secret: 'a sealed secret',
  step: 1,
  recovery_hashes: ['a code'],
  keep_session: null,
  now: NOW,
};
const newcomer = ids.fresh();
const { is_superuser: _isSuperuser, ...setupFields } = userNamed(ids.fresh(), 'root');

const [unread, notMailed] = [ids.fresh(), ids.fresh()];
const notification: SentNotification = {
  id: ids.fresh(),
  user_id: ann,
  kind: 'mentioned',
  created_at: NOW,
  board_id: board,
  card_id: board,
  comment_id: board,
  actor_id: ben,
  title: 'A card',
  due_at: null,
  is_late: false,
};

const auditEntry = (id: string): AuditEntry => ({
  at: NOW,
  id,
  kind: 'login',
  user_id: ann,
  username: 'ann',
  subject_id: annsSession,
  subject: 'a session',
  address: '192.0.2.1',
  device: 'a browser',
  details: { method: 'password', more: 1, session: true },
});

const invitation: DirectoryCommands['invitation.create']['input'] = {
  id: ids.fresh(),
  token_hash: 'a hash',
  created_by: ann,
  created_at: NOW,
  expires_at: '2030-01-02T00:00:00.000Z',
  max_uses: 2,
  uses: 0,
  board_id: board,
  role: 'member',
};

const keyWith = (id: string, token_hash: string): DirectoryCommands['key.create']['input'] => ({
  id,
  user_id: ann,
  name: 'nightly',
  prefix: 'swb_ab12',
  token_hash,
  scopes: ['read', 'write'],
  board_ids: [board],
  expires_at: EXPIRY,
  now: NOW,
});

/** Ann has an API key, is logged in and on a board that does not have her new name yet, and has granted a membership today. */
export const BEFORE: readonly DirectoryCommand[] = [
  { op: 'user.create', input: userNamed(ann, 'ann') },
  { op: 'user.create', input: userNamed(cleo, 'cleo') },
  { op: 'board.reserve', input: { user_id: ann, board_id: board, max: 2, now: NOW } },
  { op: 'membership.apply', input: { board_id: board, version: 1, members: [{ user_id: ann, profile }] } },
  { op: 'user.update', input: { id: ann, now: NOW, changes: { firstname: 'Ann', is_verified: true } } },
  { op: 'grant.reserve', input: { user_id: ann, wanted: 1, max: 5, now: NOW } },
  { op: 'user.create', input: userNamed(newcomer, 'nora') },
  { op: 'factor.begin', input: { user_id: newcomer, sealed_secret: 'another', now: NOW } },
  { op: 'factor.begin', input: { user_id: ann, sealed_secret: 'a sealed secret', now: NOW } },
  { op: 'factor.confirm', input: confirmation },
  { op: 'audit.add', input: { entries: [auditEntry(ids.fresh())] } },
  { op: 'session.create', input: { ...sessionOf(annsSession), revoked_at: NOW } },
  { op: 'invitation.create', input: invitation },
  { op: 'notification.add', input: { notifications: [{ ...notification, id: unread }], is_mailing: true } },
  { op: 'notification.add', input: { notifications: [{ ...notification, id: notMailed }] } },
  { op: 'setup.offer', input: { token_hash: 'the hash of a setup token', now: NOW } },
  { op: 'key.create', input: keyWith(annsKey, 'the hash of a key') },
];

const ALL_CHANGES: Required<UserChanges> = {
  firstname: 'Anna',
  lastname: 'Ott',
  hashed_password: 'another hash',
  is_active: false,
  is_superuser: true,
  is_verified: true,
};

const request: KeyedRequest = { scope: ann, key: 'a key', fingerprint: 'a fingerprint', now: NOW };

/** Each refers to existing data. The type makes sure that no command and no field is missing. */
export const INPUTS: { readonly [Op in DirectoryOperation]: Required<DirectoryCommands[Op]['input']> } = {
  'user.create': { ...userNamed(ben, 'ben'), invitation: 'a hash' },
  'setup.offer': { token_hash: 'a further hash', now: NOW },
  'setup.read': {},
  'setup.check': { token_hash: 'the hash of a setup token' },
  'setup.create': { ...setupFields, token_hash: 'the hash of a setup token' },
  'user.rename': {
    id: ann,
    changes: { email: 'ann@example.com', is_verified: true },
    expected: { email: 'ann@example.org', hashed_password: 'hash of ann' },
    link: { hash: 'the hash of a further token', expires_at: LATER },
    keep_session: annsSession,
    now: NOW,
  },
  'user.mayRename': { id: ann, names: { email: 'ann@example.com' } },
  'user.get': { id: ann, with: 'sessions' },
  'user.findForLogin': { login: 'ann', by: 'username' },
  'user.findByEmail': { emails: ['ann@example.org'] },
  'user.getWithHash': { id: ann },
  'user.search': { search: 'ann', limit: 5, offset: 0, visibleTo: ann, boards: [board], with: 'factors' },
  'user.sharesBoard': { user_id: ann, other_id: ben, boards: [board] },
  'user.configure': { id: ann, now: NOW, changes: { firstname: 'Anna' }, locale: { language: 'de', time_zone: 'Europe/Vienna' } },
  'user.update': { id: ann, now: NOW, changes: ALL_CHANGES, keep_session: annsSession },
  'user.redeem': {
    id: ann,
    hash: 'the hash of a token',
    expires_at: LATER,
    expected: { email: 'ann@example.org', hashed_password: 'hash of ann' },
    changes: { hashed_password: 'another hash', is_verified: true },
    now: NOW,
  },
  'user.delete': { id: ann, heir_id: cleo, now: NOW },
  'user.deletion': { user: ann, by: 'id' },
  once: { ...request, command: { op: 'user.update', input: { id: ann, now: NOW, changes: ALL_CHANGES } } },
  'once.find': request,
  'user.inactive': { ids: [ann, ben] },
  'user.missing': { ids: [ann, ben] },
  'session.create': { ...sessionOf(newSession), revoked_at: NOW },
  'session.refresh': { id: annsSession, generation: 1, now: LATER },
  'session.endReason': { id: annsSession, now: LATER },
  'session.list': { user_id: ann, now: NOW },
  'session.end': { user_id: ann, id: annsSession, ended_at: LATER },
  'session.endOthers': { user_id: ann, keep: newSession, now: LATER },
  'session.seen': { ids: [annsSession, annsKey], now: LATER },
  'session.live': { user_ids: [ann, ben] },
  'key.create': keyWith(ids.fresh(), 'the hash of another key'),
  'key.find': { hashes: ['the hash of a key', 'unknown'] },
  'key.list': { user_id: ann },
  'key.remove': { user_id: ann, id: annsKey },
  'token.spend': { hash: 'a token', expires_at: LATER, now: NOW },
  'factor.get': { user_id: ann },
  'factor.begin': { user_id: newcomer, sealed_secret: 'a third', now: LATER },
  'factor.confirm': { ...confirmation, user_id: newcomer, sealed_secret: 'another' },
  'factor.prove': { user_id: ann, proof, now: LATER },
  'factor.renewCodes': { user_id: ann, proof, recovery_hashes: ['another code'], now: LATER },
  'factor.remove': { user_id: ann, proof, keep_session: annsSession, now: LATER },
  'audit.add': { entries: [auditEntry(ids.fresh())] },
  'audit.list': { before: { at: LATER, id: ann }, limit: 5, user_id: ann, kind: 'login' },
  'identity.enter': {
    issuer: 'https://id.example.org',
    subject: 'ben',
    email: 'ben@example.org',
    is_email_verified: true,
    is_superuser: true,
    newcomer: {
      id: ben,
      usernames: ['ann', 'ben'],
      hashed_password: 'hash of ben',
      firstname: 'Ben',
      lastname: null,
      invitation: 'a hash',
    },
    now: NOW,
  },
  'membership.apply': {
    board_id: board,
    version: 2,
    members: 'none left',
    notifications: [{ ...notification, kind: 'invited' }],
    trashed: { title: 'A board', deleted_at: NOW, owners: [ann] },
    is_restored: true,
    is_mailing: true,
  },
  'membership.list': { user_id: ann, limit: 5, offset: 0, boards: [board] },
  // The last place within her limit: a repeated reservation must not count twice.
  'board.reserve': { user_id: ann, board_id: newBoard, max: 2, now: NOW },
  'board.wasDeleted': { board_id: board },
  'trash.list': { user_id: ann, since: NOW, before: { deleted_at: LATER, board_id: board }, limit: 5 },
  'trash.find': { user_id: ann, board_id: board },
  'board.release': { board_id: board },
  'grant.reserve': { user_id: ann, wanted: 1, max: 5, now: NOW, invited: ann },
  'grant.release': { user_id: ann, count: 1, now: NOW },
  'invitation.create': { ...invitation, id: ids.fresh(), token_hash: 'another hash' },
  'invitation.list': { created_by: ann, limit: 5, offset: 0 },
  'invitation.find': { token_hash: 'a hash', now: NOW, user_id: ben },
  'invitation.use': { token_hash: 'a hash', now: NOW, user_id: ben },
  'invitation.remove': { id: invitation.id, created_by: ann },
  'notification.add': { notifications: [notification], is_mailing: true },
  'notification.list': { user_id: ann, unread: true, before: { created_at: LATER, id: ann }, limit: 5 },
  'notification.read': { user_id: ann, ids: [unread], now: NOW },
  'noticeMail.take': { now: EXPIRY, limit: 5 },
  'noticeMail.postpone': { ids: [notMailed], now: NOW },
  'noticeMail.read': { user_id: ann, ids: [unread] },
  'noticeSettings.get': { user_id: ann },
  'noticeSettings.put': {
    user_id: ann,
    settings: { ...DEFAULT_NOTICE_SETTINGS, reminder_minutes: 60, boards: { [board]: { app: false, mail: 'off' } } },
  },
  'noticeSettings.reminder': { user_id: ann },
  'noticeSettings.unsubscribe': { user_id: ann },
  'outbox.push': { after: 0 },
  'outbox.delivered': { id: 1 },
  stats: {},
  'health.check': {},
  'users.lease': { instance: 'another' },
};
