/**
 * Boards that were deleted and can be restored. Without its record a board is gone for every reader, so the record alone moves: its
 * other rows stay where they are, and nothing sweeps them while the record is here.
 */
import type { Database } from 'better-sqlite3';
import type { LoadedBoard } from '../../domain/board/board.js';
import type { BoardKey, Uuid } from '../../domain/ids.js';
import type { BoardRecord } from '../../domain/model.js';
import type { ShardWrite } from '../../domain/ports/shardCommit.js';
import { prepareRead } from '../sqlite/read.js';
import { prepareWrite } from '../sqlite/transaction.js';
import type { SqlValue } from '../table/rowCodec.js';
import type { AttachmentContent } from './attachmentContent.js';
import { keyTaken, type EntityTables } from './entityTables.js';
import type { OrphanRows } from './orphanRows.js';
import { entityCodec } from './rowCodecs.js';
import type { ShardJournal } from './shardJournal.js';
import type { UnfinishedRemovals } from './unfinishedRemovals.js';

export interface TrashedBoardsParts {
  readonly tables: EntityTables;
  readonly orphans: OrphanRows;
  readonly removals: UnfinishedRemovals;
  readonly content: AttachmentContent;
  readonly journal: ShardJournal;
}

export interface TrashedBoard {
  readonly key: BoardKey;
  readonly id: Uuid;
}

interface BoardColumn {
  readonly name: string;
  readonly absent: string | null;
}

/** A row of the table `board`, and of a board that was deleted by an older program without its later columns. */
interface StoredBoard {
  readonly epoch: string;
  readonly seq: number;
  readonly active_at?: string | null;
  readonly last_number?: number;
  readonly [column: string]: SqlValue | undefined;
}

export class TrashedBoards {
  readonly #parts: TrashedBoardsParts;
  readonly #codec = entityCodec('board');
  readonly #db: Database;
  readonly #content;
  readonly #deletedAt;
  readonly #expired;
  readonly #remove;

  constructor(db: Database, parts: TrashedBoardsParts) {
    this.#db = db;
    this.#parts = parts;
    this.#content = prepareRead(() => db.prepare<[BoardKey], string>('SELECT content FROM trashed_board WHERE board_key = ?').pluck());
    this.#deletedAt = prepareRead(() => db.prepare<[BoardKey], string>('SELECT deleted_at FROM trashed_board WHERE board_key = ?').pluck());
    this.#expired = prepareRead(() =>
      db.prepare<[string, number], TrashedBoard>(
        'SELECT board_key AS key, id FROM trashed_board WHERE deleted_at < ? ORDER BY deleted_at, board_key LIMIT ?',
      ),
    );
    this.#remove = prepareWrite<[BoardKey]>(db, 'DELETE FROM trashed_board WHERE board_key = ?');
  }

  /** Null if it is not in the trash. */
  deletedAt(key: BoardKey): string | null {
    return this.#deletedAt.get(key) ?? null;
  }

  /** Some that were deleted before this time, the first ones first. */
  expired(before: string, limit: number): TrashedBoard[] {
    return this.#expired.all(before, limit);
  }

  /** What a board in memory has besides its other records; null if it is not in the trash. */
  find(key: BoardKey): (Omit<LoadedBoard, 'entities'> & { readonly record: BoardRecord }) | null {
    const content = this.#content.get(key);
    if (content === undefined) return null;
    const stored = JSON.parse(content) as StoredBoard;
    const record = this.#codec.fromRow(this.#codec.columns.map((name) => stored[name] ?? null));
    return { record, epoch: stored.epoch, seq: stored.seq, activeAt: stored.active_at ?? null, lastNumber: stored.last_number ?? 0 };
  }

  /** The board is gone for all readers. */
  keep(key: BoardKey, at: string): void {
    const fields = this.#columns().map(({ name }) => `'${name}', ${name}`);
    // Prepared anew: deletions are rare, and the columns are those of the file.
    const keep = prepareWrite<[string, BoardKey]>(
      this.#db,
      `INSERT INTO trashed_board (board_key, id, deleted_at, content)
       SELECT board_key, id, ?, json_object(${fields.join(', ')}) FROM board WHERE board_key = ?`,
    );
    if (keep(at, key).changes !== 1) throw new Error(`board ${key} is not in ${this.#db.name}`);
    const { tables, orphans, content, journal } = this.#parts;
    content.dropUploadsOfBoard(key);
    tables.removeRecord(key);
    orphans.mark(key, at);
    journal.note({ op: 'board.trash', key, at });
  }

  /** The board is there again, as it was. */
  restore(key: BoardKey): void {
    const columns = this.#columns();
    const values = columns.map(({ name, absent }) => {
      const value = `json_extract(content, '$.${name}')`;
      return absent === null ? value : `coalesce(${value}, ${absent})`;
    });
    const restore = prepareWrite<[BoardKey]>(
      this.#db,
      `INSERT INTO board (${columns.map(({ name }) => name).join(', ')}) SELECT ${values.join(', ')} FROM trashed_board WHERE board_key = ?`,
    );
    if (restore(key).changes !== 1) throw keyTaken();
    this.#remove(key);
    this.#parts.orphans.unmark(key);
    this.#parts.journal.note({ op: 'board.restore', key });
  }

  /** It can be restored no longer: its rows are swept. Nothing if it is not in the trash. */
  discard(key: BoardKey): void {
    if (this.#remove(key).changes === 0) return;
    this.#parts.removals.forgetBoard(key);
    this.#parts.journal.note({ op: 'board.discard', key });
  }

  /** Repeats a write of the owner's commit. */
  execute(write: Extract<ShardWrite, { op: 'board.trash' | 'board.restore' | 'board.discard' }>): void {
    if (write.op === 'board.trash') this.keep(write.key, write.at);
    else if (write.op === 'board.restore') this.restore(write.key);
    else this.discard(write.key);
  }

  /** Of the table `board`, with the default of those that a later schema added. */
  #columns(): BoardColumn[] {
    return this.#db.prepare<[], BoardColumn>(`SELECT name, dflt_value AS absent FROM pragma_table_info('board') ORDER BY cid`).all();
  }
}
