/** Checks that directory and boards agree on memberships, apart from undelivered changes. */
import { Journal } from '../transactions/transactions.js';
import type { Database } from 'better-sqlite3';
import { boardKeyOf, shardOf, type BoardKey, type Uuid } from '../../domain/ids.js';
import { isCopyOf, latestOutboxIds } from '../backup/backupReconciliation.js';
import type { ShardPlace } from '../folder/dataFolder.js';
import { shownProfile } from '../../domain/directory/outbox.js';
import { DirectoryTables } from '../directory/directoryTables.js';

export interface OpenShard {
  readonly place: ShardPlace;
  readonly db: Database;
}

interface Membership {
  readonly user_id: Uuid;
  readonly version: number;
  readonly position: number | null;
}

/** The files are sound, complete and have the current schema. */
export function* findMembershipProblems(directory: Database, shards: readonly OpenShard[]): Generator<string> {
  for (const shard of shards) yield* findOfShard(directory, shard);
  yield* findOfLostBoards(directory, shards);
  yield* findOfTrash(directory, shards);
}

function* findOfShard(directory: Database, { place, db }: OpenShard): Generator<string> {
  const rows = new DirectoryTables(directory, new Journal());
  const listed = directory.prepare<[Uuid], Membership>('SELECT user_id, version, position FROM membership WHERE board_id = ?');
  const isDeleted = directory.prepare<[Uuid]>('SELECT 1 FROM deleted_board WHERE board_id = ?');
  const isPending = directory.prepare<[Uuid]>('SELECT 1 FROM pending_profile WHERE user_id = ?');
  const members = db.prepare<[BoardKey], { id: Uuid; user: string }>('SELECT id, user FROM member WHERE board_key = ?');
  const latest = latestOutboxIds(db);

  for (const { key, id, untold } of boardsOf(db)) {
    const on = `board ${id} of ${place.name}`;
    if (isDeleted.get(id)) yield `the directory has ${on} as deleted`;
    const known = new Map(listed.all(id).map((membership) => [membership.user_id, membership]));
    for (const { version, user_id } of known.values()) {
      if (version <= latest) continue;
      const numbers = `number ${version}, and the shard is at ${latest}`;
      yield `the directory has a change of ${user_id} on ${on} from the future: ${numbers}`;
    }
    const present = new Set<Uuid>();
    for (const { id: userId, user } of members.all(key)) {
      present.add(userId);
      const current = shownProfile(rows, userId);
      if (current === null) yield `${userId} is a member of ${on} but not a user`;
      if (untold) continue;
      const membership = known.get(userId);
      if (membership === undefined || membership.position === null) {
        yield `${userId} is a member of ${on}, but not in the directory`;
      }
      if (current !== null && !isPending.get(userId) && !isCopyOf(current, user)) {
        yield `${on} has an outdated profile of ${userId}, and no update is pending`;
      }
    }
    for (const { user_id, position } of known.values()) {
      if (position === null || present.has(user_id) || untold) continue;
      yield `the directory takes ${user_id} for a member of ${on}`;
    }
  }
}

/** Boards that the directory knows and no shard has. */
function* findOfLostBoards(directory: Database, shards: readonly OpenShard[]): Generator<string> {
  const listed = directory.prepare<[], Uuid>('SELECT DISTINCT board_id FROM membership WHERE position IS NOT NULL');
  const lookUps = new Map(
    shards.map(({ place, db }) => [
      place.shard,
      db.prepare<[BoardKey, Uuid, BoardKey]>(
        `SELECT 1 WHERE EXISTS (SELECT 1 FROM board WHERE board_key = ? AND id = ?)
           OR EXISTS (SELECT 1 FROM outbox WHERE board_key = ?)`,
      ),
    ]),
  );
  for (const id of listed.pluck().iterate()) {
    const key = boardKeyOf(id);
    if (lookUps.get(shardOf(key, shards.length))?.get(key, id, key) === undefined) {
      yield `the directory lists the board ${id}, which does not exist`;
    }
  }
}

/** Boards that users are offered to restore, and no shard has in its trash. */
function* findOfTrash(directory: Database, shards: readonly OpenShard[]): Generator<string> {
  const lookUps = new Map(
    shards.map(({ place, db }) => [
      place.shard,
      db.prepare<[BoardKey, Uuid, BoardKey]>(
        `SELECT 1 WHERE EXISTS (SELECT 1 FROM trashed_board WHERE board_key = ? AND id = ?)
           OR EXISTS (SELECT 1 FROM outbox WHERE board_key = ?)`,
      ),
    ]),
  );
  for (const id of directory.prepare<[], Uuid>('SELECT board_id FROM trashed_board').pluck().iterate()) {
    const key = boardKeyOf(id);
    if (lookUps.get(shardOf(key, shards.length))?.get(key, id, key) === undefined) {
      yield `the directory has the board ${id} in the trash, where it is not`;
    }
  }
}

/** `untold`: the directory may not have the latest change yet. */
function boardsOf(db: Database): Iterable<{ key: BoardKey; id: Uuid; untold: number }> {
  return db
    .prepare<[], { key: BoardKey; id: Uuid; untold: number }>(
      `SELECT board_key AS key, id, board_key IN (SELECT board_key FROM outbox) AS untold FROM board`,
    )
    .all();
}
