import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { DirectoryCommand } from '../../src/domain/commands/directoryCommands.js';
import { IdSource } from '../../src/domain/ids.js';
import type { DirectoryCommit } from '../../src/domain/directory/tables.js';
import { DIRECTORY_FILE } from '../../src/store/folder/dataFolder.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { temporaryFolder } from '../support/store/folder.js';
import { MemoryDirectory } from '../support/store/memoryDirectory.js';
import { rowsOf } from '../support/store/shardFollower.js';
import { sql } from '../support/store/sqlFile.js';
import { timeForRuns } from '../support/timeForRuns.js';

const ids = new IdSource();
const USERS = Array.from({ length: 5 }, () => ids.fresh());
const BOARDS = Array.from({ length: 4 }, () => ids.fresh());
const SESSIONS = Array.from({ length: 6 }, () => ids.fresh());
const KEYS = Array.from({ length: 4 }, () => ids.fresh());
const NOW = '2030-01-01T00:00:00.000Z';
const LATER = '2030-01-02T00:00:00.000Z';
const AFTER = '2030-01-02T00:00:01.000Z';

const user = fc.constantFrom(...USERS);
const board = fc.constantFrom(...BOARDS);
const session = fc.constantFrom(...SESSIONS);
const apiKey = fc.constantFrom(...KEYS);
const name = fc.constantFrom('ann', 'Ann', 'ben', 'ann@example.org', 'cleo');
const now = fc.constantFrom(NOW, LATER);
/** Days apart: an answer is kept for one. */
const times = fc.constantFrom(NOW, LATER, '2030-01-04T00:00:00.000Z');
const flag = fc.boolean();
const secret = fc.constantFrom('one', 'two');
const step = fc.option(fc.nat(5));
const proof = fc.oneof(
  fc.record({ kind: fc.constant('totp'), sealed_secret: secret, step }),
  fc.record({ kind: fc.constant('recovery'), hash: fc.constantFrom('a', 'b', 'c') }),
);
const auditEntry = fc.record({ at: times, id: session, user_id: fc.option(user), details: fc.dictionary(fc.string(), fc.nat()) }).map((fields) => {
  return { ...fields, kind: 'login', username: null, subject_id: null, subject: null, address: '192.0.2.1', device: null };
});

function profileOf(id: string, firstname: string | null): object {
  const flags = { is_active: true, is_verified: false, is_superuser: false };
  return { id, email: `${id}@example.org`, username: id, firstname, lastname: null, ...flags };
}

