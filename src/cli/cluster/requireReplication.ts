/** The settings of commands about several machines. */
import type { Config } from '../../settings/config.js';
import type { SecretSeal } from '../../store/directory/directoryCommitCodec.js';
import { CommandFailure, EX_USAGE } from '../outcome.js';

export interface ReplicationChoice {
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly replicas: number;
  /** Encrypts what instances store for each other. */
  readonly seal: SecretSeal;
  /** CLUSTER_SECRET. */
  readonly secret: string;
}

export async function requireReplication(config: Config): Promise<ReplicationChoice> {
  const { replication, natsUrl, natsPrefix, logReplicas, clusterSecret } = config;
  if (replication === 'off' || natsUrl === null || clusterSecret === null) {
    throw new CommandFailure(EX_USAGE, 'This command needs REPLICATION=jetstream, CLUSTER_SECRET, and the NATS servers in NATS_URL.');
  }
  const { Seal } = await import('../../wire/sealing.js');
  return { urls: natsUrl, prefix: natsPrefix, replicas: logReplicas, seal: new Seal(Buffer.from(clusterSecret)), secret: clusterSecret };
}
