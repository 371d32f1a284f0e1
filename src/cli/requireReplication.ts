/** The settings of commands about several machines. */
import type { Config } from '../config.js';
import { CommandFailure, EX_USAGE } from './outcome.js';

export interface ReplicationChoice {
  readonly urls: readonly string[];
  readonly prefix: string;
  readonly replicas: number;
}

export function requireReplication({ replication, natsUrl, natsPrefix, logReplicas }: Config): ReplicationChoice {
  if (replication === 'off' || natsUrl === null) {
    throw new CommandFailure(EX_USAGE, 'This command needs REPLICATION=jetstream, and the NATS servers in NATS_URL.');
  }
  return { urls: natsUrl, prefix: natsPrefix, replicas: logReplicas };
}
