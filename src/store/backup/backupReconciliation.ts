/**
 * Makes copies of shards and directory agree; each is the state of one commit, but no two are of the same instant. The
 * directory was copied last, so it knows every user that a board knows; but it may also have changes that the copied
 * boards do not: created or deleted boards, joined or removed members, later outbox ids.
 *
 * The boards are right about their members, so memberships are rebuilt from them, as if each board's latest change had
 * just arrived, and their changes leave the outboxes. Notices, and cards on their way to another board, are still
 * delivered after the start; both arrive once. The directory is right about profiles: a user whose copy on a board
 * differs becomes pending, and the service delivers the profile after its start.
 */
import { addPending, shownProfile } from '../../domain/directory/outbox.js';
import { Journal } from '../transactions/transactions.js';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'better-sqlite3';
import type { Uuid } from '../../domain/ids.js';
import { toPublicUser, type PublicUser } from '../../domain/account/user.js';
import { DIRECTORY_FILE, openBesideOwner, type DataFile } from '../folder/dataFolder.js';
import { DirectoryTables } from '../directory/directoryTables.js';
import { begin, commit, rollback } from '../sqlite/transaction.js';

/** A board in the trash. */
interface TrashedRow {
  readonly board_key: string;
  readonly board_id: Uuid;
  readonly title: string;
  readonly deleted_at: string;
}

interface MemberRow {
  readonly board_id: Uuid;
  readonly user_id: Uuid;
  readonly since: string;
  readonly profile: string;
}

/** The files have no other user and the current schema. */
export function reconcile(folder: string, files: readonly DataFile[]): void {
  const directory = openBesideOwner(join(folder, DIRECTORY_FILE));
  try {
    inTransaction(directory, () => {
      directory.exec(
        `CREATE TEMP TABLE actual (
           user_id TEXT, board_id TEXT, version INTEGER, since TEXT, PRIMARY KEY (user_id, board_id)
         );
         CREATE TEMP TABLE actual_trash (board_id TEXT PRIMARY KEY, title TEXT, deleted_at TEXT, version INTEGER);
         CREATE TEMP TABLE actual_board (board_id TEXT PRIMARY KEY, version INTEGER);
         CREATE TEMP TABLE actual_author (user_id TEXT, board_id TEXT, PRIMARY KEY (user_id, board_id));
         CREATE TEMP TABLE actual_former (user_id TEXT, board_id TEXT, is_owner INTEGER, PRIMARY KEY (user_id, board_id))`,
      );
      for (const { name, kind } of files) if (kind === 'shard') readShard(directory, join(folder, name));
      rebuildMemberships(directory);
    });
  } finally {
    directory.close();
  }
}

function readShard(directory: Database, file: string): void {
  const shard = openBesideOwner(file);
  try {
    const version = latestOutboxIds(shard);
    const insert = directory.prepare('INSERT INTO temp.actual (user_id, board_id, version, since) VALUES (?, ?, ?, ?)');
    // A copy is put right before it is anyone's file: that is no commit.
    const rows = new DirectoryTables(directory, new Journal());
    const members = shard.prepare<[], MemberRow>(
      `SELECT board.id AS board_id, member.id AS user_id, member.created_at AS since, member.user AS profile
       FROM member JOIN board USING (board_key)`,
    );
    for (const { user_id, board_id, since, profile } of members.iterate()) {
      insert.run(user_id, board_id, version, since);
      const current = shownProfile(rows, user_id);
      if (current !== null && !isCopyOf(current, profile)) addPending(rows, user_id, current);
    }
    readTrash(directory, shard, version);
    readAuthors(directory, shard, version);
    // Programs before other kinds existed wrote no kind.
    shard.exec(`DELETE FROM outbox WHERE coalesce(json_extract(payload, '$.kind'), 'membership') = 'membership'`);
  } finally {
    shard.close();
  }
}

/** Former members stay known, so that those who are deleted are erased there too. */
function readTrash(directory: Database, shard: Database, version: number): void {
  const keepBoard = directory.prepare('INSERT INTO temp.actual_trash (board_id, title, deleted_at, version) VALUES (?, ?, ?, ?)');
  const keepFormer = directory.prepare('INSERT INTO temp.actual_former (user_id, board_id, is_owner) VALUES (?, ?, ?)');
  const members = shard.prepare<[string], { id: Uuid; isOwner: number }>(`SELECT id, role = 'owner' AS isOwner FROM member WHERE board_key = ?`);
  const boards = shard.prepare<[], TrashedRow>(
    `SELECT board_key, id AS board_id, json_extract(content, '$.title') AS title, deleted_at FROM trashed_board`,
  );
  for (const { board_key, board_id, title, deleted_at } of boards.all()) {
    keepBoard.run(board_id, title, deleted_at, version);
    for (const { id, isOwner } of members.all(board_key)) keepFormer.run(id, board_id, isOwner);
  }
}

