/** Offers the way to the first superuser: a token in the data folder, and its hash in the directory, until there was one. */
import { join } from 'node:path';
import type { Logger } from 'pino';
import { SetupDoor } from './api/accounts/setupDoor.js';
import { hashSetupToken, isSetupToken, newSetupToken } from './auth/setupTokens.js';
import type { DirectoryPort } from './domain/commands/directoryCommands.js';
import { readSetupToken, removeSetupToken, SETUP_TOKEN_FILE } from './store/folder/setupToken.js';

/** The directory may be out of reach at a start, or an older program may still run. */
const RETRY_MS = 10_000;

export interface SetupOffer {
  readonly door: SetupDoor;
  /** The token, when the directory knows it; null if a user is or was a superuser. */
  readonly token: Promise<string | null>;
  stop(): void;
}

export function offerSetup(dataDir: string, directory: DirectoryPort, log: Logger): SetupOffer {
  let timer: NodeJS.Timeout | null = null;
  let isStopped = false;
  const door = new SetupDoor(directory, () => {
    try {
      removeSetupToken(dataDir);
    } catch (error) {
      log.warn({ err: error, dataDir }, 'the file setup-token could not be removed; it opens nothing any more');
    }
  });
  const token = new Promise<string | null>((resolve) => {
    const offer = async (isFirst: boolean): Promise<void> => {
      try {
        const offered = wholeToken(dataDir);
        const state = await directory.ask('setup.offer', { token_hash: hashSetupToken(offered), now: new Date().toISOString() });
        if (state === 'done') door.close();
        resolve(state === 'done' ? null : offered);
      } catch (error) {
        if (isStopped) return resolve(null);
        if (isFirst) log.warn({ err: error }, 'the way to the first superuser cannot be offered yet');
        timer = setTimeout(() => void offer(false), RETRY_MS);
        timer.unref();
      }
    };
    void offer(true);
  });
  return {
    door,
    token,
    stop() {
      isStopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** Where the operator finds the token. The log names the file, never the token. */
export function setupTokenPath(dataDir: string): string {
  return join(dataDir, SETUP_TOKEN_FILE);
}

/** A file that was edited would be refused for ever. */
function wholeToken(dataDir: string): string {
  const found = readSetupToken(dataDir, newSetupToken());
  if (isSetupToken(found)) return found;
  removeSetupToken(dataDir);
  return readSetupToken(dataDir, newSetupToken());
}
