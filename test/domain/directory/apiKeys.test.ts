import type { Test } from 'tap';
import t from 'tap';
import { MAX_KEYS_PER_USER } from '../../../src/domain/account/apiKey.js';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation } from '../../../src/domain/commands/directoryCommands.js';
import type { DirectoryCommit } from '../../../src/domain/directory/tables.js';
import { IdSource, type Uuid } from '../../../src/domain/ids.js';
import type { DirectoryOutcome } from '../../support/store/memoryDirectory.js';
import { onBoth, openInFile, type OpenDirectory } from '../../support/store/directories.js';

const ids = new IdSource();
const START = Date.parse('2030-01-01T00:00:00.000Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

type NewKey = DirectoryCommands['key.create']['input'];

function setUp(t: Test, open: OpenDirectory) {
  const writes: string[] = [];
  const options = { dataDir: t.testdir(), onCommit: (commit: DirectoryCommit) => writes.push(...commit.writes.map(({ op }) => op)) };
  let directory = open(t, options);
  const reopen = (): void => {
    directory.close();
    directory = open(t, options);
  };
  const run = <Op extends DirectoryOperation>(op: Op, input: DirectoryCommands[Op]['input']): DirectoryOutcome => {
    const [outcome] = directory.runNow([{ op, input } as unknown as DirectoryCommand]);
    if (outcome === undefined) throw new Error('no outcome');
    return outcome;
  };
  const newUser = (username: string, is_superuser = false): Uuid => {
    const id = ids.fresh();
    const names = { email: `${username}@example.org`, username, firstname: null, lastname: null };
    run('user.create', { id, ...names, hashed_password: 'a hash', is_superuser, now: at(0) });
    return id;
  };
  const ann = newUser('ann');
  const keyOf = (fields: Partial<NewKey> = {}): NewKey => {
    const id = ids.fresh();
    const rest = { name: 'nightly', prefix: 'swb_ab12', token_hash: `hash of ${id}`, scopes: ['read'] } as const;
    return { id, user_id: ann, ...rest, board_ids: null, expires_at: null, now: at(0), ...fields };
  };
  const idsOf = (user_id = ann): Uuid[] => {
    const outcome = run('key.list', { user_id });
    return outcome.ok ? (outcome.value as { id: Uuid }[]).map(({ id }) => id) : [];
  };
  return { writeFor: (schema: number) => directory.writeFor(schema), reopen, run, writes, newUser, ann, keyOf, idsOf };
}

onBoth('KEY1 a key is found by its hash and listed without it', async (t, open) => {
  const { run, keyOf, ann } = setUp(t, open);
  const boards = [ids.fresh(), ids.fresh()];
  const key = keyOf({ scopes: ['read', 'write'], board_ids: boards, expires_at: at(60) });
  t.match(run('key.create', key), { ok: true, value: true });
  const { id, user_id, scopes, board_ids, expires_at, name, prefix } = key;
  const found = { id, user_id, scopes, board_ids, expires_at };
  const outcome = run('key.find', { hashes: ['unknown', key.token_hash] });
  t.strictSame(outcome.ok && outcome.value, [null, found]);
  const listed = run('key.list', { user_id: ann });
  t.strictSame(listed.ok && listed.value, [{ ...found, name, prefix, created_at: at(0), last_used: null }]);
});

onBoth('KEY1 a list of keys has no hash', async (t, open) => {
  const { run, keyOf, ann } = setUp(t, open);
  const key = keyOf();
  run('key.create', key);
  t.notOk(JSON.stringify(run('key.list', { user_id: ann })).includes(key.token_hash));
});

onBoth('KEY3 a user has at most so many keys; expired ones go, and others are not touched', async (t, open) => {
  const { run, keyOf, idsOf, newUser } = setUp(t, open);
  const ben = newUser('ben');
  run('key.create', keyOf({ user_id: ben, expires_at: at(1) }));
  for (let n = 0; n < MAX_KEYS_PER_USER; n += 1) t.match(run('key.create', keyOf({ expires_at: n === 0 ? at(10) : null })), { ok: true });
  const beyond = { ok: false, error: { code: 'limit', detail: /at most 100 API keys/ } };
  t.match(run('key.create', keyOf({ now: at(9) })), beyond);
  t.match(run('key.create', keyOf({ now: at(10) })), { ok: true }, 'the expired one does not count');
  t.match(run('key.create', keyOf({ now: at(11) })), beyond);
  t.equal(idsOf().length, MAX_KEYS_PER_USER);
  t.equal(idsOf(ben).length, 1, 'an expired one of another user stays listed');
});

onBoth('KEY5 only a superuser has the scope admin', async (t, open) => {
  const { run, keyOf, newUser } = setUp(t, open);
  const root = newUser('root', true);
  t.match(run('key.create', keyOf({ scopes: ['read', 'admin'] })), { ok: false, error: { code: 'forbidden' } });
  t.match(run('key.create', keyOf({ scopes: ['read', 'admin'], user_id: root })), { ok: true });
});

onBoth('KEY10 a revocation is published; only the own user can revoke', async (t, open) => {
  const { run, keyOf, ann, idsOf, newUser, writes } = setUp(t, open);
  const key = keyOf();
  run('key.create', key);
  writes.splice(0);
  t.match(run('key.remove', { user_id: newUser('ben'), id: key.id }), { ok: true, value: false });
  t.strictSame(idsOf(), [key.id]);
  t.match(run('user.get', { id: ann, with: 'sessions' }), { value: { live: { keys: [key.id] } } });
  t.match(run('session.live', { user_ids: [ann] }), { value: [{ keys: [key.id] }] });
  const ended = { kind: 'ended', user_id: ann, ids: [key.id], revoked_at: null };
  t.match(run('key.remove', { user_id: ann, id: key.id }), { ok: true, value: true, sessions: ended });
  const again = run('key.remove', { user_id: ann, id: key.id });
  t.match(again, { ok: true, value: false });
  t.notOk('sessions' in again);
  t.match(run('key.find', { hashes: [key.token_hash] }), { value: [null] });
  t.match(run('user.get', { id: ann, with: 'sessions' }), { value: { live: { keys: { length: 0 } } } });
});

onBoth('KEY10 a new password ends no key, and a deactivated user gets none', async (t, open) => {
  const { run, keyOf, ann, idsOf } = setUp(t, open);
  const key = keyOf();
  run('key.create', key);
  const changed = run('user.update', { id: ann, now: at(1), changes: { hashed_password: 'another' } });
  t.match(changed, { sessions: { kind: 'ended', ids: { length: 0 } } });
  run('session.endOthers', { user_id: ann, keep: ids.fresh(), now: at(2) });
  t.strictSame(idsOf(), [key.id]);
  run('user.update', { id: ann, now: at(3), changes: { is_active: false } });
  t.match(run('key.create', keyOf()), { ok: false, error: { code: 'forbidden' } });
});

onBoth('KEY3 the last use is written at most once a minute', async (t, open) => {
  const { run, keyOf, ann, writes } = setUp(t, open);
  const key = keyOf();
  run('key.create', key);
  const lastUsed = (): unknown => {
    const outcome = run('key.list', { user_id: ann });
    return outcome.ok && (outcome.value as { last_used: string }[])[0]?.last_used;
  };
  run('session.seen', { ids: [key.id, ids.fresh()], now: at(5) });
  t.equal(lastUsed(), at(5), 'the first use');
  writes.splice(0);
  run('session.seen', { ids: [key.id], now: at(64) });
  t.strictSame(writes, []);
  run('session.seen', { ids: [key.id], now: at(65) });
  t.strictSame(writes, ['key.used']);
  t.equal(lastUsed(), at(65));
});

onBoth('KEY5 a repeated creation changes nothing, also of a key that was used', async (t, open) => {
  const { run, keyOf, ann, writes } = setUp(t, open);
  const key = keyOf();
  run('key.create', key);
  run('session.seen', { ids: [key.id], now: at(70) });
  writes.splice(0);
  t.match(run('key.create', key), { ok: true, value: true });
  t.strictSame(writes, []);
  t.match(run('key.list', { user_id: ann }), { value: [{ last_used: at(70) }] });
});

t.test('KEY10 keys and their ends outlive a restart', async (t) => {
  const { run, keyOf, ann, idsOf, reopen } = setUp(t, openInFile);
  const [kept, revoked] = [keyOf(), keyOf()];
  for (const key of [kept, revoked]) run('key.create', key);
  run('key.remove', { user_id: ann, id: revoked.id });
  reopen();
  t.strictSame(idsOf(), [kept.id]);
  t.match(run('key.find', { hashes: [kept.token_hash, revoked.token_hash] }), { value: [{ id: kept.id }, null] });
});

onBoth('TOTP11 while a program without keys must be able to read the commits, none are made', async (t, open) => {
  const { run, keyOf, writeFor, writes } = setUp(t, open);
  writeFor(14);
  writes.splice(0);
  t.match(run('key.create', keyOf()), { ok: false, error: { code: 'unavailable' } });
  run('session.seen', { ids: [ids.fresh()], now: at(70) });
  t.strictSame(writes, []);
  writeFor(15);
  t.match(run('key.create', keyOf()), { ok: true });
});

onBoth('KEY8 with some boards, only users of these are found, and others by their exact name', async (t, open) => {
  const { run, newUser, ann } = setUp(t, open);
  const [ben, cleo] = [newUser('ben'), newUser('cleo')];
  const [withBen, withCleo] = [ids.fresh(), ids.fresh()];
  const profileOf = (id: Uuid) => {
    const outcome = run('user.get', { id });
    if (!outcome.ok) throw new Error('no user');
    return outcome.value as NonNullable<DirectoryCommands['user.get']['output']>;
  };
  const join = (board_id: Uuid, users: readonly Uuid[]): DirectoryOutcome =>
    run('membership.apply', { board_id, version: 1, members: users.map((id) => ({ user_id: id, profile: profileOf(id) })) });
  join(withBen, [ann, ben]);
  join(withCleo, [ann, cleo]);
  const search = (boards: Uuid[] | undefined, text: string | null): string[] => {
    const outcome = run('user.search', { search: text, limit: 9, offset: 0, visibleTo: ann, ...(boards && { boards }) });
    return outcome.ok ? (outcome.value as { username: string }[]).map(({ username }) => username) : [];
  };
  t.strictSame(search(undefined, null), ['ann', 'ben', 'cleo']);
  t.strictSame(search([withBen], null), ['ann', 'ben']);
  t.strictSame(search([ids.fresh()], null), ['ann']);
  t.strictSame(search([withBen], 'cle'), []);
  t.strictSame(search([withBen], 'cleo'), ['cleo']);
  t.match(run('user.sharesBoard', { user_id: ann, other_id: cleo, boards: [withBen] }), { value: false });
  t.match(run('user.sharesBoard', { user_id: ann, other_id: cleo, boards: [withBen, withCleo] }), { value: true });
  t.match(run('user.sharesBoard', { user_id: ann, other_id: ann, boards: [] }), { value: true });
});