/** Who is not on a board may have written comments there: when such a user is deleted, the name goes there too. */
function readAuthors(directory: Database, shard: Database, version: number): void {
  const keepBoard = directory.prepare('INSERT INTO temp.actual_board (board_id, version) VALUES (?, ?)');
  const keepAuthor = directory.prepare('INSERT INTO temp.actual_author (user_id, board_id) VALUES (?, ?)');
  const boards = shard.prepare<[], Uuid>('SELECT id FROM board UNION ALL SELECT id FROM trashed_board').pluck();
  for (const id of boards.all()) keepBoard.run(id, version);
  const authors = shard.prepare<[], { board_id: Uuid; user_id: Uuid }>(
    `SELECT DISTINCT board.id AS board_id, comment.created_by AS user_id
     FROM (SELECT board_key, id FROM board UNION ALL SELECT board_key, id FROM trashed_board) AS board JOIN comment USING (board_key)
     WHERE comment.created_by IS NOT NULL`,
  );
  for (const { user_id, board_id } of authors.iterate()) keepAuthor.run(user_id, board_id);
}

/** The next outbox id of this shard is higher, even if all earlier rows are delivered and deleted. */
export function latestOutboxIds(shard: Database): number {
  return shard.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'outbox'`).pluck().get() ?? 0;
}

/** The boards of a user are in order of joining. */
function rebuildMemberships(directory: Database): void {
  directory.exec(`
    CREATE TEMP TABLE rebuilt AS
    SELECT user_id, board_id, actual.version,
      row_number() OVER (PARTITION BY user_id ORDER BY since, known.position, board_id) AS position
    FROM actual LEFT JOIN membership AS known USING (user_id, board_id);
    CREATE TEMP TABLE former AS
      SELECT user_id, board_id FROM membership
      UNION SELECT user_id, board_id FROM actual_author WHERE user_id IN (SELECT id FROM user);
    DELETE FROM membership;
    INSERT INTO membership (user_id, board_id, version, position)
      SELECT user_id, board_id, version, position FROM rebuilt;
    DELETE FROM deleted_board WHERE board_id IN (SELECT board_id FROM actual);
    INSERT INTO membership (user_id, board_id, version, position)
      SELECT user_id, board_id, version, NULL FROM actual_former JOIN actual_trash USING (board_id);
    INSERT INTO membership (user_id, board_id, version, position)
      SELECT user_id, board_id, actual_board.version, NULL FROM former JOIN actual_board USING (board_id) WHERE true ON CONFLICT DO NOTHING;
    INSERT INTO deleted_board (board_id) SELECT board_id FROM actual_trash WHERE true ON CONFLICT DO NOTHING;
    CREATE TEMP TABLE creator AS
      SELECT board_id, coalesce(known.creator_id, created.user_id) AS creator_id FROM actual_trash
      LEFT JOIN trashed_board AS known USING (board_id) LEFT JOIN created_board AS created USING (board_id);
    DELETE FROM created_board WHERE board_id IN (SELECT board_id FROM actual_trash);
    INSERT INTO created_board (board_id, user_id, reserved_at)
      SELECT board_id, creator_id, deleted_at FROM trashed_board
      WHERE board_id IN (SELECT board_id FROM actual) AND creator_id IS NOT NULL ON CONFLICT DO NOTHING;
    DELETE FROM trashed_board;
    DELETE FROM trashed_owner;
    INSERT INTO trashed_board (board_id, title, deleted_at, version, creator_id)
      SELECT board_id, title, deleted_at, version, creator_id FROM actual_trash JOIN creator USING (board_id);
    INSERT INTO trashed_owner (user_id, board_id, deleted_at)
      SELECT user_id, board_id, deleted_at FROM actual_former JOIN actual_trash USING (board_id)
      WHERE is_owner AND user_id IN (SELECT id FROM user);
    DROP TABLE creator;
    DROP TABLE former;
    DROP TABLE actual_author;
    DROP TABLE actual_board;
    DROP TABLE actual_former;
    DROP TABLE actual_trash;
    DROP TABLE rebuilt;
    DROP TABLE actual;`);
}

/** `copied` is a board's copy as stored in the file. */
export function isCopyOf(current: PublicUser, copied: string): boolean {
  try {
    return isDeepStrictEqual(toPublicUser(current), toPublicUser(JSON.parse(copied) as PublicUser));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return false;
    throw error;
  }
}

function inTransaction(db: Database, work: () => void): void {
  begin(db);
  try {
    work();
    commit(db);
  } catch (error) {
    rollback(db);
    throw error;
  }
}
