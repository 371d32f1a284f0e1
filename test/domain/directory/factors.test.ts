import type { Test } from 'tap';
import type { DirectoryCommand, DirectoryCommands } from '../../../src/domain/commands/directoryCommands.js';
import { FREE_MISSES } from '../../../src/domain/account/factor.js';
import { IdSource } from '../../../src/domain/ids.js';
import { onBoth, type OpenDirectory, type TestDirectory } from '../../support/store/directories.js';

const NOW = Date.parse('2030-01-01T00:00:00.000Z');
const MINUTE = 60_000;
const at = (milliseconds: number): string => new Date(NOW + milliseconds).toISOString();
const [ann, session, other] = Array.from({ length: 3 }, () => new IdSource().fresh()) as [string, string, string];

function setUp(t: Test, open: OpenDirectory, commits: unknown[] = []): TestDirectory {
  const directory = open(t, { onCommit: (commit) => commits.push(commit) });
  const user = { id: ann, email: 'ann@example.org', username: 'ann', hashed_password: 'hash', firstname: null, lastname: null };
  directory.runNow([{ op: 'user.create', input: { ...user, is_superuser: false, now: at(0) } }]);
  return directory;
}

const begin = (sealed_secret: string, now = at(0)): DirectoryCommand => ({ op: 'factor.begin', input: { user_id: ann, sealed_secret, now } });
const confirm = (fields: Partial<DirectoryCommands['factor.confirm']['input']> = {}): DirectoryCommand => ({
  op: 'factor.confirm',
  input: { user_id: ann, sealed_secret: 'one', step: 1, recovery_hashes: ['a', 'b'], keep_session: null, now: at(0), ...fields },
});
const prove = (step: number | null, now = at(0), sealed_secret = 'one'): DirectoryCommand => ({
  op: 'factor.prove',
  input: { user_id: ann, proof: { kind: 'totp', sealed_secret, step }, now },
});
const recover = (hash: string, now = at(0)): DirectoryCommand => ({
  op: 'factor.prove',
  input: { user_id: ann, proof: { kind: 'recovery', hash }, now },
});

function values(directory: TestDirectory, ...commands: DirectoryCommand[]): unknown[] {
  return directory.runNow(commands).map((outcome) => (outcome.ok ? outcome.value : outcome.error.code));
}

onBoth('TOTP2 a factor is on when it was confirmed with a code of its own secret, within an hour', async (t, open) => {
  const directory = setUp(t, open);
  t.strictSame(values(directory, confirm()), ['none'], 'nothing was begun');
  t.strictSame(values(directory, begin('two'), begin('one'), confirm({ sealed_secret: 'two' })), [true, true, 'wrong'], 'the latest secret counts');
  t.strictSame(values(directory, prove(2), confirm({ now: at(61 * MINUTE) })), ['none', 'none'], 'too late');
  t.strictSame(values(directory, confirm(), confirm({ step: 2 }), begin('three')), ['accepted', 'none', 'conflict']);
  t.match(values(directory, { op: 'user.findForLogin', input: { login: 'ann' } }), [{ has_second_factor: true }]);
});

onBoth('TOTP4 of two uses of a code in one commit one is accepted, and no earlier code afterwards', async (t, open) => {
  const directory = setUp(t, open);
  values(directory, begin('one'), confirm());
  t.strictSame(values(directory, prove(1), prove(3), prove(3), prove(2), prove(4)), ['wrong', 'accepted', 'wrong', 'wrong', 'accepted']);
  t.strictSame(values(directory, prove(5, at(0), 'two')), ['wrong'], 'checked against a secret of before');
});

onBoth('TOTP4 of two uses of a recovery code in one commit one is accepted', async (t, open) => {
  const directory = setUp(t, open);
  values(directory, begin('one'), confirm());
  t.strictSame(values(directory, recover('a'), recover('a'), recover('c'), recover('b')), ['accepted', 'wrong', 'wrong', 'accepted']);
  t.match(values(directory, { op: 'factor.get', input: { user_id: ann } }), [{ recovery_codes: 0 }]);
});

