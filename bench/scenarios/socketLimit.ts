/** How many sockets this machine lets one process hold. */
import { openFilesLimit } from '../processes/usage.js';

/** What a process needs besides sockets: files, pipes, other connections. */
const SPARE_FILES = 500;

export function socketsPossible(): number {
  const limit = openFilesLimit();
  return limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - SPARE_FILES);
}

/** The wish, or the most that is possible, rounded down to a multiple. */
export function affordableSockets(wanted: number, multiple: number): { sockets: number; warning: string | null } {
  const possible = socketsPossible();
  if (possible >= wanted) return { sockets: wanted, warning: null };
  const sockets = Math.floor(possible / multiple) * multiple;
  return {
    sockets,
    warning:
      `Only ${sockets.toLocaleString('en')} of ${wanted.toLocaleString('en')} sockets: this system allows ` +
      `${openFilesLimit()} open files a process. Raise the hard limit (ulimit -Hn) for the whole of it.`,
  };
}
