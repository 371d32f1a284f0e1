/**
 * Caches what lists show of locally owned boards, until the board reports a change. One rendering of a board is shared
 * by all its members; only the role at its end is the caller's. Exact for the same reason as `AnswerCache`.
 */
import type { Answer } from '../../domain/answer.js';
import type { BoardCommand } from '../../domain/commands/commands.js';
import { boardKeyOf, type BoardKey, type Uuid } from '../../domain/ids.js';
import type { BoardReply, PartitionName } from '../messages.js';

/** Longer ones are few in a page. */
const MAX_CHARACTERS = 64 * 1024;
/** Memory of an entry, and of a member in it, besides texts. */
const ENTRY_BYTES = 400;
const MEMBER_BYTES = 150;
/**
 * In a full cache only boards that no list showed for this long give way. If the least recently used one always did,
 * lists that are longer than the cache would find nothing in it, and empty it for all others.
 */
const IDLE_MS = 60_000;
/** Entries inspected for each one that does not fit. */
const INSPECTED = 4;
/** Begins the end of a summary, see `Renderer.boardSummary`. */
const ROLE = ',"role":';

interface Summary {
  readonly partition: PartitionName;
  /** Without the end; null until the board has answered. */
  opening: string | null;
  /** The end of the summary by member. */
  readonly ends: Map<Uuid, string>;
  bytes: number;
  usedAt: number;
}

export class SummaryCache {
  readonly #summaries = new Map<BoardKey, Summary>();
  readonly #budgetBytes: number;
  readonly #now: () => number;
  #bytes = 0;

  /** `now` in milliseconds, from a clock that is never set. */
  constructor(budgetBytes: number, now: () => number = () => performance.now()) {
    this.#budgetBytes = budgetBytes;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Answers from the cache, or asks and caches the answer. For `board.summary` alone. */
  answer(partition: PartitionName, { caller, target, input }: BoardCommand, ask: () => Promise<unknown>): Answer<unknown> {
    if (caller === 'system' || 'refused' in input) return ask();
    const key = boardKeyOf(target);
    const known = this.#summaries.get(key);
    const end = known?.ends.get(caller.user_id);
    if (known === undefined || known.opening === null || end === undefined) {
      return this.#askFor(key, known ?? this.#begin(key, partition), caller.user_id, ask);
    }
    known.usedAt = this.#now();
    return { outcome: { ok: true, json: known.opening + end } } satisfies BoardReply;
  }

  /** The board has changed. */
  forget(key: BoardKey): void {
    const summary = this.#summaries.get(key);
    if (summary !== undefined) this.#drop(key, summary);
  }

  /** The partition is about to get another owner, whose changes are not reported here. */
  forgetPartition(partition: PartitionName): void {
    for (const [key, summary] of this.#summaries) if (summary.partition === partition) this.#drop(key, summary);
  }

  async #askFor(key: BoardKey, summary: Summary, user: Uuid, ask: () => Promise<unknown>): Promise<BoardReply> {
    // A change reported during the ask drops or replaces this entry.
    const isCurrent = (): boolean => this.#summaries.get(key) === summary;
    try {
      const reply = (await ask()) as BoardReply;
      if (isCurrent()) this.#keep(summary, user, reply);
      return reply;
    } finally {
      if (summary.opening === null && isCurrent()) this.#drop(key, summary);
    }
  }

  #begin(key: BoardKey, partition: PartitionName): Summary {
    const summary: Summary = { partition, opening: null, ends: new Map(), bytes: ENTRY_BYTES, usedAt: this.#now() };
    this.#summaries.set(key, summary);
    this.#bytes += summary.bytes;
    return summary;
  }

  #keep(summary: Summary, user: Uuid, { outcome }: BoardReply): void {
    if (!outcome.ok || outcome.json === null || outcome.json.length > MAX_CHARACTERS || summary.ends.has(user)) return;
    const end = outcome.json.lastIndexOf(ROLE);
    if (end < 0) return;
    const bytes = MEMBER_BYTES + (summary.opening === null ? 2 * outcome.json.length : 0);
    if (this.#bytes + bytes > this.#budgetBytes) this.#dropIdle();
    if (this.#bytes + bytes > this.#budgetBytes) return;
    summary.opening ??= outcome.json.slice(0, end);
    summary.ends.set(user, outcome.json.slice(end));
    summary.usedAt = this.#now();
    summary.bytes += bytes;
    this.#bytes += bytes;
  }

  /** Inspects the first few. Those in use go to the end, so that the next call inspects others. */
  #dropIdle(): void {
    const idleSince = this.#now() - IDLE_MS;
    let inspected = 0;
    for (const [key, summary] of this.#summaries) {
      if (inspected === INSPECTED) return;
      inspected += 1;
      if (summary.opening !== null && summary.usedAt <= idleSince) {
        this.#drop(key, summary);
        continue;
      }
      this.#summaries.delete(key);
      this.#summaries.set(key, summary);
    }
  }

  #drop(key: BoardKey, summary: Summary): void {
    this.#summaries.delete(key);
    this.#bytes -= summary.bytes;
  }
}
