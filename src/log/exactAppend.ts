/**
 * Appends a record to a log exactly once. A refusal is not believed: a server that no longer leads refuses the very
 * message that the real leader stores. Repeating is harmless, because one place is filled once.
 */
import type { LogStream } from './logStream.js';

/**
 * `stored`: at the place after the expected one. `fenced`: that place has another record, so this one never gets in.
 * `unknown`: neither could be found out.
 */
export type Appended = 'stored' | 'fenced' | 'unknown';

export interface AppendOptions {
  readonly stream: Pick<LogStream, 'publish' | 'read'>;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** Gets each outcome that an answer alone did not decide. */
  readonly onResolved?: () => void;
}

/** Longer than NATS needs to elect a leader after a hard loss. */
export const PATIENCE_MS = 20_000;
const PAUSE_MS = 30;

export async function appendExactly(options: AppendOptions, body: Uint8Array, expected: number): Promise<Appended> {
  const { stream, now, pause } = options;
  for (const end = now() + PATIENCE_MS; now() < end; await pause(PAUSE_MS)) {
    const answer = await stream.publish(body, expected);
    if (answer.kind === 'stored' && answer.seq === expected + 1) return 'stored';
    if (answer.kind === 'no answer') continue;
    const content = await contentOf(options, expected + 1);
    if (content === null) continue;
    options.onResolved?.();
    return Buffer.compare(content, body) === 0 ? 'stored' : 'fenced';
  }
  return 'unknown';
}

/** Null if no server shows a record there: the one that answered may lag. */
async function contentOf({ stream }: AppendOptions, seq: number): Promise<Uint8Array | null> {
  try {
    return (await stream.read(seq))?.body ?? null;
  } catch {
    // Without an answer the place is as unknown as before, and the append is repeated.
    return null;
  }
}
