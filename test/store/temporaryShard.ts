import { UNDATED } from '../support/board/undated.js';
import { join } from 'node:path';
import type { Test } from 'tap';
import { boardKeyOf, IdSource, type BoardKey } from '../../src/domain/ids.js';
import type { Attachment, BoardRecord, Card, Change } from '../../src/domain/model.js';
import { openShard } from '../../src/store/shard/openShard.js';
import type { Shard } from '../../src/store/shard/shard.js';
import { Sqlite } from '../../src/store/sqlite/sqlite.js';

export const NOW = '2030-01-01T00:00:00.000Z';
export const ids = new IdSource();

const STAMPS = { created_at: NOW, updated_at: NOW } as const;
const AUTHORS = { created_by: null, updated_by: null } as const;

/** A shard in a folder of its own, closed after the test. `reopen` gives what a restart would find. */
export function temporaryShard(t: Test) {
  const dataDir = t.testdir();
  const open = () => openShard({ dataDir, shard: 0, shards: 1, durability: 'full' });
  let shard = open();
  t.teardown(() => shard.close());
  return {
    dataDir,
    shard,
    reopen(): Shard {
      shard.close();
      shard = open();
      return shard;
    },
    /** SQL from outside, to inspect the file or to plant a fault. */
    sql(text: string): unknown[] {
      const db = new Sqlite(join(dataDir, 'shard-00.sqlite'));
      try {
        const statement = db.prepare(text);
        return statement.reader ? statement.raw().all() : [statement.run().changes];
      } finally {
        db.close();
      }
    },
  };
}

export function newBoard(title = 'A board'): { key: BoardKey; board: BoardRecord; create: Change[] } {
  const board: BoardRecord = { id: ids.fresh(), title, description: null, color: null, icon: null, archived: null, ...STAMPS, ...AUTHORS };
  return { key: boardKeyOf(board.id), board, create: [{ kind: 'board', put: board }] };
}

export function newCard(key: BoardKey, title = 'A card'): Card {
  const [id, column_id] = [ids.onBoard(key), ids.onBoard(key)];
  return { id, column_id, title, description: null, rank: 1, ...UNDATED, label_ids: [], assignee_ids: [], ...STAMPS, ...AUTHORS };
}

export function newAttachment(key: BoardKey, size: number): Attachment {
  const [id, card_id] = [ids.onBoard(key), ids.onBoard(key)];
  return { id, card_id, name: 'a.bin', mime_type: 'application/octet-stream', size, digest: null, url: null, comment_id: null, ...STAMPS };
}

export function createBoard(shard: Shard, title?: string): { key: BoardKey; board: BoardRecord } {
  const { key, board, create } = newBoard(title);
  shard.transaction(() => shard.write(key, create, [], 0, NOW));
  return { key, board };
}

/** Enough commits to delete all that a test discarded. */
export function sweepAll(shard: Shard): void {
  const isImported = (): boolean => false;
  for (let commits = 0; commits < 50; commits += 1) shard.transaction(() => shard.orphans.sweep(isImported, NOW));
}
