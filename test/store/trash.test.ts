import t, { type Test } from 'tap';
import { totalsOfContent } from '../../src/domain/board/trash/trashOnDisk.js';
import type { BoardKey } from '../../src/domain/ids.js';
import type { Attachment, Card, Change, Trashed } from '../../src/domain/model.js';
import { createBoard, ids, newAttachment, newCard, NOW, sweepAll, temporaryShard } from './temporaryShard.js';

const LATER = '2030-01-02T00:00:00.000Z';

interface Deleted {
  readonly key: BoardKey;
  readonly card: Card;
  readonly file: Attachment;
  readonly entry: Trashed;
}

/** A board whose card, with a file and a comment, was deleted. */
function setUp(t: Test): Deleted & ReturnType<typeof temporaryShard> {
  const temporary = temporaryShard(t);
  const { shard } = temporary;
  const { key } = createBoard(shard);
  const card = { ...newCard(key), number: 7 };
  const file = { ...newAttachment(key, 4), card_id: card.id };
  const times = { created_at: NOW, updated_at: NOW };
  const comment = { id: ids.onBoard(key), card_id: card.id, created_by: null, author_name: 'ann', body: 'Soon', mention_ids: [], text_version: 1 };
  shard.transaction(() => {
    shard.content.startUpload(file.id, NOW);
    shard.content.appendChunk(file.id, 0, Buffer.from('kept'));
    const puts: Change[] = [
      { kind: 'card', put: card },
      { kind: 'attachment', put: file },
      { kind: 'comment', put: { ...comment, ...times } },
    ];
    shard.write(key, puts, [], 0, NOW);
  });
  const content = { card: [card], attachment: [file] };
  const root = { id: card.id, entry_id: card.id, part: 0, trashed_kind: 'card', title: card.title, deleted_by: null, seq: 0 } as const;
  const entry: Trashed = { ...root, ...totalsOfContent(content), content, ...times };
  shard.transaction(() => {
    const removals: Change[] = [
      { kind: 'card', remove: card.id },
      { kind: 'attachment', remove: file.id },
      { kind: 'trashed', put: entry },
    ];
    shard.write(key, removals, [], 0, NOW);
  });
  sweepAll(shard);
  return { ...temporary, key, card, file, entry };
}

const LEFT = `SELECT (SELECT count(*) FROM trashed), (SELECT count(*) FROM trashed_part), (SELECT count(*) FROM blob),
  (SELECT count(*) FROM comment), (SELECT count(*) FROM loose_blob), (SELECT count(*) FROM loose_comment)`;

t.test('TRASH1 files and comments stay with what is in the trash, also over a restart, and come back with it', async (t) => {
  const { key, card, file, entry, reopen, sql } = setUp(t);
  const shard = reopen();
  t.strictSame(sql(LEFT), [[1, 2, 1, 1, 0, 0]]);
  const { trash } = shard.onDiskOf(key);
  t.strictSame(trash.find(card.id), entry);
  t.strictSame([trash.holderOf(file.id), trash.holderOf(ids.onBoard(key))], [card.id, undefined]);
  t.strictSame(trash.totals(), totalsOfContent(entry.content));
  t.equal(trash.page(LATER, null, 10).length, 0);
  t.match(trash.page(NOW, null, 10), [{ id: card.id }]);
  t.equal(shard.usedIds.has(key, card.id), false, 'it may come back');
  t.equal(shard.loadBoard(key)?.lastNumber, card.number ?? 0, 'its number is not given again');
  shard.transaction(() => {
    const puts: Change[] = [
      { kind: 'card', put: card },
      { kind: 'attachment', put: file },
      { kind: 'trashed', remove: card.id },
    ];
    shard.write(key, puts, [], 0, LATER);
  });
  sweepAll(shard);
  t.strictSame(sql(LEFT), [[0, 0, 1, 1, 0, 0]]);
  t.equal(Buffer.concat(shard.content.read(file.id, 0, 10)).toString(), 'kept');
});

t.test('TRASH1 what has expired goes with its files and comments, and its ids stay used', async (t) => {
  const { shard, key, card, file, sql } = setUp(t);
  shard.transaction(() => shard.expireTrash(NOW, LATER, 10));
  t.strictSame(sql(LEFT), [[1, 2, 1, 1, 0, 0]], 'not before its time');
  shard.transaction(() => shard.expireTrash(LATER, LATER, 10));
  sweepAll(shard);
  t.strictSame(sql(LEFT), [[0, 0, 0, 0, 0, 0]]);
  t.strictSame([shard.usedIds.has(key, card.id), shard.usedIds.has(key, file.id)], [true, true]);
});

t.test('TRASH1 further rows go soon after the first one was thrown away, and all of them with their board', async (t) => {
  const { shard, key, card, entry, sql } = setUp(t);
  const checklist = { id: ids.onBoard(key), card_id: card.id, title: 'Steps', rank: 1, created_at: NOW, updated_at: NOW };
  const content = { checklist: [checklist] };
  const further: Trashed = { ...entry, id: checklist.id, part: 1, ...totalsOfContent(content), content };
  shard.transaction(() => shard.write(key, [{ kind: 'trashed', put: further }], [], 0, NOW));
  t.strictSame(shard.onDiskOf(key).trash.rest(card.id, 5), [further]);
  shard.transaction(() => shard.write(key, [{ kind: 'trashed', remove: card.id }], [], 0, NOW));
  shard.transaction(() => shard.expireTrash(NOW, NOW, 10));
  sweepAll(shard);
  t.strictSame(sql(LEFT), [[0, 0, 0, 0, 0, 0]]);

  const other = setUp(t);
  other.shard.transaction(() => other.shard.removeBoard(other.key, LATER));
  sweepAll(other.shard);
  t.strictSame(other.sql(LEFT), [[0, 0, 0, 0, 0, 0]]);
  t.strictSame(other.sql('SELECT count(*) FROM loose_board'), [[0]]);
});
