import t from 'tap';
import type { BoardEvent } from '../../src/domain/events.js';
import type { Shard } from '../../src/store/shard/shard.js';
import { createBoard, NOW, temporaryShard } from './temporaryShard.js';

function events(from: number, to: number): BoardEvent[] {
  return Array.from({ length: to - from + 1 }, (_, n) => ({
    seq: from + n,
    type: 'card.updated',
    json: `{"type":"card.updated","n":${from + n}}`,
  }));
}

function append(shard: Shard, key: string, from: number, to: number, at = NOW): void {
  shard.transaction(() => shard.write(key, [], events(from, to), to, at));
}

function seqs(shard: Shard, key: string): number[] {
  return shard.events.since(key, 0, 1_000).map(({ seq }) => seq);
}

t.test('CATCH6 events are kept in order and read from any number, in pages', (t) => {
  const { shard, reopen } = temporaryShard(t);
  const [a, b] = [createBoard(shard), createBoard(shard)];
  append(shard, a.key, 1, 3);
  append(shard, b.key, 1, 2);
  append(shard, a.key, 4, 5);
  const again = reopen();
  t.strictSame(again.events.since(a.key, 0, 100), events(1, 5));
  t.strictSame(again.events.since(a.key, 2, 2), events(3, 4));
  t.strictSame(again.events.since(a.key, 5, 100), []);
  t.strictSame(again.events.since(b.key, 1, 100), events(2, 2));
  t.equal(again.loadBoard(a.key)?.seq, 5);
  t.end();
});

t.test('CATCH6 a page ends with the event that makes it too long', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  append(shard, key, 1, 5);
  const [first] = shard.events.since(key, 0, 1);
  const length = first?.json.length ?? 0;
  t.strictSame(shard.events.since(key, 0, 100, 2 * length), events(1, 2));
  t.strictSame(shard.events.since(key, 0, 100, 2 * length + 1), events(1, 3));
  t.strictSame(shard.events.since(key, 3, 100, 1), events(4, 4), 'there is always one');
  append(shard, key, 6, 6);
  t.strictSame(shard.events.since(key, 5, 100), events(6, 6), 'an unfinished read blocks nothing');
  t.end();
});

t.test('CATCH6 a number is used once', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  append(shard, key, 1, 2);
  t.throws(() => append(shard, key, 2, 3), { code: 'SQLITE_CONSTRAINT_UNIQUE' });
  t.strictSame(seqs(shard, key), [1, 2]);
  t.end();
});

t.test('CATCH6 pruning by number deletes the older events of that board only, never its number', (t) => {
  const { shard } = temporaryShard(t);
  const [a, b] = [createBoard(shard), createBoard(shard)];
  t.equal(shard.events.oldestSeq(a.key), null);
  append(shard, a.key, 1, 5);
  append(shard, b.key, 1, 5);
  t.equal(shard.events.oldestSeq(a.key), 1);
  shard.transaction(() => shard.events.prune(a.key, 4));
  t.strictSame(seqs(shard, a.key), [4, 5]);
  t.equal(shard.events.oldestSeq(a.key), 4);
  t.strictSame(seqs(shard, b.key), [1, 2, 3, 4, 5]);
  shard.transaction(() => shard.events.prune(a.key, 6));
  t.equal(shard.events.oldestSeq(a.key), null);
  t.equal(shard.loadBoard(a.key)?.seq, 5);
  append(shard, a.key, 6, 6);
  t.strictSame(seqs(shard, a.key), [6]);
  t.end();
});

t.test('CATCH6 pruning by size deletes the oldest events of that board, and keeps what fits', (t) => {
  const { shard } = temporaryShard(t);
  const [a, b] = [createBoard(shard), createBoard(shard)];
  append(shard, a.key, 1, 5);
  append(shard, b.key, 1, 5);
  const [first] = shard.events.since(a.key, 0, 1);
  const size = Buffer.byteLength(first?.json ?? '');
  shard.transaction(() => shard.events.pruneToBytes(a.key, 5 * size));
  t.strictSame(seqs(shard, a.key), [1, 2, 3, 4, 5], 'they fit');
  shard.transaction(() => shard.events.pruneToBytes(a.key, 3 * size));
  t.strictSame(seqs(shard, a.key), [3, 4, 5]);
  shard.transaction(() => shard.events.pruneToBytes(a.key, 0));
  t.strictSame([seqs(shard, a.key), seqs(shard, b.key)], [[], [1, 2, 3, 4, 5]]);
  t.end();
});

