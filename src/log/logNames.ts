/** The names of the streams and subjects of a cluster. */

export interface LogNames {
  readonly stream: string;
  readonly subject: string;
  /** Where the server repeats what it has stored. */
  readonly repeated: string;
}

/** `partition`: `directory`, or `shard` and its number. */
export function streamName(prefix: string, partition: string): string {
  return `${prefix}-log-${partition.replace(' ', '-')}`;
}

/**
 * The names of a log that is created now. Later generations have subjects of their own, so that an instance which still
 * knows an earlier one can append nothing. The names of an existing log are in its stream.
 */
export function logNames(prefix: string, partition: string, generation = 1): LogNames {
  const place = partition.replace(' ', '.') + (generation === 1 ? '' : `.generation.${generation}`);
  return { stream: streamName(prefix, partition), subject: `${prefix}.log.${place}`, repeated: `${prefix}.repeated.${place}` };
}
