import { deepStrictEqual, equal } from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import t from 'tap';
import { BoardState } from '../../src/domain/board/board.js';
import { FACT_BYTES } from '../../src/domain/board/activity/activityOnDisk.js';
import type { Activity } from '../../src/domain/board/activity/facts.js';
import type { BoardEvent } from '../../src/domain/events.js';
import type { KeyedCreate } from '../../src/domain/idempotency.js';
import { boardKeyOf } from '../../src/domain/ids.js';
import { HELD_KINDS, KINDS, type Card, type Change } from '../../src/domain/model.js';
import { toEnd } from '../../src/domain/slices.js';
import { entityCodec, tableOf } from '../../src/store/shard/rowCodecs.js';
import { openShard } from '../../src/store/shard/openShard.js';
import type { Shard } from '../../src/store/shard/shard.js';
import { changedBoard, difference, puts, sortedById, type BoardContent } from './arbitraryBoard.js';
import { rowsOf, ShardFollower } from '../support/store/shardFollower.js';
import { query, sql as sqlFile } from '../support/store/sqlFile.js';
import { createBoard, ids, newAttachment, newBoard, newCard, NOW, sweepAll, temporaryShard } from './temporaryShard.js';

function event(seq: number): BoardEvent {
  return { seq, type: 'card.moved', json: `{"type":"card.moved","n":${seq}}` };
}

const NOTHING = Object.fromEntries(HELD_KINDS.map((kind) => [kind, []]));

/** The store takes a new attachment only with its upload. */
function startUploads(shard: Shard, content: BoardContent, known: BoardContent | null = null): void {
  const old = new Set(known?.attachment.map(({ id }) => id));
  for (const { id } of content.attachment) if (!old.has(id)) shard.content.startUpload(id, NOW);
}

t.test('the table of every kind has a column for each field of its records, and no other', async (t) => {
  const { sql } = temporaryShard(t);
  for (const kind of KINDS) {
    const columns = sql(`SELECT name FROM pragma_table_info('${tableOf(kind)}')`).flat();
    const known = kind === 'board' ? ['board_key', 'epoch', 'seq', 'active_at', 'last_number', 'version_bytes'] : ['board_key'];
    t.strictSame(columns.sort(), [...known, ...entityCodec(kind).columns].sort(), kind);
  }
});

t.test('CRASH1 records of every kind are loaded exactly as they were written, changed and removed', (t) => {
  const { shard } = temporaryShard(t);
  const roundTrip = fc.property(changedBoard, ({ key, before, after }) => {
    shard.transaction(() => {
      startUploads(shard, before);
      shard.write(key, puts(before), [], 0, NOW);
    });
    deepStrictEqual(shard.loadBoard(key), { epoch: '0', seq: 0, activeAt: null, lastNumber: 0, entities: sortedById(before) });
    shard.transaction(() => {
      startUploads(shard, after, before);
      shard.write(key, difference(before, after), [event(1)], 1, NOW);
    });
    const removed = before.card.filter(({ id }) => after.card.every((card) => card.id !== id));
    const lastNumber = Math.max(0, ...removed.map(({ number }) => number ?? 0));
    deepStrictEqual(shard.loadBoard(key), { epoch: '0', seq: 1, activeAt: NOW, lastNumber, entities: sortedById(after) });
    const comments = shard.onDiskOf(key).comments;
    for (const comment of after.comment) deepStrictEqual(comments.find(comment.id), comment);
    for (const { id } of before.comment)
      equal(
        comments.find(id) === undefined,
        after.comment.every((comment) => comment.id !== id),
      );
    const { board, member, label } = sortedById(after);
    deepStrictEqual(toEnd(shard.readSummary(key)), { epoch: '0', seq: 1, activeAt: NOW, lastNumber, entities: { ...NOTHING, board, member, label } });
  });
  t.doesNotThrow(() => fc.assert(roundTrip, { numRuns: 100 }));
  t.end();
});

