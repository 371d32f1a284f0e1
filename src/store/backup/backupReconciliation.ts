/**
 * Makes copies of shards and directory agree; each is the state of one commit, but no two are of the same instant. The
 * directory was copied last, so it knows every user that a board knows; but it may also have changes that the copied
 * boards do not: created or deleted boards, joined or removed members, later outbox ids.
 *
 * The boards are right about their members, so memberships are rebuilt from them, as if each board's latest change had
 * just arrived, and the outboxes are emptied. The directory is right about profiles: a user whose copy on a board
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
         )`,
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
    shard.exec('DELETE FROM outbox');
  } finally {
    shard.close();
  }
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
    DELETE FROM membership;
    INSERT INTO membership (user_id, board_id, version, position)
      SELECT user_id, board_id, version, position FROM rebuilt;
    DELETE FROM deleted_board WHERE board_id IN (SELECT board_id FROM actual);
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
