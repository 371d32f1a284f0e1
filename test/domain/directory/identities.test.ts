import type { DirectoryCommand, DirectoryCommands } from '../../../src/domain/commands/directoryCommands.js';
import type { IdentityEntry } from '../../../src/domain/account/identity.js';
import { IdSource } from '../../../src/domain/ids.js';
import { onBoth, type TestDirectory } from '../../support/store/directories.js';

type Enter = DirectoryCommands['identity.enter']['input'];

const NOW = '2030-01-01T00:00:00.000Z';
const LATER = '2030-01-01T01:00:00.000Z';
const ids = new IdSource();

const enter = (fields: Partial<Enter> = {}): Extract<DirectoryCommand, { op: 'identity.enter' }> => ({
  op: 'identity.enter',
  input: {
    issuer: 'https://id.example.org',
    subject: 'ann',
    email: 'ann@example.org',
    is_email_verified: true,
    is_superuser: null,
    now: NOW,
    ...fields,
  },
});

const newcomer = (...usernames: string[]): NonNullable<Enter['newcomer']> => {
  return { id: ids.fresh(), usernames, hashed_password: 'x', firstname: null, lastname: null };
};

const created = (email: string, username: string): DirectoryCommand => {
  const rest = { hashed_password: 'hash', firstname: null, lastname: null, is_superuser: false, now: NOW };
  return { op: 'user.create', input: { id: ids.fresh(), email, username, ...rest } };
};

function entered(directory: TestDirectory, fields: Partial<Enter>): Extract<IdentityEntry, { kind: 'entered' }> {
  const [outcome] = directory.runNow([enter(fields)]);
  const value = outcome?.ok === true ? (outcome.value as IdentityEntry) : null;
  if (value?.kind !== 'entered') throw new Error(`not entered: ${JSON.stringify(outcome)}`);
  return value;
}

onBoth('SSO8 two logins of an unknown identity in one commit create one user', async (t, open) => {
  const directory = open(t);
  const [first, second] = directory.runNow([enter({ newcomer: newcomer('ann') }), enter({ newcomer: newcomer('ann2') })]);
  t.match(first, { value: { kind: 'entered', is_new: true, user: { username: 'ann', is_verified: true } } });
  t.match(second, { value: { kind: 'entered', is_new: false, user: { username: 'ann' } } });
  t.match(directory.runNow([enter({ email: null })]), [{ value: { is_new: false } }], 'found without an e-mail address');
});

onBoth('SSO8 a user is linked by e-mail address only if both sides have verified it', async (t, open) => {
  const directory = open(t);
  directory.runNow([created('ben@example.org', 'ben')]);
  const bens = { subject: 'ben', email: 'ben@example.org' };
  t.match(directory.runNow([enter(bens)]), [{ value: { kind: 'email_taken' } }], 'the local address is not verified');
  t.match(directory.runNow([enter({ ...bens, newcomer: newcomer('ben2') })]), [{ value: { kind: 'email_taken' } }]);
  const { user } = entered(directory, { newcomer: newcomer('ann') });
  const other = { issuer: 'https://other.example.org', subject: 'somebody' };
  t.match(directory.runNow([enter({ ...other, is_email_verified: false })]), [{ value: { kind: 'email_taken' } }]);
  t.match(directory.runNow([enter({ ...other, email: 'ANN@example.org' })]), [{ value: { kind: 'entered', is_new: false, user } }]);
  t.match(directory.runNow([enter({ ...other, email: 'new@example.org' })]), [{ value: { kind: 'entered', user } }], 'and stays linked');
});

onBoth('SSO8 an address that the provider gave to somebody else does not lead to the account of its former holder', async (t, open) => {
  const directory = open(t);
  entered(directory, { newcomer: newcomer('ann') });
  t.match(directory.runNow([enter({ subject: 'successor', newcomer: newcomer('ann2') })]), [{ value: { kind: 'email_taken' } }]);
});