const commands: fc.Arbitrary<DirectoryCommand> = fc.oneof(
  fc.record({ id: user, username: name, email: name, now }).map(({ id, username, email, now }) => {
    const rest = { hashed_password: 'hash', firstname: null, lastname: null, is_superuser: false };
    return { op: 'user.create', input: { id, username, email: `${email}@example.org`, ...rest, now } };
  }),
  fc.record({ id: user, firstname: name, is_active: flag, is_verified: flag, now }).map(({ id, now, ...changes }) => {
    return { op: 'user.update', input: { id, changes, now } };
  }),
  fc
    .record({ board_id: board, version: fc.nat(30), members: fc.array(fc.record({ user_id: user, stays: flag }), { maxLength: 3 }) })
    .map(({ board_id, version, members }) => {
      const changed = members.map(({ user_id, stays }) => ({ user_id, profile: stays ? profileOf(user_id, 'old') : null }));
      return { op: 'membership.apply', input: { board_id, version, members: changed } };
    }),
  board.map((board_id) => ({ op: 'membership.apply', input: { board_id, version: 40, members: 'none left' } })),
  fc.record({ user_id: user, board_id: board, now, max: fc.constantFrom(1, 2) }).map((input) => ({ op: 'board.reserve', input })),
  board.map((board_id) => ({ op: 'board.release', input: { board_id } })),
  fc.record({ user_id: user, wanted: fc.nat(4), max: fc.constant(5), now }).map((input) => ({ op: 'grant.reserve', input })),
  fc.record({ user_id: user, count: fc.nat(4), now }).map((input) => ({ op: 'grant.release', input })),
  fc.nat(12).map((id) => ({ op: 'outbox.delivered', input: { id } })),
  fc
    .record({ id: user, firstname: name, key: fc.constantFrom('a', 'b', 'c'), fingerprint: fc.constantFrom('a', 'a', 'b'), now: times })
    .map(({ id, firstname, key, fingerprint, now }) => {
      const command = { op: 'user.update', input: { id, changes: { firstname }, now } };
      return { op: 'once', input: { scope: id, key, fingerprint, now, command } };
    }),
  fc.record({ id: session, user_id: user, now, revoked_at: fc.constantFrom(null, NOW, LATER) }).map((input) => {
    return { op: 'session.create', input: { ...input, device: 'x', address: 'y', expires_at: AFTER } };
  }),
  fc.record({ id: session, generation: fc.integer({ min: 1, max: 4 }), now }).map((input) => ({ op: 'session.refresh', input })),
  fc.record({ user_id: user, id: session }).map((input) => ({ op: 'session.end', input })),
  fc.record({ user_id: user, keep: fc.option(session), now }).map((input) => ({ op: 'session.endOthers', input })),
  fc.record({ ids: fc.array(session, { maxLength: 3 }), now }).map((input) => ({ op: 'session.seen', input })),
  fc
    .record({ id: apiKey, user_id: user, board_ids: fc.option(fc.array(board, { maxLength: 2 })), expires_at: fc.option(times), now })
    .map((input) => {
      return { op: 'key.create', input: { ...input, name: 'x', prefix: 'swb_', token_hash: input.id, scopes: ['read'] } };
    }),
  fc.record({ user_id: user, id: apiKey }).map((input) => ({ op: 'key.remove', input })),
  fc.record({ ids: fc.array(apiKey, { maxLength: 3 }), now: times }).map((input) => ({ op: 'session.seen', input })),
  fc.record({ hash: fc.constantFrom('a', 'b', 'c'), expires_at: times, now: times }).map((input) => ({ op: 'token.spend', input })),
  fc.record({ user_id: user, sealed_secret: secret, now }).map((input) => ({ op: 'factor.begin', input })),
  fc.record({ user_id: user, sealed_secret: secret, step, keep_session: fc.option(session), now }).map((input) => {
    return { op: 'factor.confirm', input: { ...input, recovery_hashes: ['a', 'b'] } };
  }),
  fc.record({ user_id: user, proof, now }).map((input) => ({ op: 'factor.prove', input })),
  fc.record({ user_id: user, proof, now }).map((input) => ({ op: 'factor.renewCodes', input: { ...input, recovery_hashes: ['c'] } })),
  fc.record({ user_id: user, proof: fc.option(proof), now }).map((input) => ({ op: 'factor.remove', input: { ...input, keep_session: null } })),
  fc.array(auditEntry, { minLength: 1, maxLength: 3 }).map((entries) => ({ op: 'audit.add', input: { entries } })),
  fc.record({ id: user, firstname: name, now, audit: auditEntry }).map(({ id, firstname, now, audit }) => {
    return { op: 'user.update', input: { id, changes: { firstname }, now }, audit };
  }),
  fc
    .record({ id: user, hash: fc.constantFrom('a', 'b', 'c'), email: name, hashed_password: fc.constantFrom('hash', 'new'), now: times })
    .map(({ id, hash, email, hashed_password, now }) => {
      const expected = { email: `${email}@example.org` };
      return { op: 'user.redeem', input: { id, hash, expires_at: AFTER, expected, changes: { hashed_password, is_verified: true }, now } };
    }),
  fc
    .record({
      subject: fc.constantFrom('a', 'b', 'c'),
      local: name,
      newcomer: user,
      isNew: flag,
      is_email_verified: flag,
      is_superuser: fc.option(flag),
      now,
    })
    .map(({ local, newcomer: id, isNew, ...input }) => {
      const newcomer = { id, usernames: ['free', `${id}-2`], hashed_password: 'x', firstname: null, lastname: null };
      return {
        op: 'identity.enter',
        input: { ...input, issuer: 'https://id.example.org', email: `${local}@example.org`, ...(isNew ? { newcomer } : {}) },
      };
    }),
  fc.record({ id: user, heir_id: fc.option(user), now }).map((input) => ({ op: 'user.delete', input })),
  user.map((id) => ({ op: 'user.get', input: { id, with: 'sessions' } })),
) as fc.Arbitrary<DirectoryCommand>;

