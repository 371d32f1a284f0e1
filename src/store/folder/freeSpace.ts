/** Whether there is room left on the disk of the data folder, also while nothing is written that could fail. */
import { statfs } from 'node:fs/promises';

/**
 * Less than this is full: a change of a board takes some pages in the log of its file, a chunk of an upload 64 KiB. Far
 * more would take an instance out of service whose changes still succeed.
 */
const FULL_BYTES = 1024 * 1024;
const LOOK_MS = 5_000;

export interface FreeSpace {
  readonly isFull: boolean;
  stop(): void;
}

/** `onError` hears the first failure to look; the disk then counts as not full. */
export async function watchFreeSpace(dataDir: string, onError: (error: unknown) => void): Promise<FreeSpace> {
  let isFull = false;
  let isReported = false;
  const look = async (): Promise<void> => {
    try {
      const { bavail, bsize } = await statfs(dataDir);
      isFull = bavail * bsize < FULL_BYTES;
    } catch (error) {
      isFull = false;
      if (!isReported) onError(error);
      isReported = true;
    }
  };
  await look();
  const timer = setInterval(() => void look(), LOOK_MS).unref();
  return {
    get isFull() {
      return isFull;
    },
    stop: () => clearInterval(timer),
  };
}
