/**
 * The data files as of states that agree. Each file is read as of one commit, but a fact that passes from one file to another is in
 * two commits: a user becomes a member of a board, a card leaves one board and arrives on another. So all files are pinned within
 * milliseconds, by a read transaction in each, and pinned again while one has seen the second half of a fact whose first half another
 * lacks. Refused: copying one file again after the others, which never ends while cards move faster than a large file is copied.
 * Price: until a file is copied, its write-ahead log holds what is written meanwhile.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import { MOVE_KEY } from '../../domain/board/moves/movesOnDisk.js';
import { HOUR_MS } from '../../domain/content/time.js';
import { boardKeyOf, parseUuid, type Uuid } from '../../domain/ids.js';
import { DIRECTORY_FILE, openBesideOwner, type DataFile } from '../folder/dataFolder.js';
import { latestNumbers } from '../log/logRecords.js';
import { readLogPosition } from '../sqlite/logPosition.js';

/** A file follows the log of its thread within a tenth of a second, and a replicated one within milliseconds. */
const PATIENCE_MS = 10_000;
/** Files that change no longer never agree: their service was killed, or they were restored one by one. */
const REST_MS = 1_000;
const RETRY_MS = 20;
/** No file is further behind another. Shorter than an answer with a key is kept. */
const MAX_LAG_MS = 12 * HOUR_MS;

export interface PinnedFile {
  readonly file: DataFile;
  /** In a read transaction. */
  readonly db: Database;
}

/**
 * `files`: the shards first, then the directory, which so knows every user whom a board knows. `logs`: copies that were made before.
 * The caller closes what is pinned.
 */
export async function takeCut(dataDir: string, files: readonly DataFile[], logs: readonly string[], patienceMs = PATIENCE_MS): Promise<PinnedFile[]> {
  const pinned: PinnedFile[] = [];
  const logged = latestNumbers(logs);
  try {
    for (const file of files) pinned.push({ file, db: openBesideOwner(join(dataDir, file.name)) });
    const end = performance.now() + patienceMs;
    let [versions, changedAt] = ['', performance.now()];
    for (;;) {
      const pinnedVersions = pinned.map(({ db }) => pin(db)).join();
      if (pinnedVersions !== versions) [versions, changedAt] = [pinnedVersions, performance.now()];
      const isBehind = lacksUsers(pinned);
      const shards = pinned.flatMap(({ file, db }) => (file.kind === 'shard' ? [db] : []));
      if (!isBehind && hasAll(shards, logged) && differencesOfMoves(shards).length === 0) return pinned;
      const isOver = performance.now() >= end;
      if (isBehind && isOver) {
        throw new AppError('unavailable', `${DIRECTORY_FILE} is behind the boards. Start the service, so that it catches up, and try again.`);
      }
      if (!isBehind && (isOver || performance.now() - changedAt >= REST_MS)) return pinned;
      for (const { db } of pinned) db.exec('ROLLBACK');
      await pause(RETRY_MS);
    }
  } catch (error) {
    closeAll(pinned);
    throw error;
  }
}

export function closeAll(pinned: readonly PinnedFile[]): void {
  for (const { db } of pinned) db.close();
}

/** The transaction begins with its first read. Returns a number that changes when others write to the file. */
function pin(db: Database): unknown {
  db.exec('BEGIN');
  db.prepare('SELECT count(*) FROM sqlite_schema').get();
  return db.pragma('data_version', { simple: true });
}

/** Whether the shards have what the copied logs have. A commit that only a log has would be newer than what is pinned of other files. */
function hasAll(shards: readonly Database[], logged: ReadonlyMap<number, number>): boolean {
  if (logged.size === 0) return true;
  return shards.every((db) => {
    const { shard, commits } = db.prepare<[], { shard: number; commits: number }>('SELECT shard, commits FROM place').get() ?? {
      shard: 0,
      commits: 0,
    };
    return commits >= (logged.get(shard) ?? 0);
  });
}

/**
 * The files of a cluster's machine follow their logs independently, so the directory may lack a user who is on a board. Deleted users
 * are remembered, so a missing one is still to come.
 */
function lacksUsers(pinned: readonly PinnedFile[]): boolean {
  const directory = pinned.find(({ file }) => file.kind === 'directory')?.db;
  if (directory === undefined || !pinned.some(({ db }) => hasTable(db, 'log_position') && readLogPosition(db) !== null)) return false;
  const find = directory.prepare<[{ id: Uuid }]>('SELECT 1 FROM user WHERE id = @id UNION ALL SELECT 1 FROM deleted_user WHERE id = @id');
  const members = (db: Database): IterableIterator<Uuid> => db.prepare<[], Uuid>('SELECT DISTINCT id FROM member').pluck().iterate();
  for (const { file, db } of pinned) {
    if (file.kind === 'directory') continue;
    for (const id of members(db)) if (find.get({ id }) === undefined) return true;
  }
  return false;
}

interface Gone {
  readonly id: Uuid;
  readonly board: Uuid;
}

interface Arrived {
  readonly id: Uuid;
  /** Its id on the board that it left. */
  readonly source: string;
}

/** Sentences about cards that left one board and are not on the other, or are there and have not left. */
export function differencesOfMoves(all: readonly Database[]): string[] {
  const shards = all.filter((db) => hasTable(db, 'moved'));
  const since = new Date(Date.now() - MAX_LAG_MS).toISOString();
  const gone = shards.flatMap((db) =>
    db
      .prepare<[string], Gone>(
        // The first condition is that of the index.
        `SELECT new_id AS id, target_board_id AS board FROM moved INDEXED BY moved_by_time
         WHERE state <> 'leaving' AND state = 'gone' AND updated_at >= ?`,
      )
      .all(since),
  );
  const lost = gone.filter((card) => shards.some((db) => hasBoardOf(db, card.board) && !hasHad(db, card)));
  const sent = new Set(shards.flatMap((db) => db.prepare<[], Uuid>('SELECT new_id FROM moved').pluck().all()));
  const arrived = shards.flatMap((db) =>
    db
      .prepare<[string], Arrived>(
        `SELECT substr(key, ${MOVE_KEY.length + 1}) AS id, fingerprint AS source FROM answer WHERE key GLOB '${MOVE_KEY}*' AND created_at >= ?`,
      )
      .all(since),
  );
  // Keys of requests have other fingerprints. With its board the row of a move is gone.
  const twice = arrived.filter(({ id, source }) => !sent.has(id) && isUuid(source) && shards.some((db) => hasBoardOf(db, source)));
  return [
    ...lost.map(({ id, board }) => `Card ${id} left for the board ${board}, whose file is older and does not have it.`),
    ...twice.map(({ id }) => `Card ${id} came from another board, whose file is older and may have it too.`),
  ];
}

/** Also in the trash. */
function hasBoardOf(db: Database, id: Uuid): boolean {
  const sql = ['board', 'trashed_board'].map((table) => `SELECT 1 FROM ${table} WHERE board_key = @key`).join(' UNION ALL ');
  return db.prepare(sql).get({ key: boardKeyOf(id) }) !== undefined;
}

function isUuid(text: string): boolean {
  return parseUuid(text) === text;
}

/** Whether the card is on its board, in an archive or in the trash there, or was. */
function hasHad(db: Database, { id, board }: Gone): boolean {
  const sql = ['card', 'archived', 'used_id'].map((table) => `SELECT 1 FROM ${table} WHERE board_key = @key AND id = @id`).join(' UNION ALL ');
  return db.prepare(sql).get({ key: boardKeyOf(board), id }) !== undefined;
}

function hasTable(db: Database, name: string): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(name) !== undefined;
}
