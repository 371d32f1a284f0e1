/** The log: JSON lines, or readable lines on a developer's terminal. Nothing that is logged holds a secret. */
import { createRequire } from 'node:module';
import { pino, type Logger } from 'pino';
import type { Config } from './config.js';

export function createLogger({ logLevel, environment }: Pick<Config, 'logLevel' | 'environment'>): Logger {
  const readable = environment === 'development' && process.stdout.isTTY && isInstalled('pino-pretty');
  return pino({
    level: logLevel,
    // A net under the rule that nobody logs these; the paths are where a careless object would carry them.
    redact: ['password', 'hashed_password', 'token', 'authorization', 'cookie', '*.password', '*.hashed_password', '*.token'],
    ...(readable ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } } } : {}),
  });
}

/** It is a development dependency: a production install goes without. */
function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
