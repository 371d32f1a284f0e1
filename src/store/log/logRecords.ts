/** Reads the commits of a shard from a log. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import type { ShardCommit } from '../../domain/ports/shardCommit.js';
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
