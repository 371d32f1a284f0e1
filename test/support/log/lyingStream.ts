/**
 * A log whose servers lie as real ones were seen to: answers are lost or late, a message is stored and refused, a server
 * answers from the past, records are heard late, twice or never. What it stores, it stores once and in order.
 */
import type { LogBounds, LogStream, Published, StoredRecord } from '../../../src/log/logStream.js';
import type { VirtualTime } from './virtualTime.js';

const TIMEOUT_MS = 1_000;

export interface Lies {
  /** How often an answer to a publish is lost, from 0 to 1. */
  readonly lostAnswers: number;
  /** How often a stored or storable message is refused by a server that no longer leads. */
  readonly falseRefusals: number;
  /** How often a message itself is lost. */
  readonly lostMessages: number;
  /** How often a message arrives only after its sender has given up on the answer. */
  readonly lateMessages: number;
  /** How often a read is answered from the past. */
  readonly staleReads: number;
  /** How often a stored record is not heard. */
  readonly unheard: number;
}

export const HONEST: Lies = { lostAnswers: 0, falseRefusals: 0, lostMessages: 0, lateMessages: 0, staleReads: 0, unheard: 0 };

export class LyingLog {
  readonly records: StoredRecord[] = [];
  readonly #listeners = new Set<(record: StoredRecord) => void>();
  readonly #time: VirtualTime;
  readonly #random: () => number;
  lies: Lies = HONEST;

  constructor(time: VirtualTime, random: () => number) {
    this.#time = time;
    this.#random = random;
  }

  /** The log as one process sees it. */
  viewOf(process: Link): LogStream {
    return {
      publish: (body, expected) => this.#publish(process, body, expected),
      read: async (seq) => this.#answered(process, () => this.#visible(seq)[0] ?? null),
      readFrom: async (seq) => this.#answered(process, () => this.#visible(seq).slice(0, 8)),
      bounds: async () => this.#answered(process, (): LogBounds => ({ first: 1, last: this.#visible(1).length })),
      listen: (onRecord) => {
        const listener = (record: StoredRecord): void => this.#tell(process, record, onRecord);
        this.#listeners.add(listener);
        return { stop: () => this.#listeners.delete(listener) };
      },
    };
  }

  #publish(process: Link, body: Uint8Array, expected: number): Promise<Published> {
    const { lostMessages, lateMessages, lostAnswers, falseRefusals } = this.lies;
    return new Promise((resolve) => {
      const answer = (published: Published): void => process.run(this.#delay(), () => resolve(published));
      process.run(TIMEOUT_MS, () => resolve({ kind: 'no answer', reason: 'timeout' }));
      if (process.isCut() || this.#chance(lostMessages)) return;
      if (this.#chance(falseRefusals)) answer({ kind: 'wrong place' });
      const arrival = this.#chance(lateMessages) ? TIMEOUT_MS * (1 + 2 * this.#random()) : this.#delay();
      this.#time.after(arrival, () => {
        const stored = this.#store(body, expected);
        if (process.isCut() || this.#chance(lostAnswers)) return;
        answer(stored === null ? { kind: 'wrong place' } : { kind: 'stored', seq: stored });
      });
    });
  }

  /** The place, or null if another one is expected. */
  #store(body: Uint8Array, expected: number): number | null {
    // Only a broken sender expects nothing.
    if (!Number.isNaN(expected) && this.records.length !== expected) return null;
    const record = { seq: this.records.length + 1, body };
    this.records.push(record);
    for (const listener of this.#listeners) listener(record);
    return record.seq;
  }

  #tell(process: Link, record: StoredRecord, onRecord: (record: StoredRecord) => void): void {
    if (this.#chance(this.lies.unheard)) return;
    const deliver = (): void => {
      if (!process.isCut()) onRecord(record);
    };
    process.run(this.#delay(), deliver);
    if (this.#chance(this.lies.unheard / 4)) process.run(5 * this.#delay(), deliver);
  }

  #answered<Value>(process: Link, value: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      const timeout = (): void => process.run(TIMEOUT_MS, () => reject(new Error('timeout')));
      if (process.isCut() || this.#chance(this.lies.lostAnswers / 2)) return timeout();
      const found = value();
      process.run(this.#delay(), () => resolve(found));
    });
  }

  /** From this place on, as the server that happens to answer has them. */
  #visible(seq: number): StoredRecord[] {
    const hidden = this.#chance(this.lies.staleReads) ? 1 + Math.floor(3 * this.#random()) : 0;
    return this.records.slice(seq - 1, Math.max(seq - 1, this.records.length - hidden));
  }

  #chance(probability: number): boolean {
    return probability > 0 && this.#random() < probability;
  }

  #delay(): number {
    return 1 + 10 * this.#random() ** 3;
  }
}

/** The network and the life of one process. */
export interface Link {
  /** Whether it is cut off from the log. */
  isCut(): boolean;
  /** Runs when the process runs: later if it is frozen, never if it was killed. */
  run(milliseconds: number, work: () => void): void;
}
