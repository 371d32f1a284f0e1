import t, { type Test } from 'tap';
import { versionId } from '../../src/domain/board/versions/versionsOnDisk.js';
import type { BoardKey } from '../../src/domain/ids.js';
import type { Card, Change, Comment, Version } from '../../src/domain/model.js';
import { createBoard, ids, newCard, NOW, sweepAll, temporaryShard } from './temporaryShard.js';

const LATER = '2030-04-02T00:00:00.000Z';

interface Edited {
  readonly key: BoardKey;
  readonly card: Card;
  readonly comment: Comment;
}

/** A card and a comment on it, with two versions each. */
function setUp(t: Test): Edited & ReturnType<typeof temporaryShard> {
  const temporary = temporaryShard(t);
  const { key } = createBoard(temporary.shard);
  const card = newCard(key);
  const own = { id: ids.onBoard(key), card_id: card.id, created_by: null, author_name: 'ann', body: 'Soon', mention_ids: [], text_version: 3 };
  const comment = { ...own, created_at: NOW, updated_at: NOW };
  const texts = [
    { card_id: card.id, id: card.id },
    { card_id: card.id, id: comment.id },
  ];
  const versions = texts.flatMap((text) => [1, 2].map((version) => newVersion(versionId(text, version), version === 1 ? NOW : LATER)));
  const puts: Change[] = [{ kind: 'card', put: card }, { kind: 'comment', put: comment }, ...versions.map(putOf)];
  temporary.shard.transaction(() => temporary.shard.write(key, puts, [], 0, NOW));
  return { ...temporary, key, card, comment };
}

function newVersion(id: string, created_at: string): Version {
  return { id, text: 'before', bytes: 100, written_by: null, written_at: null, created_by: null, created_at, updated_at: created_at };
}

function putOf(put: Version): Change {
  return { kind: 'version', put };
}

const LEFT = 'SELECT (SELECT count(*) FROM version), (SELECT coalesce(sum(version_bytes), 0) FROM board), (SELECT count(*) FROM loose_comment)';

t.test('TEXT3 versions survive a restart and are read by text, the newest first', async (t) => {
  const { key, card, comment, reopen, sql } = setUp(t);
  const { versions } = reopen().onDiskOf(key);
  t.strictSame(sql(LEFT), [[4, 400, 0]]);
  const text = { card_id: card.id, id: comment.id };
  t.strictSame(
    versions.page(text, 9, 5, 1000).map(({ id }) => id),
    [versionId(text, 2), versionId(text, 1)],
  );
  t.equal(versions.page(text, 2, 5, 1000).length, 1);
  t.equal(versions.page(text, 9, 5, 1).length, 1, 'fewer of long ones');
  t.match(versions.find(versionId({ card_id: card.id, id: card.id }, 2)), { text: 'before', bytes: 100, created_at: LATER });
});

t.test('TEXT3 a deleted comment takes its versions with it, and a removed card those of all its texts', async (t) => {
  const { shard, key, card, comment, sql } = setUp(t);
  shard.transaction(() => shard.write(key, [{ kind: 'comment', remove: comment.id }], [], 0, LATER));
  t.strictSame(sql(LEFT), [[2, 200, 0]]);
  shard.transaction(() => shard.write(key, [{ kind: 'card', remove: card.id }], [], 0, LATER));
  t.strictSame(sql(LEFT), [[2, 200, 1]], 'swept later');
  sweepAll(shard);
  t.strictSame(sql(LEFT), [[0, 0, 0]]);

  const whole = setUp(t);
  whole.shard.transaction(() => whole.shard.write(whole.key, [{ kind: 'card', remove: whole.card.id }], [], 0, LATER));
  sweepAll(whole.shard);
  t.strictSame(whole.sql(LEFT), [[0, 0, 0]]);

  const other = setUp(t);
  other.shard.transaction(() => other.shard.removeBoard(other.key, LATER));
  sweepAll(other.shard);
  t.strictSame(other.sql(LEFT), [[0, 0, 0]]);
});

t.test('TEXT3 versions go after their time, and the oldest of a board when all take too much', async (t) => {
  const { shard, sql } = setUp(t);
  shard.transaction(() => shard.expireVersions(NOW, LATER, 10));
  t.strictSame(sql(LEFT), [[4, 400, 0]], 'not before their time');
  shard.transaction(() => shard.expireVersions(LATER, LATER, 10));
  t.strictSame(sql(LEFT), [[2, 200, 0]]);

  const full = setUp(t);
  full.shard.transaction(() => full.shard.pruneVersions(full.key, 400, LATER));
  t.strictSame(full.sql(LEFT), [[4, 400, 0]], 'there is room');
  full.shard.transaction(() => full.shard.pruneVersions(full.key, 399, LATER));
  t.strictSame(full.sql(LEFT), [[3, 300, 0]], 'no more than it must');
  t.strictSame(full.sql(`SELECT count(*) FROM version WHERE created_at = '${NOW}'`), [[1]], 'the oldest');
});

t.test('TEXT3 a version that is written again counts once', async (t) => {
  const { shard, key, card, sql } = setUp(t);
  const again = { ...newVersion(versionId({ card_id: card.id, id: card.id }, 1), NOW), bytes: 50 };
  shard.transaction(() => shard.write(key, [putOf(again)], [], 0, NOW));
  t.strictSame(sql(LEFT), [[4, 350, 0]]);
});
