import t from 'tap';
import { ACTIVITY } from '../../src/domain/board/laterFields.js';
import { FACT_BYTES, MAX_LOOKED_THROUGH, type ActivityRange } from '../../src/domain/board/activity/activityOnDisk.js';
import type { Activity } from '../../src/domain/board/activity/facts.js';
import type { Shard } from '../../src/store/shard/shard.js';
import { createBoard, ids, NOW, temporaryShard } from './temporaryShard.js';

const CARD = ids.fresh();
const USER = ids.fresh();
const ALL: ActivityRange = { before: null, after: -1, card_id: null };

function activityOf(first: number, count: number, fields: Partial<Activity['facts'][number]> = {}): Activity {
  const facts = Array.from({ length: count }, (_, n) => {
    return { seq: first + n, kind: 'card.updated', user_id: USER, card_id: CARD, json: '{"id":"x"}', ...fields } as const;
  });
  return { first, facts, former: [] };
}

function append(shard: Shard, key: string, activity: Activity, at = NOW): void {
  shard.transaction(() => shard.write(key, [], [], 0, at, activity));
}

function seqs(shard: Shard, key: string, range: Partial<ActivityRange> = {}): number[] {
  return [...shard.onDiskOf(key).activity.read({ ...ALL, ...range })].map(({ seq }) => seq);
}

t.test('ACTIVITY1 facts are read newest first, by board and card and between numbers, also after a restart', (t) => {
  const { shard, reopen } = temporaryShard(t);
  const [a, b] = [createBoard(shard), createBoard(shard)];
  append(shard, a.key, activityOf(1, 2));
  append(shard, b.key, activityOf(1, 1));
  append(shard, a.key, activityOf(3, 2, { card_id: null, user_id: null }));
  const again = reopen();
  t.strictSame(seqs(again, a.key), [4, 3, 2, 1]);
  t.strictSame(seqs(again, a.key, { card_id: CARD }), [2, 1]);
  t.strictSame(seqs(again, a.key, { before: 4, after: 1 }), [3, 2]);
  t.strictSame(seqs(again, b.key), [1]);
  const [newest] = again.onDiskOf(a.key).activity.read(ALL);
  t.strictSame({ ...newest }, { seq: 4, first: 3, at: NOW, user_id: null, kind: 'card.updated', card_id: null, json: '{"id":"x"}' });
  t.end();
});

t.test('ACTIVITY1 a read of a card looks through so many facts of its board, and says where it ended', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  append(shard, key, activityOf(1, 3));
  append(shard, key, activityOf(4, MAX_LOOKED_THROUGH - 1, { card_id: null }));
  const { activity } = shard.onDiskOf(key);
  const end = activity.endOf({ ...ALL, card_id: CARD });
  t.equal(end, 3);
  t.strictSame(seqs(shard, key, { card_id: CARD }), [3]);
  t.equal(activity.endOf({ ...ALL, card_id: CARD, before: end }), null);
  t.strictSame(seqs(shard, key, { card_id: CARD, before: end }), [2, 1], 'it goes on there');
  t.equal(activity.endOf({ ...ALL, card_id: CARD, after: 2 }), null, 'there are just as many');
  t.equal(activity.endOf({ ...ALL, card_id: CARD, after: 1 }), 3);
  t.end();
});

t.test('ACTIVITY1 each read is answered by an index', (t) => {
  const { shard, sql } = temporaryShard(t);
  createBoard(shard);
  const plan = (where: string): string => JSON.stringify(sql(`EXPLAIN QUERY PLAN SELECT json FROM activity WHERE ${where} ORDER BY seq DESC`));
  t.match(plan("board_key = 'a' AND seq < 9 AND seq > 1"), /USING INDEX activity_of_board \(board_key=\? AND seq>\? AND seq<\?\)/);
  const ofCard = plan("board_key = 'a' AND card_id = 'b' AND seq < 9 AND seq > 1");
  t.match(ofCard, /USING INDEX activity_of_board \(board_key=\? AND seq>\? AND seq<\?\)/);
  t.notMatch(ofCard, /TEMP B-TREE/);
  t.end();
});

t.test('ACTIVITY1 the oldest facts of a board go when all take too much, a few at a time', (t) => {
  const { shard } = temporaryShard(t);
  const [a, b] = [createBoard(shard), createBoard(shard)];
  const size = FACT_BYTES + '{"id":"x"}'.length;
  append(shard, a.key, activityOf(1, 10));
  append(shard, b.key, activityOf(1, 3));
  const prune = (bytes: number, limit: number): void => shard.transaction(() => shard.activity.pruneToBytes(a.key, bytes, limit));
  prune(10 * size, 100);
  t.equal(seqs(shard, a.key).length, 10, 'they fit');
  prune(4 * size, 2);
  t.strictSame(seqs(shard, a.key), [10, 9, 8, 7, 6, 5, 4, 3]);
  prune(4 * size, 100);
  t.strictSame(seqs(shard, a.key), [10, 9, 8, 7]);
  append(shard, a.key, activityOf(11, 1));
  prune(4 * size, 100);
  t.strictSame(seqs(shard, a.key), [11, 10, 9, 8]);
  t.equal(seqs(shard, b.key).length, 3, 'other boards keep theirs');
  t.end();
});

t.test('ACTIVITY1 facts of a certain age go, some at a time, oldest first', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  append(shard, key, activityOf(1, 5), '2029-01-01T00:00:00.000Z');
  append(shard, key, activityOf(6, 2));
  const prune = (): void => shard.transaction(() => shard.activity.pruneOlderThan('2029-06-01T00:00:00.000Z', 3));
  prune();
  t.strictSame(seqs(shard, key), [7, 6, 5, 4]);
  prune();
  prune();
  t.strictSame(seqs(shard, key), [7, 6]);
  t.end();
});

t.test('ACTIVITY1 it goes with its board, and no name of a former member stays', (t) => {
  const { shard, sql } = temporaryShard(t);
  const [gone, kept] = [createBoard(shard), createBoard(shard)];
  for (const { key } of [gone, kept]) {
    append(shard, key, { ...activityOf(1, 600), former: [{ user_id: USER, username: 'ben' }] });
    t.equal(shard.onDiskOf(key).activity.formerName(USER), 'ben');
  }
  shard.transaction(() => shard.removeBoard(gone.key, NOW));
  for (let step = 0; !shard.orphans.isSwept(() => false); step += 1) {
    if (step > 20) return void t.fail('the sweep does not end');
    shard.transaction(() => shard.orphans.sweep(() => false, NOW));
  }
  t.strictSame(sql('SELECT board_key, count(*) FROM activity GROUP BY board_key'), [[kept.key, 600]]);
  t.strictSame(sql('SELECT board_key FROM former_member'), [[kept.key]]);
  append(shard, kept.key, { first: 601, facts: [], former: [{ user_id: USER, username: null }] });
  t.strictSame(sql('SELECT * FROM former_member'), []);
  t.end();
});

t.test('ACTIVITY1 a program that writes for an older one removes no facts, because that one would not understand it', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  append(shard, key, activityOf(1, 3));
  shard.writeFor(ACTIVITY - 1);
  shard.transaction(() => shard.activity.pruneToBytes(key, 0, 100));
  t.strictSame(seqs(shard, key), [3, 2, 1]);
  shard.writeFor(ACTIVITY);
  shard.transaction(() => shard.activity.pruneToBytes(key, 0, 100));
  t.strictSame(seqs(shard, key), []);
  t.end();
});
