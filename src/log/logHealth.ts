/** The servers of a log: which leads it, and whether enough of them take part to store a record. */
import type { StreamInfo } from './jetStreamLog.js';

/** After this time without a word of most servers a leader of NATS gives up. Until then it still answers. */
const SILENCE_NANOSECONDS = 10e9;

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
  const reached = replicas.filter(({ offline, active }) => offline !== true && active < SILENCE_NANOSECONDS);
  const servers = replicas.map(({ name, current, offline }) => ({ name, isCurrent: current && offline !== true }));
  if (leader === null) return { leader, hasQuorum: false, servers, bytes: state.bytes };
  return {
    leader,
    hasQuorum: 1 + reached.length > config.num_replicas / 2,
    servers: [{ name: leader, isCurrent: true }, ...servers],
    bytes: state.bytes,
  };
}
