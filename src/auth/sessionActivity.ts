/** Records now and then which sessions were used: a write for each request would make every read a write. */
import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { LAST_SEEN_MS } from '../domain/account/session.js';
import type { Callers } from './callers.js';

/** Sessions in one command: each costs a read. */
const SESSIONS_AT_ONCE = 500;

export interface ActivityRecorder {
  stop(): void;
}

export function recordActivity(
  callers: Callers,
  directory: DirectoryPort,
  onError: (error: unknown) => void,
  intervalMs = LAST_SEEN_MS,
): ActivityRecorder {
  const record = async (): Promise<void> => {
    const seen = callers.takeSeen();
    const now = new Date().toISOString();
    for (let at = 0; at < seen.length; at += SESSIONS_AT_ONCE) {
      await directory.ask('session.seen', { ids: seen.slice(at, at + SESSIONS_AT_ONCE), now });
    }
  };
  const timer = setInterval(() => void record().catch(onError), intervalMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