onBoth('MAIL31 the owner of an address who resets the password of an account with it is alone in it', async (t, open) => {
  const directory = open(t);
  const redeem = (id: string, changes: { hashed_password?: string; is_verified?: boolean }): DirectoryCommand => ({
    op: 'user.redeem',
    input: { id, hash: JSON.stringify([id, changes]), expires_at: LATER, expected: { email: 'ann@example.org' }, changes, now: NOW },
  });
  const stranger = { subject: 'stranger', is_email_verified: false };
  const { user } = entered(directory, { ...stranger, newcomer: newcomer('ann') });
  directory.runNow([redeem(user.id, { hashed_password: 'handed by an operator' })]);
  t.match(directory.runNow([enter(stranger)]), [{ value: { kind: 'entered' } }], 'a new password alone proves nothing');
  directory.runNow([redeem(user.id, { hashed_password: 'by mail', is_verified: true })]);
  t.match(directory.runNow([enter(stranger)]), [{ value: { kind: 'email_taken' } }], 'whoever created the account has no way in');
  t.match(entered(directory, { subject: 'owner' }), { user: { id: user.id }, is_new: false }, 'and the owner has');
  directory.runNow([redeem(user.id, { hashed_password: 'again', is_verified: true })]);
  t.match(entered(directory, { subject: 'owner', email: null }), { user: { id: user.id } }, 'a later reset of a verified account changes nothing');
});

onBoth('SSO8 an e-mail address that is another user’s username is taken', async (t, open) => {
  const directory = open(t);
  directory.runNow([created('ben@example.org', 'ann@example.org')]);
  t.match(directory.runNow([enter({ newcomer: newcomer('ann') })]), [{ value: { kind: 'email_taken' } }]);
});

onBoth('SSO10 a new user gets the first free username, which is nobody’s e-mail address', async (t, open) => {
  const directory = open(t);
  directory.runNow([created('x@example.org', 'Ann'), created('y@example.org', 'ben')]);
  const { user } = entered(directory, { newcomer: newcomer('ann', 'Y@example.org', 'ann3') });
  t.equal(user.username, 'ann3');
  const none = enter({ subject: 'cleo', email: 'cleo@example.org', newcomer: newcomer('ben', 'ann3') });
  t.match(directory.runNow([none]), [{ ok: false, error: { code: 'conflict' } }]);
  t.match(directory.runNow([enter({ subject: 'cleo', email: 'cleo@example.org' })]), [{ value: { kind: 'unknown' } }], 'nothing was created');
});

onBoth('SSO11 the rank of the provider counts at every login, and demotion ends the sessions', async (t, open) => {
  const directory = open(t);
  const { user } = entered(directory, { newcomer: newcomer('ann'), is_superuser: true });
  t.equal(user.is_superuser, true);
  const session = { id: ids.fresh(), user_id: user.id, device: '', address: '', expires_at: '2031-01-01T00:00:00.000Z', revoked_at: null, now: NOW };
  directory.runNow([{ op: 'session.create', input: session }]);
  t.match(entered(directory, { is_superuser: null }), { user: { is_superuser: true } }, 'without a group nothing changes');
  const [demoted] = directory.runNow([enter({ is_superuser: false, now: LATER })]);
  t.match(demoted, {
    value: { kind: 'entered', user: { is_superuser: false }, revoked_at: LATER },
    changed: { id: user.id, is_superuser: false },
    sessions: { kind: 'ended', user_id: user.id, ids: [session.id] },
  });
  t.match(entered(directory, { is_superuser: true }), { user: { is_superuser: true } });
});

onBoth('SSO8 a deactivated user does not enter, and is not linked', async (t, open) => {
  const directory = open(t);
  const { user } = entered(directory, { newcomer: newcomer('ann') });
  const activate = (is_active: boolean): DirectoryCommand => ({ op: 'user.update', input: { id: user.id, now: NOW, changes: { is_active } } });
  const other = { issuer: 'https://other.example.org', is_superuser: true };
  directory.runNow([activate(false)]);
  t.match(directory.runNow([enter(), enter(other)]), [{ value: { kind: 'inactive' } }, { value: { kind: 'inactive' } }]);
  directory.runNow([activate(true)]);
  t.match(directory.runNow([enter({ ...other, email: null })]), [{ value: { kind: 'unknown' } }], 'the other identity was not linked');
  t.match(entered(directory, {}), { user: { is_superuser: false } }, 'nor was the rank changed');
});

onBoth('TOTP11 nobody enters while a program without identities must be able to read the commits', async (t, open) => {
  const written: unknown[] = [];
  const directory = open(t, { onCommit: (commit) => written.push(commit) });
  directory.writeFor(13);
  t.match(directory.runNow([enter({ newcomer: newcomer('ann') })]), [{ ok: false, error: { code: 'unavailable' } }]);
  t.strictSame(written, []);
  directory.writeFor(14);
  t.match(directory.runNow([enter({ newcomer: newcomer('ann') })]), [{ ok: true, value: { kind: 'entered' } }]);
});
