/** The log: JSON lines, or readable lines on a developer's terminal. No log line contains a secret. */
import { createRequire } from 'node:module';
import { pino, type Logger } from 'pino';
import type { Config } from './settings/config.js';

export function createLogger({ logLevel, environment }: Pick<Config, 'logLevel' | 'environment'>): Logger {
  const readable = environment === 'development' && process.stdout.isTTY && isInstalled('pino-pretty');
  return pino({
    level: logLevel,
    // A safety net: these fields must not be logged at all, and the paths are where a careless object would have them.
    redact: ['password', 'hashed_password', 'token', 'authorization', 'cookie', '*.password', '*.hashed_password', '*.token'],
    ...(readable ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } } : {}),
  });
}

/** A development dependency: a production install does not have it. */
function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
