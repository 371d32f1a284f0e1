/** The servers of a log: which leads it, and whether enough of them take part to store a record. */
import type { StreamInfo, StreamReplica } from './jetStreamLog.js';

/**
 * The leader hears of each server every second or two. It still calls one current, and itself the leader, for ten seconds
 * after it heard of it last.
 */
const SILENCE_NANOSECONDS = 5e9;

export interface LogHealth {
  /** Null while NATS elects one. */
  readonly leader: string | null;
  readonly hasQuorum: boolean;
  /** The leader first. */
  readonly servers: readonly LogServer[];
  readonly bytes: number;
}

export interface LogServer {
  readonly name: string;
  /** Whether it has all records. */
  readonly isCurrent: boolean;
}

/** Of a log whose leader does not answer. */
export const LEADERLESS: LogHealth = { leader: null, hasQuorum: false, servers: [], bytes: 0 };

/** From the answer of the leader. A server without a cluster names none. */
export function healthOf({ config, state, cluster }: StreamInfo): LogHealth {
  const leader = cluster === undefined ? 'the only server' : (cluster.leader ?? null);
  const replicas = cluster?.replicas ?? [];
  const isReached = ({ offline, active }: StreamReplica): boolean => offline !== true && active < SILENCE_NANOSECONDS;
  const servers = replicas.map((replica) => ({ name: replica.name, isCurrent: replica.current && isReached(replica) }));
  if (leader === null) return { leader, hasQuorum: false, servers, bytes: state.bytes };
  return {
    leader,
    hasQuorum: 1 + replicas.filter(isReached).length > config.num_replicas / 2,
    servers: [{ name: leader, isCurrent: true }, ...servers],
    bytes: state.bytes,
  };
}
