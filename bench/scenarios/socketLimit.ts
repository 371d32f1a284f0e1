/** The number of sockets that this machine allows one process. */
import { openFilesLimit } from '../processes/usage.js';

/** Files, pipes and other connections of a process besides its sockets. */
const SPARE_FILES = 500;

export function socketsPossible(): number {
  const limit = openFilesLimit();
  return limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit - SPARE_FILES);
}

/** The wanted number, or the possible maximum, rounded down to a multiple. */
export function affordableSockets(wanted: number, multiple: number): { sockets: number; warning: string | null } {
  const possible = socketsPossible();
  if (possible >= wanted) return { sockets: wanted, warning: null };
  const sockets = Math.floor(possible / multiple) * multiple;
  return {
    sockets,
    warning:
      `Only ${sockets.toLocaleString('en')} of ${wanted.toLocaleString('en')} sockets: this system allows ` +
      `${openFilesLimit()} open files a process. Raise the hard limit (ulimit -Hn) for all of them.`,
  };
}
