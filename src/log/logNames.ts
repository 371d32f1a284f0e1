/** The names of the streams and subjects of a cluster. */

export interface LogNames {
  readonly stream: string;
  readonly subject: string;
  /** Where the server repeats what it has stored. */
  readonly repeated: string;
}

/** `partition`: `directory`, or `shard` and its number. */
export function logNames(prefix: string, partition: string): LogNames {
  const [kind, shard] = partition.split(' ');
  const parts = shard === undefined ? [kind] : [kind, shard];
  return {
    stream: `${prefix}-log-${parts.join('-')}`,
    subject: `${prefix}.log.${parts.join('.')}`,
    repeated: `${prefix}.repeated.${parts.join('.')}`,
  };
}
