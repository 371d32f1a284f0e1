import type { Test } from 'tap';
import type { DirectoryCommand, Redemption } from '../../../src/domain/commands/directoryCommands.js';
import { IdSource } from '../../../src/domain/ids.js';
import { onBoth, type OpenDirectory, type TestDirectory } from '../../support/store/directories.js';

const NOW = '2030-01-01T00:00:00.000Z';
const SOON = '2030-01-01T01:00:00.000Z';
const LATER = '2030-01-02T00:00:00.000Z';
const INVALID = { ok: false, error: { code: 'forbidden' } } as const;
const id = new IdSource().fresh();
const sessionId = new IdSource().fresh();

const CREATE = {
  op: 'user.create',
  input: { id, email: 'ann@example.org', username: 'ann', hashed_password: 'first', firstname: null, lastname: null, is_superuser: false, now: NOW },
} as const;
const LOGIN = {
  op: 'session.create',
  input: { id: sessionId, user_id: id, device: '', address: '', expires_at: LATER, revoked_at: null, now: NOW },
} as const;

function start(t: Test, open: OpenDirectory, onCommit: () => void = () => undefined): TestDirectory {
  const directory = open(t, { onCommit });
  directory.runNow([CREATE, LOGIN]);
  return directory;
}

function redeem(fields: Partial<Redemption> = {}): DirectoryCommand {
  const expected = { email: 'ann@example.org', hashed_password: 'first' };
  return {
    op: 'user.redeem',
    input: { id, hash: 'a', expires_at: SOON, expected, changes: { hashed_password: 'second', is_verified: true }, now: NOW, ...fields },
  };
}

onBoth('MAIL3 a change by a token spends it in the same commit, and ends all sessions', async (t, open) => {
  let commits = 0;
  const directory = start(t, open, () => (commits += 1));
  const before = commits;
  const [first, second] = directory.runNow([redeem(), redeem({ changes: { hashed_password: 'third' } })]);
  t.match(first, { ok: true, value: { is_verified: true }, sessions: { kind: 'ended', ids: [sessionId] } });
  t.match(second, INVALID, 'two in one commit: one wins');
  t.equal(commits, before + 1);
  t.match(directory.runNow([{ op: 'user.getWithHash', input: { id } }]), [
    { value: { hashed_password: 'second', is_verified: true, revoked_at: NOW } },
  ]);
  t.match(directory.runNow([{ op: 'session.list', input: { user_id: id, now: NOW } }]), [{ value: [] }]);
  t.match(directory.runNow([{ op: 'token.spend', input: { hash: 'a', expires_at: SOON, now: NOW } }]), [{ value: false }]);
});

onBoth('MAIL3 a token is not spent if the account is not as expected, and changes nothing if it was spent', async (t, open) => {
  const directory = start(t, open);
  const refused: DirectoryCommand[] = [
    redeem({ expected: { email: 'anna@example.org' } }),
    redeem({ expected: { email: 'ann@example.org', hashed_password: 'another' } }),
    redeem({ id: new IdSource().fresh() }),
    redeem({ now: SOON }),
  ];
  t.match(
    directory.runNow(refused),
    refused.map(() => INVALID),
  );
  directory.runNow([{ op: 'user.update', input: { id, now: NOW, changes: { is_active: false } } }]);
  t.match(directory.runNow([redeem()]), [INVALID], 'inactive');
  directory.runNow([{ op: 'user.update', input: { id, now: NOW, changes: { is_active: true } } }]);
  directory.runNow([{ op: 'token.spend', input: { hash: 'b', expires_at: SOON, now: NOW } }]);
  t.match(directory.runNow([redeem({ hash: 'b' })]), [INVALID]);
  t.match(directory.runNow([{ op: 'user.getWithHash', input: { id } }]), [{ value: { hashed_password: 'first', is_verified: false } }]);
  t.match(
    directory.runNow([redeem({ expected: { email: 'ann@example.org' }, changes: { is_verified: true } })]),
    [{ value: { is_verified: true } }],
    'and was not spent',
  );
});