t.test('CRASH1 committed changes are present after a restart', (t) => {
  const { shard, reopen } = temporaryShard(t);
  const { key, board } = createBoard(shard);
  const card = newCard(key);
  shard.transaction(() => shard.write(key, [{ kind: 'card', put: card }], [event(1)], 1, NOW));
  const loaded = reopen().loadBoard(key);
  t.strictSame(loaded?.entities.board, [board]);
  t.strictSame(loaded?.entities.card, [card]);
  t.equal(loaded?.seq, 1);
  t.end();
});

t.test('CRASH1 a load contains the records of its board only, and an unknown board is null', (t) => {
  const { shard } = temporaryShard(t);
  const [first, second] = [createBoard(shard), createBoard(shard)];
  const card = newCard(first.key);
  shard.transaction(() => shard.write(first.key, [{ kind: 'card', put: card }], [], 0, NOW));
  t.strictSame(shard.loadBoard(second.key)?.entities.card, []);
  t.strictSame(shard.loadBoard(first.key)?.entities.card, [card]);
  const unknown = newBoard().key;
  t.equal(shard.loadBoard(unknown), null);
  t.equal(toEnd(shard.readSummary(unknown)), null);
  t.end();
});

t.test('CRASH1 a board of 5,000 cards is loaded completely', (t) => {
  const { shard, reopen } = temporaryShard(t);
  const { key } = createBoard(shard);
  const cards = Array.from({ length: 5_000 }, (_, n) => newCard(key, `card ${n}`));
  const changes = cards.map((put): Change => ({ kind: 'card', put }));
  shard.transaction(() => shard.write(key, changes, [], 0, NOW));
  const loaded = reopen().loadBoard(key)?.entities.card;
  // Not strictSame, which takes seconds for so many records.
  t.doesNotThrow(() =>
    deepStrictEqual(
      loaded,
      cards.sort((a, b) => (a.id < b.id ? -1 : 1)),
    ),
  );
  t.end();
});

t.test('CRASH1 a large board can be read in slices, with writes to other boards in between', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  const changes = Array.from({ length: 2_000 }, (): Change => ({ kind: 'card', put: newCard(key) }));
  shard.transaction(() => shard.write(key, changes, [], 0, NOW));
  const reading = shard.readBoard(key);
  let slices = 0;
  let step = reading.next();
  for (; !step.done; step = reading.next()) {
    createBoard(shard);
    slices++;
  }
  t.ok(slices > 1);
  const read = step.value;
  t.doesNotThrow(() => deepStrictEqual(read, shard.loadBoard(key)));
  t.equal(read?.entities.card.length, 2_000);
  t.end();
});

t.test('a slice of reading or building a board is bounded by its text, not only by its records', (t) => {
  const { shard } = temporaryShard(t);
  const { key } = createBoard(shard);
  const description = 'x'.repeat(10_000);
  const changes = Array.from({ length: 400 }, (): Change => ({ kind: 'card', put: { ...newCard(key), description } }));
  shard.transaction(() => shard.write(key, changes, [], 0, NOW));
  const { value: read, pauses: readingPauses } = withPauses(shard.readBoard(key));
  if (read === null) throw new Error('the board is missing');
  t.ok(readingPauses >= 4, `four million characters are read with ${readingPauses} pauses`);
  const { value: board, pauses } = withPauses(BoardState.loadInSlices(read));
  t.ok(pauses >= 4, `and built with ${pauses} pauses`);
  t.equal(board.size.count('card'), 400);
  t.end();
});

function withPauses<Value>(slices: Generator<undefined, Value>): { readonly value: Value; readonly pauses: number } {
  for (let pauses = 0; ; pauses += 1) {
    const step = slices.next();
    if (step.done) return { value: step.value, pauses };
  }
}

