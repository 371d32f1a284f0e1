/**
 * The records of a partition's log. Each names the chain before it, so that a copy that has followed another log, or
 * a record that was damaged, is found out before it is applied.
 *
 *   length of the header (32 bits, big-endian) · header in JSON · the commit, or a piece of it
 */
import { createHash } from 'node:crypto';

/** Raise it when an older program would misread what this one writes. */
export const RECORD_VERSION = 1;
const WORD_BYTES = 4;
const CHAIN_BYTES = 16;
/** Of the content of one record; the default limit of a NATS message is 1 MiB. */
export const MAX_PIECE_BYTES = 512 * 1024;

export type RecordKind =
  /** A commit, or its last piece; without content it only shows that its writer still owns the partition. */
  | { readonly type: 'commit'; readonly pieces: number }
  /** A piece of a commit, from 1. Without the last one the commit never was. */
  | { readonly type: 'piece'; readonly piece: number }
  /**
   * From here on the instance owns the partition, and its commits are for programs that know this schema of the file. Each
   * of its records lets it answer reads for `leaseMs`; records of older programs do not say it.
   */
  | { readonly type: 'own'; readonly folder: string; readonly schema: number; readonly leaseMs?: number }
  /** No process owns the partition. */
  | { readonly type: 'release' };

export interface LogRecord {
  /** The incarnation of the instance that wrote it. */
  readonly by: string;
  /** Rises by one with each owner. */
  readonly term: number;
  /** The chain before it. */
  readonly after: string;
  readonly kind: RecordKind;
  readonly content: Uint8Array;
}

const NO_CONTENT = new Uint8Array();
/** As the length of a header it would be more than a record can have. */
const REFUSED = Buffer.from([0xff, 0xff, 0xff, 0xff]);

export function encodeRecord({ by, term, after, kind, content }: LogRecord): Uint8Array {
  const header = Buffer.from(JSON.stringify({ version: RECORD_VERSION, by, term, after, kind }));
  const length = Buffer.alloc(WORD_BYTES);
  length.writeUInt32BE(header.length);
  return Buffer.concat([length, header, content]);
}

/** Throws if this program cannot read it. */
export function decodeRecord(body: Uint8Array): LogRecord {
  const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (REFUSED.equals(buffer.subarray(0, REFUSED.length))) throw new Error(buffer.toString('utf8', REFUSED.length));
  const end = WORD_BYTES + (buffer.length < WORD_BYTES ? 0 : buffer.readUInt32BE(0));
  if (end > buffer.length) throw new Error('a record that is cut off');
  const header = JSON.parse(buffer.toString('utf8', WORD_BYTES, end)) as LogRecord & { readonly version: number };
  if (header.version !== RECORD_VERSION) {
    throw new Error(`a record of version ${header.version}; this program reads version ${RECORD_VERSION}`);
  }
  const { by, term, after, kind } = header;
  return { by, term, after, kind, content: end === buffer.length ? NO_CONTENT : buffer.subarray(end) };
}

/** Stands for a record that must not be believed: decoding it fails with the reason. */
export function refusedRecord(reason: string): Uint8Array {
  return Buffer.concat([REFUSED, Buffer.from(reason)]);
}

export function nextChain(chain: string, body: Uint8Array): string {
  return createHash('sha256')
    .update(chain, 'hex')
    .update(body)
    .digest('hex')
    .slice(0, 2 * CHAIN_BYTES);
}

/** The pieces of a commit, each small enough for a record; one empty piece for no commit. */
export function piecesOf(content: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += MAX_PIECE_BYTES) pieces.push(content.subarray(at, at + MAX_PIECE_BYTES));
  return pieces.length === 0 ? [NO_CONTENT] : pieces;
}
