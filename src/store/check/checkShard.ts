/**
 * Invariants of a shard's file: of each board, its events and attachments, of kept answers, and that every row belongs to
 * something.
 */
import type { Database } from 'better-sqlite3';
import { BoardState, type LoadedBoard } from '../../domain/board/board.js';
import { shardOf, type BoardKey, type Uuid } from '../../domain/ids.js';
import { KINDS } from '../../domain/model.js';
import { findBoardProblems } from './checkBoard.js';
import type { Chunk } from '../shard/attachmentContent.js';
import { chunkChecksum, eventChecksum } from '../shard/checksum.js';
import type { ShardPlace } from '../folder/dataFolder.js';
import { tableOf } from '../shard/rowCodecs.js';
import { Shard } from '../shard/shard.js';
import { NO_LOCK } from '../sqlite/lock.js';

interface Log {
  readonly first: number | null;
  readonly last: number | null;
  readonly events: number;
}

interface EventRow {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly json: string;
  readonly checksum: number;
}

/** The file is sound and has the current schema. */
export class ShardCheck {
  readonly #db: Database;
  readonly #place: ShardPlace;
  readonly #shard: Shard;
  readonly #log;
  readonly #events;
  readonly #chunks;
  readonly #loose;

  constructor(db: Database, place: ShardPlace) {
    this.#db = db;
    this.#place = place;
    this.#shard = new Shard(db, NO_LOCK);
    this.#log = db.prepare<[BoardKey], Log>('SELECT min(seq) AS first, max(seq) AS last, count(*) AS events FROM event WHERE board_key = ?');
    this.#events = db.prepare<[BoardKey], EventRow>(
      'SELECT seq, at, type, json, checksum FROM event WHERE board_key = ? AND checksum IS NOT NULL ORDER BY seq',
    );
    this.#chunks = db.prepare<[Uuid], Chunk>('SELECT n, start, bytes, checksum FROM blob WHERE attachment_id = ? ORDER BY n');
    this.#loose = db.prepare<[Uuid], string>('SELECT state FROM loose_blob WHERE attachment_id = ?').pluck();
  }

  get boardKeys(): BoardKey[] {
    return this.#db.prepare<[], BoardKey>('SELECT board_key FROM board').pluck().all();
  }

  *findProblems(): Generator<string> {
    for (const key of this.boardKeys) {
      for (const problem of this.#findOnBoard(key)) yield `${this.#place.name}: on board ${key}, ${problem}`;
    }
    for (const problem of this.#findStrays()) yield `${this.#place.name}: ${problem}`;
  }

  *#findOnBoard(key: BoardKey): Generator<string> {
    const { shard, shards } = this.#place;
    const home = shardOf(key, shards);
    if (home !== shard) yield `nothing can be found: it is looked for in shard ${home}`;
    let board: LoadedBoard | null;
    try {
      board = this.#shard.loadBoard(key);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      yield `a list or a profile cannot be read: ${error.message}`;
      return;
    }
    if (board === null) return;
    if (board.unfinished !== undefined) board = { ...board, entities: BoardState.load(board).entities() };
    yield* findBoardProblems(key, board);
    yield* this.#findInLog(key, board.seq);
    for (const { id, size } of [...board.entities.attachment, ...this.#archivedFiles(key), ...this.#trashedFiles(key)]) {
      const problem = this.#findInContent(id, size);
      if (problem !== null) yield `attachment ${id} ${problem}`;
    }
  }

  #archivedFiles(key: BoardKey): Array<{ readonly id: Uuid; readonly size: number }> {
    return this.#db
      .prepare<[BoardKey], { id: Uuid; size: number }>(
        `SELECT json_extract(file.value, '$.id') AS id, json_extract(file.value, '$.size') AS size
         FROM archived, json_each(archived.content, '$.attachments') AS file WHERE board_key = ?`,
      )
      .all(key);
  }

  #trashedFiles(key: BoardKey): Array<{ readonly id: Uuid; readonly size: number }> {
    return this.#db
      .prepare<[BoardKey], { id: Uuid; size: number }>(
        `SELECT json_extract(file.value, '$.id') AS id, json_extract(file.value, '$.size') AS size
         FROM trashed, json_each(trashed.content, '$.attachment') AS file WHERE board_key = ?`,
      )
      .all(key);
  }

  /** Old events may be missing, but the kept ones reach the latest number without a gap. */
  *#findInLog(key: BoardKey, seq: number): Generator<string> {
    const log = this.#log.get(key);
    if (log === undefined || log.first === null || log.last === null) return;
    if (log.last !== seq) yield `the latest event has number ${log.last}, and the board is at ${seq}`;
    if (log.last - log.first + 1 !== log.events) {
      yield `between events ${log.first} and ${log.last} some are missing: there are ${log.events}`;
    }
    for (const { seq, at, type, json, checksum } of this.#events.iterate(key)) {
      if (eventChecksum(key, seq, at, type, json) !== checksum) yield `event ${seq} is damaged: its checksum differs`;
    }
  }

  #findInContent(id: Uuid, size: number): string | null {
    if (this.#loose.get(id) !== undefined) return 'has content that is marked for deletion';
    let end = 0;
    let damaged: string | null = null;
    let expected = 0;
    for (const { n, start, bytes, checksum } of this.#chunks.iterate(id)) {
      if (n !== expected || start !== end) return `lacks a part of its content after ${end} bytes`;
      if (checksum !== null && chunkChecksum(id, n, start, bytes) !== checksum) {
        damaged ??= `has damaged content after ${start} bytes: its checksum differs`;
      }
      expected += 1;
      end += bytes.length;
    }
    return end === size ? damaged : `has ${end} bytes of content instead of ${size}`;
  }

  *#findStrays(): Generator<string> {
    for (const table of [...KINDS.filter((kind) => kind !== 'board').map(tableOf), 'event', 'used_id', 'keyed_create']) {
      const stray = this.#count(
        `SELECT count(*) FROM ${table} WHERE board_key NOT IN (SELECT board_key FROM board)
           AND board_key NOT IN (SELECT board_key FROM loose_board)`,
      );
      if (stray > 0) yield `${stray} rows of ${table} belong to no board`;
    }
    const comments = this.#count(
      `SELECT count(*) FROM comment WHERE NOT EXISTS (SELECT 1 FROM card WHERE card.board_key = comment.board_key AND card.id = comment.card_id)
         AND NOT EXISTS (SELECT 1 FROM archived WHERE archived.board_key = comment.board_key AND archived.id = comment.card_id)
         AND NOT EXISTS (SELECT 1 FROM trashed_part AS part WHERE part.board_key = comment.board_key AND part.id = comment.card_id)
         AND NOT EXISTS (SELECT 1 FROM loose_comment AS loose WHERE loose.board_key = comment.board_key AND loose.card_id = comment.card_id)
         AND board_key IN (SELECT board_key FROM board)`,
    );
    if (comments > 0) yield `${comments} comments belong to no card and are not marked for deletion`;
    const versions = this.#count(
      `SELECT count(*) FROM version WHERE board_key IN (SELECT board_key FROM board) AND NOT EXISTS (
         SELECT 1 FROM card WHERE card.board_key = version.board_key AND card.id = substr(version.id, 1, 36))
         AND NOT EXISTS (SELECT 1 FROM archived WHERE archived.board_key = version.board_key AND archived.id = substr(version.id, 1, 36))
         AND NOT EXISTS (SELECT 1 FROM trashed_part AS part WHERE part.board_key = version.board_key AND part.id = substr(version.id, 1, 36))
         AND NOT EXISTS (SELECT 1 FROM loose_comment AS loose WHERE loose.board_key = version.board_key AND loose.card_id = substr(version.id, 1, 36))`,
    );
    if (versions > 0) yield `${versions} versions of texts belong to no card and are not marked for deletion`;
    const weighed = this.#count(
      `SELECT count(*) FROM board WHERE version_bytes <> (SELECT coalesce(sum(bytes), 0) FROM version WHERE version.board_key = board.board_key)`,
    );
    if (weighed > 0) yield `${weighed} boards have other bytes of versions than they count`;
    const miscounted = this.#count(
      `SELECT count(*) FROM card WHERE board_key IN (SELECT board_key FROM board) AND comment_count <>
         (SELECT count(*) FROM comment WHERE comment.board_key = card.board_key AND comment.card_id = card.id)`,
    );
    if (miscounted > 0) yield `${miscounted} cards have another number of comments than they count`;
    const archives = this.#count(
      `SELECT count(*) FROM board WHERE coalesce(json_extract(archived, '$.cards'), 0) + coalesce(json_extract(archived, '$.columns'), 0) <>
         (SELECT count(*) FROM archived WHERE archived.board_key = board.board_key)`,
    );
    if (archives > 0) yield `${archives} boards have another number of archived cards and columns than they count`;
    const timers = this.#count(
      `SELECT count(*) FROM timer WHERE kind = 'reminder' AND NOT EXISTS (SELECT 1 FROM card WHERE card.board_key = timer.board_key AND card.id = timer.target)`,
    );
    if (timers > 0) yield `${timers} timers belong to no card`;
    const stuck = this.#count(
      `SELECT count(*) FROM moved WHERE state = 'leaving' AND board_key IN (SELECT board_key FROM board) AND NOT (
         EXISTS (SELECT 1 FROM card WHERE card.board_key = moved.board_key AND card.id = moved.id)
         AND EXISTS (SELECT 1 FROM outbox WHERE outbox.board_key = moved.board_key AND json_extract(payload, '$.kind') = 'cardMove'
           AND json_extract(payload, '$.card_id') = moved.id))`,
    );
    if (stuck > 0) yield `${stuck} cards are on their way to another board, and are not there or nothing takes them`;
    const content = this.#count(
      `SELECT count(DISTINCT attachment_id) FROM blob
       WHERE attachment_id NOT IN (SELECT id FROM attachment)
         AND attachment_id NOT IN (SELECT id FROM archived_part WHERE kind = 'attachment')
         AND attachment_id NOT IN (SELECT id FROM trashed_part WHERE kind = 'attachment')
         AND attachment_id NOT IN (SELECT attachment_id FROM loose_blob)`,
    );
    if (content > 0) yield `${content} contents belong to no attachment and are not marked for deletion`;
    const unmarked = this.#count('SELECT count(*) FROM trashed_board WHERE board_key NOT IN (SELECT board_key FROM loose_board)');
    if (unmarked > 0) yield `${unmarked} boards in the trash have rows that are not marked as theirs`;
    const unreadable = this.#count('SELECT count(*) FROM answer WHERE json_valid(body) = 0');
    if (unreadable > 0) yield `${unreadable} kept answers cannot be read`;
  }

  #count(sql: string): number {
    return this.#db.prepare<[], number>(sql).pluck().get() ?? 0;
  }
}
