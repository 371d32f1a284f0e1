/** CRC-32 as zlib and gzip have it. */
import zlib from 'node:zlib';

type Data = string | Uint8Array;
/** `value`: of what comes before. */
type Crc32 = (data: Data, value?: number) => number;

/** In Node since 20.15 and 22.2: 0.7 µs for an event of 1 KB, 23 µs for a chunk of 64 KiB. */
const native = (zlib as { crc32?: Crc32 }).crc32;

export const crc32: Crc32 = native ?? crc32InScript();

/** For a Node without the function: one table look-up a byte. */
export function crc32InScript(): Crc32 {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    return crc;
  });
  return (data, value = 0) => {
    let crc = ~value;
    for (const byte of typeof data === 'string' ? Buffer.from(data) : data) {
      crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
    }
    return ~crc >>> 0;
  };
}
