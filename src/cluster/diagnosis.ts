/** Compares the other instances with this one: their secrets, how fast their clocks run, and what time it is there. */
import type { PeerReading } from './peers.js';
import type { UnreadablePeer } from './unreadablePeers.js';

export interface Diagnosis {
  /** The id of the cluster. */
  readonly cluster: string;
  readonly instances: readonly InstanceDiagnosis[];
  /** Instances whose messages cannot be read here. Operators' programs know the name. */
  readonly strangers: readonly UnreadablePeer[];
  /** The settings that another instance has otherwise, by name. */
  readonly differingSettings: readonly string[];
}

/** Of another instance. */
export interface InstanceDiagnosis {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  /** Its clock against ours, 1 if both run alike; null if its heartbeats stopped. */
  readonly clockRate: number | null;
  /** How much later it is there than here; null if it does not say. */
  readonly aheadMs: number | null;
  readonly hasTokenSecret: boolean;
}

/** Heartbeats closer together than this show nothing: their delays count too much. */
const LEAST_APART_MS = 1_000;

/** `readings`: the heartbeats of some seconds, in order. `own`: the digest of what tokens are checked with here. */
export function diagnose(readings: ReadonlyArray<readonly PeerReading[]>, own: string): InstanceDiagnosis[] {
  return (readings.at(-1) ?? []).map(({ id, host, version, tokens }) => {
    const ofInstance = readings.flatMap((each) => each.filter((reading) => reading.id === id));
    return {
      id,
      host,
      version,
      clockRate: rateOf(ofInstance),
      aheadMs: leastDelayed(ofInstance)?.aheadMs ?? null,
      hasTokenSecret: tokens === own,
    };
  });
}

/**
 * From the least delayed heartbeats of the first and the last quarter of the time: on a busy machine some are late by as much
 * as a wrong clock would be. Null if these are not far enough apart.
 */
function rateOf(readings: readonly PeerReading[]): number | null {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return null;
  const quarter = (last.receivedAt - first.receivedAt) / 4;
  const from = leastDelayed(readings.filter(({ receivedAt }) => receivedAt <= first.receivedAt + quarter));
  const to = leastDelayed(readings.filter(({ receivedAt }) => receivedAt >= last.receivedAt - quarter));
  if (from === undefined || to === undefined || to.receivedAt - from.receivedAt < LEAST_APART_MS) return null;
  return (to.clock - from.clock) / (to.receivedAt - from.receivedAt);
}

function leastDelayed(readings: readonly PeerReading[]): PeerReading | undefined {
  return [...readings].sort((a, b) => a.receivedAt - a.clock - (b.receivedAt - b.clock))[0];
}
