/** The content of a snapshot: a data file, compressed and encrypted in chunks. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createGunzip, createGzip } from 'node:zlib';
import type { SnapshotManifest } from '../log/snapshotManifest.js';
import type { SnapshotStream } from '../log/snapshotStream.js';
import type { SecretSeal } from '../store/directory/directoryCommitCodec.js';

/** With what the encryption adds, a chunk is half the largest message of NATS. */
const CHUNK_BYTES = 512 * 1024 - 64;

export interface StoredContent {
  /** Of the file. */
  readonly bytes: number;
  readonly sha256: string;
  readonly chunks: readonly number[];
}

export interface ContentPlace {
  readonly stream: SnapshotStream;
  readonly seal: SecretSeal;
  readonly partition: string;
  readonly id: string;
}

export async function storeContent(place: ContentPlace, file: string): Promise<StoredContent> {
  const { stream, seal, id } = place;
  const chunks: number[] = [];
  const measured = measure();
  const compress = createGzip({ level: constants.Z_BEST_SPEED });
  await pipeline(createReadStream(file), measured.pass, compress, async (compressed: AsyncIterable<Buffer>) => {
    for await (const chunk of inChunks(compressed)) {
      chunks.push(await stream.storeChunk(id, seal.close(chunk, contextOf(place, chunks.length))));
    }
  });
  return { ...measured.result(), chunks };
}

/** Throws if the content is not what the manifest announces. `file`: where it is written; null only checks it. */
export async function readContent(place: ContentPlace, manifest: SnapshotManifest, file: string | null): Promise<void> {
  const measured = measure();
  const target = file === null ? discarded() : createWriteStream(file, { flags: 'r+' });
  await pipeline(openChunks(place, manifest.chunks), createGunzip(), measured.pass, target);
  const { bytes, sha256 } = measured.result();
  if (bytes !== manifest.bytes) throw new Error(`it has ${bytes} bytes instead of ${manifest.bytes}`);
  if (sha256 !== manifest.sha256) throw new Error('its checksum differs');
}

async function* openChunks(place: ContentPlace, chunks: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const [n, seq] of chunks.entries()) {
    const sealed = await place.stream.readChunk(seq);
    yield place.seal.open(sealed, contextOf(place, n));
  }
}

/** A chunk cannot be moved to another place or another snapshot. */
function contextOf({ partition, id }: ContentPlace, n: number): Uint8Array {
  return Buffer.from(`snapshot ${partition} ${id} ${n}`);
}

async function* inChunks(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const piece of bytes) {
    held.push(piece);
    size += piece.length;
    if (size < CHUNK_BYTES) continue;
    let rest = Buffer.concat(held);
    for (; rest.length >= CHUNK_BYTES; rest = rest.subarray(CHUNK_BYTES)) yield rest.subarray(0, CHUNK_BYTES);
    held = [rest];
    size = rest.length;
  }
  if (size > 0) yield Buffer.concat(held);
}

interface Measured {
  readonly pass: Transform;
  result(): { readonly bytes: number; readonly sha256: string };
}

function measure(): Measured {
  const hash = createHash('sha256');
  let bytes = 0;
  const pass = new Transform({
    transform: (piece: Buffer, _, done) => {
      hash.update(piece);
      bytes += piece.length;
      done(null, piece);
    },
  });
  return { pass, result: () => ({ bytes, sha256: hash.digest('hex') }) };
}

function discarded(): Writable {
  return new Writable({ write: (_piece, _encoding, done) => done() });
}
