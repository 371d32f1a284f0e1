import type { Test } from 'tap';
import type { DirectoryCommands, DirectoryOperation, DirectoryCommand } from '../../../src/domain/commands/directoryCommands.js';
import { IdSource, type Uuid } from '../../../src/domain/ids.js';
import { MAX_SESSIONS_PER_USER } from '../../../src/domain/account/session.js';
import { onBoth, type OpenDirectory } from '../../support/store/directories.js';
import type { DirectoryOutcome } from '../../support/store/memoryDirectory.js';

const ids = new IdSource();
const DAY_MS = 86_400_000;
const START = Date.parse('2030-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

function setUp(t: Test, open: OpenDirectory) {
  const writes: unknown[] = [];
  const directory = open(t, { onCommit: (commit) => writes.push(...commit.writes.map(({ op }) => op)) });
  const run = <Op extends DirectoryOperation>(op: Op, input: DirectoryCommands[Op]['input']): DirectoryOutcome => {
    const [outcome] = directory.runNow([{ op, input } as unknown as DirectoryCommand]);
    if (outcome === undefined) throw new Error('no outcome');
    return outcome;
  };
  const newUser = (username: string): Uuid => {
    const id = ids.fresh();
    const names = { email: `${username}@example.org`, username, firstname: null, lastname: null };
    run('user.create', { id, ...names, hashed_password: 'a hash', is_superuser: true, now: at(0) });
    return id;
  };
  const ann = newUser('ann');
  const logIn = (user_id = ann, seconds = 0, days = 30): Uuid => {
    const id = ids.fresh();
    const expires_at = new Date(START + seconds * 1000 + days * DAY_MS).toISOString();
    const outcome = run('session.create', { id, user_id, device: 'x', address: 'y', expires_at, revoked_at: null, now: at(seconds) });
    t.match(outcome, { ok: true });
    return id;
  };
  const sessionsOf = (user_id = ann, seconds = 0): Uuid[] => {
    const outcome = run('session.list', { user_id, now: at(seconds) });
    return outcome.ok ? (outcome.value as { id: Uuid }[]).map(({ id }) => id) : [];
  };
  return { directory, writes, run, newUser, ann, logIn, sessionsOf };
}

onBoth('SESS2 a refresh raises the generation, and does not make the session longer', async (t, open) => {
  const { run, logIn, ann } = setUp(t, open);
  const id = logIn(ann, 0, 30);
  const expires_at = at(30 * 86_400);
  const renewed = { id, user_id: ann, generation: 2, refreshed_at: at(500), expires_at };
  t.match(run('session.refresh', { id, generation: 1, now: at(500) }), {
    value: renewed,
    sessions: { kind: 'renewed', user_id: ann, session: { id, refreshed_at: at(500), expires_at } },
  });
  const last = 30 * 86_400 - 1;
  t.match(run('session.refresh', { id, generation: 2, now: at(last) }), { value: { generation: 3, expires_at } });
  t.match(run('session.refresh', { id, generation: 3, now: at(last + 1) }), { value: null }, 'then it has expired');
});

onBoth('SESS2 a refresh token that a restored file has forgotten is accepted', async (t, open) => {
  const { run, logIn } = setUp(t, open);
  const id = logIn();
  t.match(run('session.refresh', { id, generation: 7, now: at(1) }), { value: { generation: 8 } });
});

onBoth('SESS3 the generation before is answered with the current one for a minute', async (t, open) => {
  const { run, logIn, writes } = setUp(t, open);
  const id = logIn();
  const first = run('session.refresh', { id, generation: 1, now: at(500) });
  writes.splice(0);
  for (const seconds of [500, 530, 560]) {
    const again = run('session.refresh', { id, generation: 1, now: at(seconds) });
    t.strictSame(again.ok && again.value, first.ok && first.value, `after ${seconds - 500} s`);
    t.notOk('sessions' in again, 'nothing is published');
  }
  t.strictSame(writes, [], 'and nothing written');
});

onBoth('SESS3 the use of an older refresh token ends the session', async (t, open) => {
  const { run, logIn, ann, sessionsOf } = setUp(t, open);
  const [late, older, other] = [logIn(), logIn(), logIn()];
  run('session.refresh', { id: late, generation: 1, now: at(500) });
  const ended = { value: null, sessions: { kind: 'ended', user_id: ann, ids: [late], revoked_at: null } };
  t.match(run('session.refresh', { id: late, generation: 1, now: at(561) }), ended, 'the one before, after the minute');
  t.match(run('session.refresh', { id: late, generation: 2, now: at(562) }), { value: null }, 'the current one is refused too');
  run('session.refresh', { id: older, generation: 1, now: at(500) });
  run('session.refresh', { id: older, generation: 2, now: at(500) });
  t.match(run('session.refresh', { id: older, generation: 1, now: at(501) }), { value: null }, 'two before, at any time');
  t.strictSame(sessionsOf(), [other], 'other sessions of the user live on');
});

onBoth('SESS7 a user ends no session of another', async (t, open) => {
  const { run, newUser, logIn, sessionsOf } = setUp(t, open);
  const ben = newUser('ben');
  const id = logIn();
  run('session.end', { user_id: ben, id });
  run('session.endOthers', { user_id: ben, keep: null, now: at(1) });
  t.strictSame(sessionsOf(), [id]);
});

onBoth('SESS8 the ends of sessions are in the commit of the change that causes them', async (t, open) => {
  const { run, ann, logIn, sessionsOf, writes } = setUp(t, open);
  const [kept, other] = [logIn(), logIn()];
  const update = (changes: object, keep_session = kept) => run('user.update', { id: ann, now: at(5), changes, keep_session });
  writes.splice(0);
  t.match(update({ firstname: 'Ann' }), { ok: true }, 'a name ends none');
  t.strictSame(writes.splice(0), ['user.update']);
  t.match(update({ hashed_password: 'new' }), { sessions: { kind: 'ended', user_id: ann, ids: [other], revoked_at: at(5) } });
  t.strictSame(writes.splice(0), ['user.update', 'session.remove', 'ended.put']);
  t.strictSame(sessionsOf(), [kept]);
  t.match(update({ is_superuser: false }), { sessions: { ids: [kept] } }, 'a demotion ends all');
  const again = ids.fresh();
  const fields = { user_id: ann, device: '', address: '', expires_at: at(999), now: at(6) };
  t.match(run('session.create', { id: again, ...fields, revoked_at: at(5) }), { ok: true });
  t.notOk('sessions' in update({ is_superuser: true }, again), 'a promotion ends none');
  t.match(update({ is_active: false }, again), { sessions: { ids: [again] } }, 'a deactivation ends all');
});

onBoth('SESS1 a user has at most 100 sessions, and the oldest ends', async (t, open) => {
  const { run, logIn, newUser, ann, sessionsOf } = setUp(t, open);
  const ben = newUser('ben');
  const bens = logIn(ben);
  const logins = Array.from({ length: MAX_SESSIONS_PER_USER }, (_, index) => logIn(ann, index));
  t.strictSame(sessionsOf(), logins);
  const input = { user_id: ann, device: '', address: '', expires_at: at(DAY_MS), revoked_at: null, now: at(200) };
  const newest = ids.fresh();
  const ended = { kind: 'ended', user_id: ann, ids: logins.slice(0, 1) };
  t.match(run('session.create', { id: newest, ...input }), { sessions: ended });
  t.notOk('sessions' in run('session.create', { id: newest, ...input }), 'the same again ends no other');
  t.strictSame(sessionsOf(), [...logins.slice(1), newest]);
  t.strictSame(sessionsOf(ben), [bens]);
});

onBoth('SESS1 expired sessions are not shown, and removed with later logins', async (t, open) => {
  const { run, logIn, ann, writes } = setUp(t, open);
  const old = Array.from({ length: 20 }, () => logIn(ann, 0, 1));
  const fresh = logIn(ann, 0, 30);
  const list = run('session.list', { user_id: ann, now: at(86_400) });
  t.match(list, { value: [{ id: fresh }] });
  t.match(run('session.live', { user_ids: [ann] }), { value: [{ sessions: { length: old.length + 1 } }] });
  writes.splice(0);
  logIn(ann, 86_401);
  logIn(ann, 86_401);
  t.strictSame(writes, ['session.remove', 'session.put', 'session.remove', 'session.put'], 'some with each');
  t.match(run('session.live', { user_ids: [ann] }), { value: [{ sessions: { length: 3 } }] });
});

onBoth('SESS1 the time is written at most once a minute', async (t, open) => {
  const { run, logIn, ann, writes } = setUp(t, open);
  const id = logIn();
  writes.splice(0);
  const seen = (seconds: number): unknown => {
    run('session.seen', { ids: [id, ids.fresh()], now: at(seconds) });
    const list = run('session.list', { user_id: ann, now: at(0) });
    return list.ok && (list.value as { last_seen: string }[])[0]?.last_seen;
  };
  t.equal(seen(59), at(0));
  t.equal(seen(60), at(60));
  t.equal(seen(119), at(60));
  t.strictSame(writes, ['session.seen']);
});

onBoth('SESS8 a login whose password was checked before the account was changed begins no session', async (t, open) => {
  const { run, ann, sessionsOf } = setUp(t, open);
  const create = (revoked_at: string | null) =>
    run('session.create', { id: ids.fresh(), user_id: ann, device: '', address: '', expires_at: at(999), revoked_at, now: at(2) });
  run('user.update', { id: ann, now: at(1), changes: { hashed_password: 'new' } });
  t.match(create(null), { ok: false, error: { code: 'unauthenticated' } }, 'with the password of before');
  t.match(create(at(1)), { ok: true });
  run('user.update', { id: ann, now: at(1), changes: { is_active: false } });
  t.match(create(at(1)), { ok: false, error: { code: 'unauthenticated' } }, 'a deactivated user');
  t.strictSame(sessionsOf(), []);
});

onBoth('a session that ended before its time says why, for the last hundred of a user', async (t, open) => {
  const { run, ann, logIn, newUser } = setUp(t, open);
  const reasonOf = (id: Uuid, seconds = 1): unknown => {
    const outcome = run('session.endReason', { id, now: at(seconds) });
    return outcome.ok ? outcome.value : outcome;
  };
  const here = logIn();
  t.equal(reasonOf(here), null, 'it goes on');
  t.equal(reasonOf(ids.fresh()), null, 'there is none');
  const ended = logIn();
  run('session.end', { user_id: ann, id: ended, ended_at: at(1) });
  t.equal(reasonOf(ended), 'ended');
  const loggedOut = logIn();
  run('session.end', { user_id: ann, id: loggedOut });
  t.equal(reasonOf(loggedOut), null, 'who logs out needs no reason');
  const [other, reused, expired] = [logIn(), logIn(), logIn(ann, 0, 1)];
  run('session.refresh', { id: reused, generation: 1, now: at(1) });
  run('session.refresh', { id: reused, generation: 1, now: at(100) });
  t.equal(reasonOf(reused), 'reused');
  t.equal(reasonOf(expired, 86_400), 'expired');
  run('session.endOthers', { user_id: ann, keep: here, now: at(2) });
  t.equal(reasonOf(other), 'ended');
  const old = run('user.update', { id: ann, now: at(3), changes: { hashed_password: 'another' }, keep_session: ids.fresh() });
  t.match(old, { ok: true });
  t.equal(reasonOf(here), 'password');

  const bob = newUser('bob');
  const first = logIn(bob);
  run('user.update', { id: bob, now: at(4), changes: { is_active: false } });
  t.equal(reasonOf(first), 'account');

  const cleo = newUser('cleo');
  const crowd = Array.from({ length: MAX_SESSIONS_PER_USER + 1 }, (_, index) => logIn(cleo, index));
  t.equal(reasonOf(crowd[0] ?? ''), 'limit');
  run('session.endOthers', { user_id: cleo, keep: null, now: at(500) });
  t.equal(reasonOf(crowd[1] ?? ''), 'ended');
  t.equal(reasonOf(crowd[0] ?? ''), null, 'forgotten');
});