t.test('a second board with the same key is refused, and the first one stays', (t) => {
  const { shard } = temporaryShard(t);
  const { key, board } = createBoard(shard, 'first');
  const intruder = { ...board, id: ids.onBoard(key), title: 'second' };
  const write = () => shard.transaction(() => shard.write(key, [{ kind: 'board', put: intruder }], [], 0, NOW));
  t.throws(write, { code: 'conflict' });
  t.strictSame(shard.loadBoard(key)?.entities.board, [board]);
  t.end();
});

t.test('a board that does not exist refuses changes', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = newBoard();
  const write = () => shard.transaction(() => shard.write(key, [{ kind: 'card', put: newCard(key) }], [event(1)], 1, NOW));
  t.throws(write, /is not in/);
  t.strictSame(sql('SELECT count(*) FROM card'), [[0]]);
  t.end();
});

t.test('COMMIT7 a rollback leaves no trace of anything in the transaction', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key, board } = createBoard(shard);
  const other = newBoard();
  shard.begin();
  shard.write(key, [{ kind: 'card', put: newCard(key) }], [event(1)], 1, NOW);
  shard.write(other.key, other.create, [], 0, NOW);
  shard.outbox.add(key, 'message');
  shard.content.startUpload(ids.onBoard(key), NOW);
  t.equal(shard.loadBoard(key)?.seq, 1, 'before that it is visible to the shard itself');
  shard.rollback();
  const loaded = shard.loadBoard(key);
  t.equal(loaded?.seq, 0);
  t.strictSame(loaded?.entities.card, []);
  t.strictSame(loaded?.entities.board, [board]);
  t.equal(shard.loadBoard(other.key), null);
  t.strictSame(shard.events.since(key, 0, 10), []);
  t.strictSame(shard.outbox.list(0, 10), []);
  t.strictSame(sql('SELECT count(*) FROM loose_blob'), [[0]]);
  shard.rollback();
  t.pass('a second rollback is harmless');
  t.end();
});

t.test('COMMIT7 a failed commit is unavailable, keeps nothing, and the shard keeps working', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  sql('CREATE TABLE target (id INTEGER PRIMARY KEY)');
  sql('CREATE TABLE dangling (id INTEGER REFERENCES target (id) DEFERRABLE INITIALLY DEFERRED)');
  sql(`CREATE TRIGGER fault AFTER INSERT ON card WHEN new.title = 'broken'
       BEGIN INSERT INTO dangling VALUES (1); END`);
  shard.begin();
  shard.write(key, [{ kind: 'card', put: newCard(key, 'broken') }], [event(1)], 1, NOW);
  t.throws(() => shard.commit(), { code: 'unavailable', retryAfter: 1 });
  shard.rollback();
  t.equal(shard.loadBoard(key)?.seq, 0);
  const card = newCard(key);
  shard.transaction(() => shard.write(key, [{ kind: 'card', put: card }], [event(1)], 1, NOW));
  t.strictSame(shard.loadBoard(key)?.entities.card, [card]);
  t.end();
});

t.test('COMMIT7 after a failure that ended the transaction no further write is stored', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  sql(`CREATE TRIGGER fault AFTER INSERT ON card WHEN new.title = 'broken' BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`);
  shard.begin();
  t.throws(() => shard.write(key, [{ kind: 'card', put: newCard(key, 'broken') }], [], 0, NOW), /gone/);
  t.throws(() => shard.write(key, [{ kind: 'card', put: newCard(key) }], [], 0, NOW), /outside a transaction/);
  t.throws(() => shard.outbox.add(key, 'message'), /outside a transaction/);
  t.throws(() => shard.commit(), { code: 'unavailable' });
  shard.rollback();
  t.strictSame(shard.loadBoard(key)?.entities.card, []);
  t.end();
});

