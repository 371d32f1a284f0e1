import t from 'tap';
import { ANSWER_LIFETIME_MS, LEFT_KEPT, MAX_KEPT, type AnswerToKeep } from '../../src/domain/idempotency.js';
import type { ShardCommit } from '../../src/domain/ports/shardCommit.js';
import type { Shard } from '../../src/store/shard/shard.js';
import { openShard } from '../../src/store/shard/openShard.js';
import { temporaryFolder } from '../support/store/folder.js';
import { rowsOf, ShardFollower } from '../support/store/shardFollower.js';
import { ids, NOW, temporaryShard } from './temporaryShard.js';

const [ann, ben] = [ids.fresh(), ids.fresh()];

function later(milliseconds: number): string {
  return new Date(Date.parse(NOW) + milliseconds).toISOString();
}

function answerTo(key: string, { scope = ann, body = '{}' }: { scope?: string; body?: string | null } = {}): AnswerToKeep {
  return { scope, key, fingerprint: `of ${key}`, body, shows: null, position: '7', outboxId: null };
}

function keep(shard: Shard, answers: readonly AnswerToKeep[], at = NOW): void {
  shard.transaction(() => answers.forEach((answer) => shard.answers.keep(answer, at)));
}

function keysIn(shard: Shard, scope: string, keys: readonly string[]): string[] {
  return keys.filter((key) => shard.answers.find(scope, key, NOW) !== null);
}

const numbered = (count: number, name = 'key'): string[] => Array.from({ length: count }, (_, n) => `${name} ${n}`);

t.test('IDEM1 an answer is kept with everything that belongs to it, for its user and key', async (t) => {
  const { shard, reopen } = temporaryShard(t);
  const full = { ...answerTo('full'), body: 'a "body"\0 of any text', outboxId: 3 };
  const bare = { ...answerTo('bare'), body: null, position: null, shows: { kind: 'card', id: ids.fresh() } as const };
  keep(shard, [full, bare, { ...answerTo('full', { scope: ben }), body: null }]);
  const again = reopen();
  for (const { scope, key, ...kept } of [full, bare]) t.strictSame(again.answers.find(scope, key, NOW), kept);
  t.equal(again.answers.find(ben, 'full', NOW)?.body, null);
  t.equal(again.answers.find(ben, 'bare', NOW), null);
  t.throws(() => again.answers.keep(full, NOW), /outside a transaction/);
});

t.test('IDEM20 an answer counts for a day, and is then replaced or deleted a little at a time', async (t) => {
  const { shard, sql } = temporaryShard(t);
  keep(shard, [answerTo('old')]);
  t.not(shard.answers.find(ann, 'old', later(ANSWER_LIFETIME_MS)), null);
  t.equal(shard.answers.find(ann, 'old', later(ANSWER_LIFETIME_MS + 1)), null);
  keep(shard, [{ ...answerTo('old'), body: 'new' }], later(ANSWER_LIFETIME_MS + 1));
  t.equal(shard.answers.find(ann, 'old', later(ANSWER_LIFETIME_MS + 1))?.body, 'new');
  keep(
    shard,
    numbered(10).map((key) => answerTo(key)),
    later(ANSWER_LIFETIME_MS + 1),
  );
  keep(shard, [answerTo('young')], later(ANSWER_LIFETIME_MS + 2));
  const end = later(ANSWER_LIFETIME_MS + 2);
  const removed: number[] = [];
  shard.transaction(() => removed.push(shard.answers.removeOlderThan(end, 6)));
  shard.transaction(() => removed.push(shard.answers.removeOlderThan(end, 6)));
  shard.transaction(() => removed.push(shard.answers.removeOlderThan(end, 6)));
  t.strictSame(removed, [6, 5, 0]);
  t.strictSame(sql('SELECT key FROM answer'), [['young']]);
  const large = 'x'.repeat(300_000);
  keep(
    shard,
    numbered(3, 'large').map((key) => answerTo(key, { scope: key, body: large })),
    NOW,
  );
  keep(
    shard,
    numbered(3, 'larger').map((key) => answerTo(key, { scope: key, body: large.repeat(3) })),
    NOW,
  );
  sql(`DELETE FROM answer WHERE key = 'young'`);
  shard.transaction(() => t.equal(shard.answers.removeOlderThan(end, 100), 4, 'at most some bytes at once'));
});

