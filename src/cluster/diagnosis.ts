/** Compares the other instances with this one: their secrets, and how fast their clocks run. */
import type { SecretDigests } from '../wire/secretDigests.js';
import type { PeerReading } from './peers.js';

export interface Diagnosis {
  /** The id of the cluster. */
  readonly cluster: string;
  readonly instances: readonly InstanceDiagnosis[];
}

/** Of another instance. */
export interface InstanceDiagnosis {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  /** Its clock against ours, 1 if both run alike; null if its heartbeats stopped. */
  readonly clockRate: number | null;
  readonly hasClusterSecret: boolean;
  /** Null if the cluster secrets differ: then nothing is known. */
  readonly hasTokenSecret: boolean | null;
}

/** `before` and `after`: heartbeats some seconds apart, so that their delays in the network count little. */
export function diagnose(
  before: readonly PeerReading[],
  after: readonly PeerReading[],
  own: SecretDigests,
): InstanceDiagnosis[] {
  return after.map(({ id, host, version, secrets, clock, receivedAt }) => {
    const earlier = before.find((each) => each.id === id);
    const hasClusterSecret = secrets?.cluster === own.cluster;
    return {
      id,
      host,
      version,
      clockRate: earlier === undefined || earlier.clock === clock ? null : (clock - earlier.clock) / (receivedAt - earlier.receivedAt),
      hasClusterSecret,
      hasTokenSecret: hasClusterSecret ? secrets.tokens === own.tokens : null,
    };
  });
}
