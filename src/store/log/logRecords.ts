/** Reads the commits of a shard from a log. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { ShardCommit } from '../../domain/ports/shardCommit.js';
import { openBesideOwner } from '../folder/dataFolder.js';
import { commitChecksum } from '../shard/checksum.js';
import { decodeCommit } from '../shard/commitCodec.js';

export interface LogRecord {
  /** The name of the log. */
  readonly log: string;
  readonly shard: number;
  readonly number: number;
  readonly history: string;
  readonly body: Uint8Array;
  readonly checksum: number;
}

/** The records of a shard after this number, in order. */
export function recordsAfter(db: Database, shard: number, number: number): LogRecord[] {
  const find = db.prepare<[number, number], Omit<LogRecord, 'log'>>(
    'SELECT shard, number, history, body, checksum FROM record WHERE shard = ? AND number > ? ORDER BY number',
  );
  return find.all(shard, number).map((record) => ({ ...record, log: db.name }));
}

/** Throws if the record is damaged. */
export function commitIn({ log, shard, number, body, checksum }: LogRecord): ShardCommit {
  if (commitChecksum(shard, number, body) !== checksum) {
    throw new AppError('unavailable', `${log} is damaged: commit ${number} of shard ${shard} differs from its checksum`);
  }
  const commit = decodeCommit(body);
  if (commit.number !== number) {
    throw new AppError('unavailable', `${log} is damaged: commit ${number} of shard ${shard} says that it is ${commit.number}`);
  }
  return commit;
}

/** The highest number of each shard in these logs. */
export function latestNumbers(logs: readonly string[]): Map<number, number> {
  const latest = new Map<number, number>();
  for (const log of logs) {
    const db = openBesideOwner(log);
    try {
      if (!hasRecords(db)) continue;
      const found = db.prepare<[], { shard: number; number: number }>('SELECT shard, max(number) AS number FROM record GROUP BY shard').all();
      for (const { shard, number } of found) latest.set(shard, Math.max(number, latest.get(shard) ?? 0));
    } finally {
      db.close();
    }
  }
  return latest;
}

/** Its creator may have been killed before it made the table. */
export function hasRecords(db: Database): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'record'`).get() !== undefined;
}
