/**
 * CRC-32 of rows. SQLite's `integrity_check` verifies the structure of a file and accepts any byte inside a text or a
 * blob. This protects against accidents only: a program that can write the file can write the checksum too.
 */
import { crc32 } from '../../flow/crc32.js';

export function eventChecksum(key: string, seq: number, at: string, type: string, json: string): number {
  // As of one text, without making it: most of it is the event.
  return crc32(json, crc32(`${key} ${seq} ${at} ${type} `));
}

export function chunkChecksum(attachmentId: string, n: number, start: number, bytes: Uint8Array): number {
  return crc32(bytes, crc32(`${attachmentId} ${n} ${start} `));
}

/** Of an encoded commit in a log. */
export function commitChecksum(shard: number, number: number, body: Uint8Array): number {
  return crc32(body, crc32(`${shard} ${number} `));
}

/** Of a number in the file of acknowledged commits. `owner`: the checksum of the folder and file that it belongs to. */
export function acknowledgementChecksum(owner: number, bytes: Uint8Array): number {
  return crc32(bytes, owner);
}

export function ownerChecksum(folder: string, name: string): number {
  return crc32(`${folder} ${name} `);
}