onBoth('TOTP6 after ten wrong codes in a row one an hour is checked, also if they come at the same time', async (t, open) => {
  const directory = setUp(t, open);
  values(directory, begin('one'), confirm());
  const misses = Array.from({ length: FREE_MISSES - 1 }, () => prove(null));
  t.strictSame(new Set(values(directory, ...misses)), new Set(['wrong']));
  t.strictSame(values(directory, prove(2)), ['accepted'], 'nine are forgiven');
  t.strictSame(values(directory, ...misses, prove(null), prove(null), prove(3)).slice(-2), ['locked', 'locked'], 'the right one too');
  t.strictSame(values(directory, prove(3, at(59 * MINUTE))), ['locked']);
  t.strictSame(values(directory, prove(null, at(61 * MINUTE)), prove(3, at(62 * MINUTE))), ['wrong', 'locked'], 'one an hour');
  t.strictSame(values(directory, prove(3, at(122 * MINUTE)), prove(null, at(123 * MINUTE)), prove(4, at(123 * MINUTE))), [
    'accepted',
    'wrong',
    'accepted',
  ]);
  values(directory, ...misses, prove(null));
  t.strictSame(values(directory, recover('a'), prove(5)), ['accepted', 'accepted'], 'a recovery code is checked, and forgives');
});

onBoth('TOTP6 ten wrong confirmations need a new secret, or an hour', async (t, open) => {
  const directory = setUp(t, open);
  values(directory, begin('one'));
  const misses = Array.from({ length: FREE_MISSES }, () => confirm({ step: null }));
  t.strictSame(new Set(values(directory, ...misses)), new Set(['wrong']));
  t.strictSame(values(directory, confirm(), begin('two'), confirm({ sealed_secret: 'two' })), ['locked', true, 'accepted']);
});

onBoth('SESS8 turning a factor on and off ends all sessions but the given one', async (t, open) => {
  const directory = setUp(t, open);
  const create = (id: string, revoked_at: string | null): DirectoryCommand => {
    return { op: 'session.create', input: { id, user_id: ann, device: '', address: '', expires_at: at(1e9), revoked_at, now: at(0) } };
  };
  const live = (): unknown => values(directory, { op: 'session.live', input: { user_ids: [ann] } })[0];
  values(directory, begin('one'), create(session, null), create(other, null));
  const [confirmed] = directory.runNow([confirm({ keep_session: session, now: at(MINUTE) })]);
  t.match(confirmed, { sessions: { kind: 'ended', user_id: ann, ids: [other], revoked_at: at(MINUTE) } });
  t.match(live(), [{ revoked_at: at(MINUTE), sessions: [{ id: session }] }]);
  t.strictSame(values(directory, create(other, null)), ['unauthenticated'], 'a login whose password was checked before');
  const remove = { user_id: ann, proof: { kind: 'recovery', hash: 'a' }, now: at(2 * MINUTE), keep_session: null } as const;
  t.strictSame(values(directory, { op: 'factor.remove', input: { ...remove, proof: { kind: 'recovery', hash: 'c' } } }), ['wrong']);
  t.match(live(), [{ sessions: [{ id: session }] }], 'nothing ends with a wrong code');
  t.strictSame(values(directory, { op: 'factor.remove', input: remove }, { op: 'factor.remove', input: remove }), ['accepted', 'none']);
  t.match(live(), [{ revoked_at: at(2 * MINUTE), sessions: { length: 0 } }]);
});

onBoth('TOTP11 no factor is set up while a program that does not know second factors must be able to read the commits', async (t, open) => {
  const commits: unknown[] = [];
  const directory = setUp(t, open, commits);
  const before = commits.length;
  directory.writeFor(16);
  t.strictSame(values(directory, begin('one')), ['unavailable']);
  t.equal(commits.length, before);
  directory.writeFor(18);
  t.strictSame(values(directory, begin('one')), [true]);
});
