/**
 * After a failed flush the operating system may take the unwritten pages for clean: the next flush succeeds and writes
 * nothing. So the bytes are written again before a flush of them is believed.
 */
import { closeSync, existsSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Writes SQLite's write-ahead log of the file again and flushes it. The caller holds the write lock of the file, so no
 * other process changes the log. SQLite takes no locks on it, so closing a descriptor of it is harmless.
 */
export function rewriteWal(file: string): void {
  const wal = `${file}-wal`;
  if (!existsSync(wal)) return;
  const handle = openSync(wal, 'r+');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0, read = -1; read !== 0; at += read) {
      read = readSync(handle, chunk, 0, CHUNK_BYTES, at);
      for (let written = 0; written < read;) written += writeSync(handle, chunk, written, read - written, at + written);
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