t.test('CATCH6 pruning by age deletes the oldest events of all boards, a bounded number at a time', (t) => {
  const { shard } = temporaryShard(t);
  const [a, b] = [createBoard(shard), createBoard(shard)];
  append(shard, a.key, 1, 2, '2030-01-01T00:00:00.000Z');
  append(shard, b.key, 1, 2, '2030-01-02T00:00:00.000Z');
  append(shard, a.key, 3, 4, '2030-01-03T00:00:00.000Z');
  const prune = (limit: number) => {
    let count = 0;
    shard.transaction(() => (count = shard.events.pruneOlderThan('2030-01-03T00:00:00.000Z', limit)));
    return count;
  };
  t.equal(prune(3), 3);
  t.strictSame([seqs(shard, a.key), seqs(shard, b.key)], [[3, 4], [2]]);
  t.equal(prune(3), 1);
  t.equal(prune(3), 0);
  t.strictSame([seqs(shard, a.key), seqs(shard, b.key)], [[3, 4], []]);
  t.end();
});

t.test('CATCH6 pruning by age leaves no gap after the clock was set back', (t) => {
  const { shard } = temporaryShard(t);
  const [{ key }, other] = [createBoard(shard), createBoard(shard)];
  append(shard, key, 1, 1, '2030-01-01T00:00:00.000Z');
  append(shard, key, 2, 3, '2030-01-05T00:00:00.000Z');
  append(shard, key, 4, 4, '2030-01-02T00:00:00.000Z');
  append(shard, other.key, 1, 1, '2030-01-02T00:00:00.000Z');
  append(shard, key, 5, 5, '2030-01-06T00:00:00.000Z');
  const prune = (at: string): void => shard.transaction(() => void shard.events.pruneOlderThan(at, 100));
  prune('2030-01-03T00:00:00.000Z');
  t.strictSame([seqs(shard, key), seqs(shard, other.key)], [[2, 3, 4, 5], []], 'other boards are not delayed');
  prune('2030-01-06T00:00:00.000Z');
  t.strictSame(seqs(shard, key), [5]);
  t.end();
});

t.test('DEL3 the events of one board up to a number are forgotten step by step, and those after it stay', (t) => {
  const { shard, reopen } = temporaryShard(t);
  const [a, b] = [createBoard(shard), createBoard(shard)];
  append(shard, a.key, 1, 9);
  append(shard, b.key, 1, 2);
  const forget = (upTo: number, limit: number): boolean => {
    let more = false;
    shard.transaction(() => (more = shard.events.forget(a.key, upTo, limit)));
    return more;
  };
  t.equal(forget(7, 4), true);
  t.strictSame(seqs(shard, a.key), [5, 6, 7, 8, 9]);
  t.equal(forget(7, 4), false);
  t.equal(forget(7, 4), false, 'again, there is nothing to do');
  t.strictSame(seqs(shard, a.key), [8, 9]);
  t.equal(forget(20, 4), true, 'a number that the board does not have yet');
  const again = reopen();
  t.strictSame([seqs(again, a.key), seqs(again, b.key)], [[], [1, 2]]);
  t.equal(again.loadBoard(a.key)?.seq, 9, 'the number of the board stays');
  t.end();
});

t.test('outbox messages wait, in order, until they are removed', (t) => {
  const { shard, reopen } = temporaryShard(t);
  const { key } = createBoard(shard);
  const added: number[] = [];
  shard.transaction(() => added.push(...['one', 'two', 'three'].map((payload) => shard.outbox.add(key, payload))));
  const again = reopen();
  const messages = ['one', 'two', 'three'].map((payload, n) => ({ id: added[n], boardKey: key, payload }));
  t.strictSame(again.outbox.list(0, 10), messages);
  t.strictSame(again.outbox.list(added[0] ?? 0, 1), messages.slice(1, 2));
  again.transaction(() => added.forEach((id) => again.outbox.remove(id)));
  t.strictSame(again.outbox.list(0, 10), []);
  let next = 0;
  again.transaction(() => (next = again.outbox.add(key, 'four')));
  t.notOk(added.includes(next), 'an id is never used again');
  t.end();
});
