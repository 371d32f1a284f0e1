/**
 * The contestants' side of their protocol: one line of JSON with the address when ready, a garbage collection on
 * SIGUSR2 and a line when it is done, an orderly end on SIGTERM.
 */
import { collectEverywhere } from './garbage.js';

export interface Ready {
  readonly url: string;
}

export const COLLECTED = JSON.stringify({ collected: true });

export function announce(url: string, close: () => void | Promise<void>): void {
  process.once('SIGTERM', () => {
    void Promise.resolve(close()).then(() => process.exit(0));
  });
  process.on('SIGUSR2', () => {
    void collectEverywhere().then(() => process.stdout.write(`${COLLECTED}\n`));
  });
  process.stdout.write(`${JSON.stringify({ url } satisfies Ready)}\n`);
}

/** A setting that the harness gives to every contestant. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}
