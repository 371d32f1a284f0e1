/**
 * Replies to commands that must not be carried out twice. An asker whose answer may have been lost sends the batch again:
 * it gets the reply of the first time, or the command is carried out now, or the outcome is unknown.
 */
import { machineNow } from '../../domain/machineClock.js';
import { itemBytes, type FrameItem } from '../../wire/frame.js';

/** Longer than an asker waits for an answer. */
const KEPT_MS = 15_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** A reply that is not there yet, and what keeping one takes besides its bytes. */
const ENTRY_BYTES = 512;
/** By how much the clock of an asker may be misjudged. */
const CLOCK_ERROR_MS = 1_000;

interface Entry {
  readonly reply: Promise<FrameItem>;
  readonly receivedAt: number;
  bytes: number;
}

export class RememberedReplies {
  readonly #now: () => number;
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  /** Of what arrived later, everything is remembered. */
  #completeSince: number;

  constructor(now: () => number = machineNow) {
    this.#now = now;
    this.#completeSince = -Infinity;
  }

  /** The reply to the command at this place of the batch, if it was carried out. */
  find(batch: string, index: number): Promise<FrameItem> | null {
    return this.#entries.get(keyOf(batch, index))?.reply ?? null;
  }

  /** Whether a command that was sent at this time, by our clock, would be remembered. */
  covers(sentAt: number): boolean {
    return sentAt > this.#completeSince + CLOCK_ERROR_MS;
  }

  remember(batch: string, index: number, reply: Promise<FrameItem>): void {
    const key = keyOf(batch, index);
    const entry = { reply, receivedAt: this.#now(), bytes: ENTRY_BYTES };
    this.#entries.set(key, entry);
    this.#bytes += ENTRY_BYTES;
    this.#forgetOld();
    void reply.then((item) => {
      if (this.#entries.get(key) !== entry) return;
      entry.bytes += itemBytes(item);
      this.#bytes += itemBytes(item);
      this.#forgetOld();
    });
  }

  #forgetOld(): void {
    const since = this.#now() - KEPT_MS;
    for (const [key, { receivedAt, bytes }] of this.#entries) {
      if (receivedAt > since && this.#bytes <= MAX_BYTES) return;
      this.#entries.delete(key);
      this.#bytes -= bytes;
      this.#completeSince = receivedAt;
    }
  }
}

function keyOf(batch: string, index: number): string {
  return `${batch} ${index}`;
}
