/** The place of a file in the log of its partition, see `schema/shard/0007-log-position.sql`. */
import type { Database } from 'better-sqlite3';
import { AppError } from '../../domain/errors.js';
import { LOG_START, type LogIdentity, type LogPosition } from '../../domain/ports/partitionLog.js';
import { prepareWrite } from './transaction.js';

interface Row extends LogIdentity {
  readonly applied: number;
  readonly chain: string;
  readonly term: number;
  readonly instance: string | null;
  readonly folder: string | null;
  readonly lease_ms: number | null;
}

/** An operator has replaced the log of the file by a newer generation: the file is kept aside, and a snapshot takes its place. */
export class Superseded extends Error {
  /** Of the file. */
  readonly generation: number;

  constructor(message: string, generation: number) {
    super(message);
    this.generation = generation;
  }
}

export interface FollowedLog {
  readonly identity: LogIdentity;
  readonly position: LogPosition;
}

/** Null for a file that follows no log. */
export function readLogPosition(db: Database): FollowedLog | null {
  const row = db.prepare<[], Row>('SELECT cluster, created, generation, applied, chain, term, instance, folder, lease_ms FROM log_position').get();
  if (row === undefined) return null;
  const { cluster, created, generation, applied, chain, term, instance, folder, lease_ms: leaseMs } = row;
  const owner = instance === null ? null : { instance, folder: folder ?? '', leaseMs };
  return { identity: { cluster, created, generation }, position: { applied, chain, term, owner } };
}

/** A file that follows a log must not be written without it: the copies would differ. */
export function requireNoLog(db: Database): void {
  const followed = readLogPosition(db);
  if (followed === null) return;
  throw new AppError(
    'unavailable',
    `${db.name} is a copy in the cluster ${followed.identity.cluster}. Start it with REPLICATION=jetstream, ` +
      'or restore a backup into another folder to go on with one machine.',
  );
}

/** Whether the file has a commit, or rows from before commits had numbers. */
export function hasData(db: Database, kind: 'directory' | 'shard'): boolean {
  const facts = {
    directory: 'SELECT EXISTS (SELECT 1 FROM commit_number WHERE number > 0) OR EXISTS (SELECT 1 FROM user)',
    shard: 'SELECT EXISTS (SELECT 1 FROM place WHERE commits > 0) OR EXISTS (SELECT 1 FROM board)',
  };
  return db.prepare<[], number>(facts[kind]).pluck().get() === 1;
}

/** Makes the file stand for itself. */
export function leaveLog(db: Database): void {
  db.prepare('DELETE FROM log_position').run();
}

/** Within the open transaction. */
export function prepareLogPosition(db: Database, { cluster, created, generation }: LogIdentity): (position: LogPosition) => void {
  const write = prepareWrite<[string, string, number, number, string, number, string | null, string | null, number | null]>(
    db,
    `INSERT INTO log_position (id, cluster, created, generation, applied, chain, term, instance, folder, lease_ms)
     VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET cluster = excluded.cluster, created = excluded.created, generation = excluded.generation,
       applied = excluded.applied, chain = excluded.chain, term = excluded.term, instance = excluded.instance,
       folder = excluded.folder, lease_ms = excluded.lease_ms`,
  );
  return ({ applied, chain, term, owner }) =>
    write(cluster, created, generation, applied, chain, term, owner?.instance ?? null, owner?.folder ?? null, owner?.leaseMs ?? null);
}

/**
 * The position of a copy. Throws if the file follows another log, or has commits that are in no log. `conflict`: the folder
 * is not one of this cluster.
 */
export function requireFollowed(db: Database, identity: LogIdentity, kind: 'directory' | 'shard'): LogPosition {
  const followed = readLogPosition(db);
  if (followed === null) {
    if (!hasData(db, kind)) return LOG_START;
    throw new AppError(
      'conflict',
      `${db.name} has data that the cluster does not know. Start with an empty data folder, or make a cluster of this one ` +
        'with `switchboard cluster init --from FOLDER`.',
    );
  }
  const { cluster, created, generation } = followed.identity;
  if (cluster !== identity.cluster) {
    throw new AppError('conflict', `${db.name} is a copy in the cluster ${cluster}, and NATS has the cluster ${identity.cluster}`);
  }
  if (generation < identity.generation) throw new Superseded(`${db.name} follows generation ${generation} of its log`, generation);
  if (created !== identity.created) {
    throw new AppError(
      'unavailable',
      `${db.name} follows a log that was made at ${created}, and NATS has one that was made at ${identity.created}. ` +
        'The log was lost and made anew; see `switchboard cluster reseed`.',
    );
  }
  return followed.position;
}
