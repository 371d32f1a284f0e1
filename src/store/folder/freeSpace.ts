/** Watches the free space on the disk of the data folder, also while no write fails. */
import { statfs } from 'node:fs/promises';

/**
 * Below this the disk counts as full: a change of a board takes some pages in the log of its file, a chunk of an upload
 * 64 KiB. A much higher limit would take an instance out of service whose changes still succeed.
 */
const FULL_BYTES = 1024 * 1024;
const CHECK_MS = 5_000;

export interface FreeSpace {
  readonly isFull: boolean;
  stop(): void;
}

/** `onError` is called for the first failed check; the disk then counts as not full. */
export async function watchFreeSpace(dataDir: string, onError: (error: unknown) => void): Promise<FreeSpace> {
  let isFull = false;
  let isReported = false;
  const check = async (): Promise<void> => {
    try {
      const { bavail, bsize } = await statfs(dataDir);
      isFull = bavail * bsize < FULL_BYTES;
    } catch (error) {
      isFull = false;
      if (!isReported) onError(error);
      isReported = true;
    }
  };
  await check();
  const timer = setInterval(() => void check(), CHECK_MS).unref();
  return {
    get isFull() {
      return isFull;
    },
    stop: () => clearInterval(timer),
  };
}