t.test('STORE9 removing a board removes everything of it and nothing else', (t) => {
  const { shard, sql } = temporaryShard(t);
  const samples = fc.sample(changedBoard, { numRuns: 200, seed: 1 });
  const [gone, kept] = samples.filter(({ before }) => KINDS.every((kind) => before[kind].length > 0));
  if (!gone || !kept) throw new Error('no board with something of every kind');
  for (const { key, before } of [gone, kept]) {
    shard.transaction(() => {
      startUploads(shard, before);
      shard.write(key, puts(before), [event(1)], 1, NOW);
      shard.outbox.add(key, 'message');
    });
  }
  const id = gone.before.board[0]?.id ?? '';
  shard.transaction(() => shard.write(gone.key, [{ kind: 'board', remove: id }], [event(2)], 2, NOW));
  t.equal(shard.loadBoard(gone.key), null);
  t.ok(shard.orphans.has(gone.key));
  const nothing = (): boolean => false;
  while (!shard.orphans.isSwept(nothing)) shard.transaction(() => shard.orphans.sweep(nothing, NOW));
  for (const kind of KINDS) {
    const table = kind === 'column' ? 'board_column' : kind;
    t.strictSame(sql(`SELECT count(*) FROM ${table} WHERE board_key = '${gone.key}'`), [[0]], kind);
  }
  t.strictSame(shard.events.since(gone.key, 0, 10), []);
  t.equal(shard.outbox.list(0, 10).length, 2, 'the change still has to be delivered');
  t.strictSame(shard.loadBoard(kept.key), { epoch: '0', seq: 1, activeAt: NOW, lastNumber: 0, entities: sortedById(kept.before) });
  t.strictSame(shard.events.since(kept.key, 0, 10), [event(1)]);
  t.end();
});

t.test('STORE9 removing a board discards the content of its attachments and its uploads', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key, board } = createBoard(shard);
  const attachment = newAttachment(key, 4);
  const unfinished = ids.onBoard(key);
  shard.transaction(() => {
    for (const id of [attachment.id, unfinished]) {
      shard.content.startUpload(id, NOW);
      shard.content.appendChunk(id, 0, Buffer.from('four'));
    }
    shard.write(key, [{ kind: 'attachment', put: attachment }], [], 0, NOW);
  });
  shard.transaction(() => shard.write(key, [{ kind: 'board', remove: board.id }], [], 0, NOW));
  shard.transaction(() => t.notOk(shard.content.appendChunk(unfinished, 1, Buffer.from('more'))));
  sweepAll(shard);
  t.strictSame(sql('SELECT count(*) FROM blob'), [[0]]);
  t.strictSame(sql('SELECT count(*) FROM loose_blob'), [[0]]);
  t.end();
});

t.test('STORE51 the number of shards cannot change once the folder exists, and the refusal names the setting', (t) => {
  const dataDir = t.testdir();
  openShard({ dataDir, shard: 3, shards: 16, durability: 'full' }).close();
  t.throws(() => openShard({ dataDir, shard: 3, shards: 8, durability: 'full' }), {
    code: 'unavailable',
    message: /SHARDS=16 instead of 8/,
  });
  openShard({ dataDir, shard: 3, shards: 16, durability: 'full' }).close();
  t.end();
});

t.test('STORE51 a file of another shard is refused', (t) => {
  const dataDir = t.testdir();
  openShard({ dataDir, shard: 3, shards: 16, durability: 'full' }).close();
  renameSync(join(dataDir, 'shard-03.sqlite'), join(dataDir, 'shard-04.sqlite'));
  t.throws(() => openShard({ dataDir, shard: 4, shards: 16, durability: 'full' }), {
    code: 'unavailable',
    message: /is shard 3, not shard 4/,
  });
  t.end();
});

t.test('STORE5 a shard has one owner, and each shard of a folder has its own', (t) => {
  const dataDir = t.testdir();
  const first = openShard({ dataDir, shard: 0, shards: 2, durability: 'full' });
  const second = openShard({ dataDir, shard: 1, shards: 2, durability: 'full' });
  t.throws(() => openShard({ dataDir, shard: 0, shards: 2, durability: 'full' }), {
    code: 'unavailable',
    message: /shard 0 .* in use/,
  });
  first.close();
  openShard({ dataDir, shard: 0, shards: 2, durability: 'full' }).close();
  second.close();
  t.end();
});