const FAULT = `CREATE TRIGGER fault BEFORE UPDATE ON commit_number BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`;
const batch = fc.record({
  commands: fc.array(commands, { minLength: 1, maxLength: 5 }),
  weather: fc.constantFrom('fair', 'fair', 'fair', 'restart', 'the commit fails'),
});

t.test('a copy of the directory that only applies its commits has the same rows after every operation', async (t) => {
  const [ownFolder, copyFolder] = [await temporaryFolder(t), await temporaryFolder(t)];
  const open = (dataDir: string, onCommit: (commit: DirectoryCommit) => void = () => undefined): RunningDirectory =>
    new RunningDirectory({ dataDir, durability: 'normal', onError: () => undefined, onCommit });
  const copy = open(copyFolder);
  const follow = (commit: DirectoryCommit): void => copy.apply(JSON.parse(JSON.stringify(commit)) as DirectoryCommit);
  let original = open(ownFolder, follow);
  let accepted = 0;
  const isTime = timeForRuns(10_000);
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 5, maxLength: 20 }), async (batches) => {
      if (!isTime()) return;
      for (const { commands, weather } of batches) {
        if (weather === 'restart') {
          original.close();
          original = open(ownFolder, follow);
        }
        if (weather === 'the commit fails') sql(`${ownFolder}/${DIRECTORY_FILE}`, FAULT);
        const outcomes = original.runNow(commands);
        if (weather === 'the commit fails') sql(`${ownFolder}/${DIRECTORY_FILE}`, 'DROP TRIGGER fault');
        else accepted += outcomes.filter(({ ok }) => ok).length;
      }
    }),
    { numRuns: 60, endOnFailure: true },
  );
  t.ok(accepted > 100, `${accepted} commands were accepted`);
  t.ok(copy.number > 50, `${copy.number} commits`);
  t.equal(copy.number, original.number);
  const after = [copyFolder, ownFolder].map((folder) => rowsOf(folder, DIRECTORY_FILE));
  copy.close();
  original.close();
  t.strictSame(after[0], after[1]);
});

t.test('rows in memory and rows in a file lead to the same answers and the same commits', async (t) => {
  const file = new RunningDirectory({
    dataDir: await temporaryFolder(t),
    durability: 'normal',
    onError: () => undefined,
    onCommit: (commit) => stored.push(commit),
  });
  t.teardown(() => file.close());
  const memory = new MemoryDirectory({ onError: () => undefined, onCommit: (commit) => expected.push(commit) });
  const [stored, expected]: [DirectoryCommit[], DirectoryCommit[]] = [[], []];
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(batch, { minLength: 5, maxLength: 20 }), (batches) => {
      for (const { commands } of batches) {
        const outcomes = memory.runNow(commands);
        assert.deepEqual(file.runNow(commands), outcomes);
        assert.deepEqual(stored.splice(0), expected.splice(0));
        accepted += outcomes.filter(({ ok }) => ok).length;
      }
    }),
    { numRuns: 60, interruptAfterTimeLimit: 10_000, endOnFailure: true },
  );
  t.ok(accepted > 100, `${accepted} commands were accepted`);
  t.equal(file.number, memory.number);
});

t.test('a commit that is not the next is refused, and changes nothing', async (t) => {
  const folder = await temporaryFolder(t);
  const directory = new RunningDirectory({ dataDir: folder, durability: 'normal', onError: () => undefined });
  t.teardown(() => directory.close());
  const writes = [{ op: 'pending.add', id: 1, user_id: USERS[0] ?? '' }] as const;
  directory.apply({ number: 1, writes });
  for (const number of [1, 3]) t.throws(() => directory.apply({ number, writes }), /does not follow commit 1/);
  t.throws(() => directory.apply({ number: 2, writes: [{ op: 'unheard of' } as never] }), /unknown kind: "unheard of"/);
  t.equal(directory.number, 1);
});
