/** What makes a snapshot visible: a message that is stored after all its chunks were stored and read back. */
import * as v from 'valibot';
import type { LogIdentity, LogPosition } from '../domain/ports/partitionLog.js';

/** Raise it when an older program would misread a snapshot. */
const FORMAT = 1;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const id = v.pipe(v.string(), v.regex(/^[\w-]{1,128}$/));

const ManifestSchema = v.object({
  format: v.literal(FORMAT),
  partition: v.string(),
  id,
  /** The log that it replaces the beginning of. */
  cluster: v.string(),
  created: v.string(),
  generation: count,
  /** The last record in it, and the chain up to there. */
  seq: count,
  chain: v.string(),
  term: count,
  schema: count,
  /** The number of the last commit in it. */
  commits: count,
  /** Of the file, and its SHA-256. */
  bytes: count,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** Where its chunks are in the stream, in order. */
  chunks: v.pipe(v.array(count), v.minLength(1)),
});

export type SnapshotManifest = Omit<v.InferOutput<typeof ManifestSchema>, 'format'>;

export function encodeManifest(manifest: SnapshotManifest): Uint8Array {
  return Buffer.from(JSON.stringify({ format: FORMAT, ...manifest }));
}

/** Throws if this program cannot read it. */
export function decodeManifest(body: Uint8Array): SnapshotManifest {
  const { format: _, ...manifest } = v.parse(ManifestSchema, JSON.parse(Buffer.from(body).toString()));
  return manifest;
}

/** Whether both name the same log, and not one that was lost and its successor. */
export function isSameLog(one: LogIdentity, other: LogIdentity): boolean {
  return one.cluster === other.cluster && one.created === other.created && one.generation === other.generation;
}

export function positionIn({ seq, chain, term }: SnapshotManifest): Pick<LogPosition, 'applied' | 'chain' | 'term'> {
  return { applied: seq, chain, term };
}