t.test('EPOCH4 a start that fails before the new epoch is stored leaves it to the next start, with any durability', async (t) => {
  const dataDir = t.testdir();
  const file = join(dataDir, 'shard-00.sqlite');
  const open = () => openShard({ dataDir, shard: 0, shards: 1, durability: 'full' });
  const first = open();
  const { key } = createBoard(first);
  first.close();
  const running = () => query<{ running: string | null }>(file, 'SELECT running FROM place')[0]?.running;
  t.equal(running(), null, 'a clean close leaves no mark');
  sqlFile(file, `UPDATE place SET running = 'normal'`);
  sqlFile(file, `CREATE TRIGGER fault BEFORE UPDATE OF epoch ON board BEGIN SELECT RAISE(ABORT, 'gone'); END`);
  t.throws(open, /gone/);
  t.equal(running(), 'normal');
  sqlFile(file, 'DROP TRIGGER fault');
  const next = open();
  t.teardown(() => next.close());
  t.match(next.loadBoard(key)?.epoch, /^[1-9a-z][0-9a-z]{0,7}$/);
  t.equal(running(), 'full');
});

t.test('READY3 a probe of a shard writes to its file', (t) => {
  const { shard, sql } = temporaryShard(t);
  const before = sql('SELECT count FROM probe');
  shard.probe();
  t.notSame(sql('SELECT count FROM probe'), before);
  sql(`CREATE TRIGGER fault BEFORE UPDATE ON probe BEGIN SELECT RAISE(ABORT, 'full'); END`);
  t.throws(() => shard.probe(), { code: 'unavailable' });
  t.end();
});

t.test('IDEM37 ids of removed records are kept as long as the activity names them, with who made what had them, and a copy has the same', (t) => {
  const folder = t.testdir({ owner: {}, copy: {} });
  const copy = new ShardFollower(t, join(folder, 'copy'));
  const dataDir = join(folder, 'owner');
  const shard = openShard({ dataDir, shard: 0, shards: 1, durability: 'normal', onCommit: copy.apply });
  t.teardown(() => shard.close());
  const { key } = createBoard(shard);
  const [one, two] = [newCard(key), newCard(key)];
  const made = (card: Card): KeyedCreate => ({ id: card.id, kind: 'card', parent: card.column_id, created_by: ids.fresh() });
  const facts = (seq: number): Activity => {
    return { first: seq, facts: [{ seq, kind: 'card.deleted', user_id: null, card_id: null, json: '{}' }], former: [] };
  };
  const creates = [made(one), made(two)];
  shard.transaction(() => {
    shard.writeRows(
      key,
      [one, two].map((put) => ({ kind: 'card', put })),
      NOW,
    );
    shard.usedIds.addCreates(key, creates);
  });
  shard.transaction(() => shard.write(key, [{ kind: 'card', remove: one.id }], [event(1)], 1, NOW, facts(1)));
  shard.transaction(() => shard.write(key, [{ kind: 'card', remove: two.id }], [event(2)], 2, NOW, facts(2)));
  const known = (): unknown => {
    t.strictSame(rowsOf(copy.dataDir), rowsOf(dataDir), 'as in the copy');
    return [one, two].map(({ id }) => [shard.usedIds.has(key, id), shard.usedIds.findCreate(key, id) !== null]);
  };
  shard.transaction(() => shard.events.prune(key, 9));
  t.strictSame(
    known(),
    [
      [true, true],
      [true, true],
    ],
    'the events are gone',
  );
  shard.transaction(() => shard.activity.pruneToBytes(key, FACT_BYTES + 2, 1));
  t.strictSame(
    known(),
    [
      [false, false],
      [true, true],
    ],
    'the first fact is gone',
  );
  shard.writeFor(21);
  shard.transaction(() => shard.write(key, [], [event(3)], 3, NOW));
  shard.transaction(() => shard.events.prune(key, 4));
  t.strictSame(
    known(),
    [
      [false, false],
      [false, false],
    ],
    'an older program forgets them with the events, and so must this one for it',
  );
  t.end();
});

