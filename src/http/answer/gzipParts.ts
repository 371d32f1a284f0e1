/**
 * Gzip in parts (RFC 1952). Each part is compressed without the ones before: nothing is kept between two parts, so a
 * client that reads slowly holds no compressor, which takes 270 kB, and one that is gone leaves none to be closed. Parts
 * of 64 KiB of JSON are 1 % larger than in one piece.
 */
import { constants, deflateRaw } from 'node:zlib';
import { MAX_CHUNK_BYTES } from '../../domain/ports/boardsPort.js';
import { crc32 } from '../../flow/crc32.js';

/** Deflate, no name and no time, the fastest level, an unknown system. */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255);
/** May stand between two parts, where it means nothing. */
export const EMPTY_BLOCK = Uint8Array.of(0, 0, 0, 0xff, 0xff);
/** Empty, and marked as the last one. */
const LAST_BLOCK = Uint8Array.of(3, 0);
/** Of the numbers at the end. */
const MODULUS = 2 ** 32;
/** The end of a part that is aligned to bytes and is not the end of the whole; and the output in one piece. */
const OPTIONS = { level: constants.Z_BEST_SPEED, finishFlush: constants.Z_SYNC_FLUSH, chunkSize: MAX_CHUNK_BYTES + 1024 } as const;

export class GzipParts {
  #crc = 0;
  #bytes = 0;

  /** One at a time. */
  async add(bytes: Uint8Array): Promise<Uint8Array> {
    const isFirst = this.#bytes === 0;
    this.#crc = crc32(bytes, this.#crc);
    this.#bytes += bytes.length;
    const part = await deflate(bytes);
    return isFirst ? Buffer.concat([HEADER, part]) : part;
  }

  end(): Uint8Array {
    const sums = new DataView(new ArrayBuffer(8));
    sums.setUint32(0, this.#crc, true);
    sums.setUint32(4, this.#bytes % MODULUS, true);
    return Buffer.concat([LAST_BLOCK, new Uint8Array(sums.buffer)]);
  }
}

function deflate(bytes: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    deflateRaw(bytes, OPTIONS, (error, part) => (error === null ? resolve(part) : reject(error)));
  });
}