t.test('IDEM20 a user has a bounded number of answers, and the oldest of the same user go first', async (t) => {
  const { shard, reopen, sql } = temporaryShard(t);
  const bens = numbered(5, 'of ben');
  keep(
    shard,
    bens.map((key) => answerTo(key, { scope: ben })),
  );
  const keys = numbered(3 * MAX_KEPT.answers);
  let most = 0;
  const count = (): number => Number((sql(`SELECT count(*) FROM answer WHERE scope = '${ann}'`) as number[][])[0]?.[0]);
  for (let at = 0; at < keys.length; at += 100) {
    keep(
      shard,
      keys.slice(at, at + 100).map((key) => answerTo(key)),
    );
    most = Math.max(most, count());
  }
  t.ok(most <= MAX_KEPT.answers, `${most} at most`);
  t.ok(count() >= LEFT_KEPT.answers, `${count()} are left`);
  t.strictSame(keysIn(shard, ann, keys), keys.slice(-count()), 'the latest');
  t.strictSame(keysIn(shard, ben, bens), bens, 'others have all of theirs');
  const again = reopen();
  keep(
    again,
    numbered(300, 'after a restart').map((key) => answerTo(key)),
  );
  t.ok(count() <= MAX_KEPT.answers, 'what a restart found counts too');
});

t.test('IDEM20 and a bounded number of bytes, keys of any length included', async (t) => {
  const { shard, sql } = temporaryShard(t);
  const bytes = (): number => Number((sql(`SELECT sum(length(key) + coalesce(length(body), 0)) FROM answer`) as number[][])[0]?.[0]);
  keep(
    shard,
    numbered(100, 'x'.repeat(200)).map((key) => answerTo(key, { body: 'x'.repeat(60_000) })),
  );
  t.ok(bytes() <= MAX_KEPT.bytes, `${bytes()} bytes`);
  t.ok(bytes() >= 0.9 * LEFT_KEPT.bytes);
  keep(shard, [answerTo('enormous', { body: 'x'.repeat(3 * MAX_KEPT.bytes) })]);
  t.strictSame(sql('SELECT key FROM answer'), [['enormous']], 'the newest stays');
  keep(shard, [answerTo('next')]);
  t.strictSame(sql('SELECT key FROM answer'), [['next']]);
});

t.test('IDEM20 a failed commit makes no room that is not there', async (t) => {
  const { shard, sql } = temporaryShard(t);
  keep(
    shard,
    numbered(MAX_KEPT.answers).map((key) => answerTo(key)),
  );
  for (let n = 0; n < 20; n += 1) {
    shard.begin();
    shard.answers.keep(answerTo(`undone ${n}`), NOW);
    shard.rollback();
  }
  t.strictSame(sql('SELECT count(*) FROM answer'), [[MAX_KEPT.answers]]);
  keep(shard, [answerTo('one more')]);
  t.strictSame(sql(`SELECT count(*) <= ${MAX_KEPT.answers}, max(key = 'one more') FROM answer`), [[1, 1]]);
});

t.test('IDEM29 a copy that only applies commits has the same answers, and goes on with them', async (t) => {
  const [dataDir, copyDir] = [await temporaryFolder(t), await temporaryFolder(t)];
  const follower = new ShardFollower(t, copyDir);
  const commits: ShardCommit[] = [];
  const onCommit = (commit: ShardCommit): void => {
    commits.push(commit);
    follower.apply(commit);
  };
  const shard = openShard({ dataDir, shard: 0, shards: 1, durability: 'normal', onCommit });
  t.teardown(() => shard.close());
  for (const key of numbered(MAX_KEPT.answers + 50)) keep(shard, [answerTo(key), answerTo(key, { scope: ben, body: null })]);
  keep(shard, [{ ...answerTo('shown'), body: null, shows: { kind: 'column', id: ids.fresh() } }]);
  keep(shard, [answerTo('shown')], later(2 * ANSWER_LIFETIME_MS));
  shard.transaction(() => shard.answers.removeOlderThan(later(ANSWER_LIFETIME_MS), 20));
  t.ok(commits.some(({ writes }) => writes.some(({ op }) => op === 'answer.remove')));
  t.strictSame(rowsOf(copyDir), rowsOf(dataDir));
});