t.test('IDEM37 a comment that goes with its card keeps its id if it was made with a key, and nothing is left of a deleted board', (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  const card = newCard(key);
  const texts = { card_id: card.id, created_by: null, author_name: 'ann', body: 'Soon', mention_ids: [], text_version: 1 };
  const comments = [ids.onBoard(key), ids.onBoard(key)].map((id) => ({ id, ...texts, created_at: NOW, updated_at: NOW }));
  const [keyed, plain] = comments.map(({ id }) => id);
  const other = newCard(key);
  const create = (id: string, kind: 'card' | 'comment'): KeyedCreate => ({ id, kind, parent: null, created_by: ids.fresh() });
  shard.transaction(() => {
    const puts = comments.map((put): Change => ({ kind: 'comment', put }));
    shard.writeRows(key, [{ kind: 'card', put: card }, { kind: 'card', put: other }, ...puts], NOW);
    shard.usedIds.addCreates(key, [create(keyed ?? '', 'comment'), create(other.id, 'card')]);
  });
  shard.transaction(() => shard.write(key, [{ kind: 'card', remove: card.id }], [event(1)], 1, NOW));
  sweepAll(shard);
  t.strictSame(
    [keyed, plain, card.id].map((id) => shard.usedIds.has(key, id ?? '')),
    [true, false, true],
  );
  shard.transaction(() => shard.removeBoard(key, NOW));
  sweepAll(shard);
  t.strictSame([sql('SELECT * FROM used_id'), sql('SELECT * FROM keyed_create')], [[], []]);
  t.end();
});

t.test('ids of removed records are kept as long as the events of their time, and are forgotten in steps', async (t) => {
  const { shard, sql } = temporaryShard(t);
  const { key } = createBoard(shard);
  const count = (): unknown => sql('SELECT count(*) FROM used_id').flat()[0];
  const cards = Array.from({ length: 1_200 }, () => newCard(key));
  const [first] = cards;
  shard.transaction(() =>
    shard.writeRows(
      key,
      cards.map((put) => ({ kind: 'card', put })),
      NOW,
    ),
  );
  t.notOk(shard.usedIds.has(key, first?.id ?? ''), 'in use');
  shard.transaction(() => shard.write(key, [{ kind: 'card', remove: first?.id ?? '' }], [event(1)], 1, NOW));
  t.ok(shard.usedIds.has(key, first?.id ?? ''));
  t.notOk(shard.usedIds.has(boardKeyOf(ids.fresh()), first?.id ?? ''), 'of this board only');
  shard.transaction(() =>
    shard.write(
      key,
      cards.slice(1).map(({ id }) => ({ kind: 'card', remove: id })),
      [event(2)],
      2,
      NOW,
    ),
  );
  t.equal(count(), 1_200);

  shard.transaction(() => shard.events.prune(key, 1));
  t.equal(count(), 1_200, 'each has its event');
  shard.transaction(() => shard.events.prune(key, 2));
  t.strictSame([count(), shard.usedIds.has(key, first?.id ?? '')], [1_199, false], 'its event is gone');
  shard.transaction(() => shard.events.prune(key, 3));
  t.equal(count(), 699, 'a bounded number at a time');
  shard.transaction(() => shard.write(key, [{ kind: 'member', remove: ids.fresh() }], [event(3)], 3, NOW));
  t.equal(count(), 699, 'a member has the id of a user');
  shard.transaction(() => shard.removeBoard(key, NOW));
  sweepAll(shard);
  t.equal(count(), 0, 'nothing is left of a deleted board');
  t.strictSame(sql('SELECT * FROM loose_board'), []);
});
