/** Reads what recorder.c wrote: every change below the recorded folder, in order. */
import { readFileSync } from 'node:fs';

/** Times are those of `monotonicTime`. Paths are relative to the folder. */
export type TraceRecord = { readonly time: number } & (
  | { readonly kind: 'file' | 'folder'; readonly inode: number; readonly path: string }
  | { readonly kind: 'open'; readonly inode: number; readonly path: string }
  | { readonly kind: 'write'; readonly inode: number; readonly at: number; readonly content: Buffer }
  | { readonly kind: 'resize'; readonly inode: number; readonly size: number }
  | { readonly kind: 'rename' | 'link'; readonly inode: number; readonly from: string; readonly to: string }
  | { readonly kind: 'remove'; readonly path: string }
  | { readonly kind: 'flush began' | 'flush ended'; readonly inode: number; readonly flush: bigint }
);

/** `struct header` of recorder.h. */
const HEADER_BYTES = 32;

/** Throws if the process did something that the model of the disk does not know. */
export function readTrace(file: string): TraceRecord[] {
  const bytes = readFileSync(file);
  const records: TraceRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes.readUInt32LE(at + 28);
    records.push(toRecord(bytes, at, bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length)));
    at += HEADER_BYTES + length;
  }
  return records;
}

function toRecord(bytes: Buffer, at: number, content: Buffer): TraceRecord {
  const time = Number(bytes.readBigUInt64LE(at));
  const inode = Number(bytes.readBigUInt64LE(at + 8));
  const argument = bytes.readBigUInt64LE(at + 16);
  const kind = String.fromCharCode(bytes.readUInt32LE(at + 24));
  switch (kind) {
    case 'C':
      return { time, kind: 'file', inode, path: content.toString() };
    case 'D':
      return { time, kind: 'folder', inode, path: content.toString() };
    case 'O':
      return { time, kind: 'open', inode, path: content.toString() };
    case 'W':
      return { time, kind: 'write', inode, at: Number(argument), content };
    case 'T':
      return { time, kind: 'resize', inode, size: Number(argument) };
    case 'R':
    case 'L': {
      const [from = '', to = ''] = content.toString().split('\0');
      return { time, kind: kind === 'R' ? 'rename' : 'link', inode, from, to };
    }
    case 'U':
      return { time, kind: 'remove', path: content.toString() };
    case 'F':
      return { time, kind: 'flush began', inode, flush: argument };
    case 'E':
      return { time, kind: 'flush ended', inode, flush: argument };
    case 'X':
      throw new Error(`the model of the disk does not know ${content.toString()}`);
    default:
      throw new Error(`the trace is damaged at byte ${at}`);
  }
}
