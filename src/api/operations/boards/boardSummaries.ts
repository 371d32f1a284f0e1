/** Collects the summaries of a user's boards from their shards, without holding more of them than an answer has. */
import { setImmediate } from 'node:timers/promises';
import { bodyOf, type BoardsPort } from '../../../domain/ports/boardsPort.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';

/** The summary that reaches this size is the last of its page. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** A larger list takes a place before it is made. A smaller one is joined at once, in a fraction of a millisecond. */
const SMALL_BYTES = 256 * 1024;

/** Boards asked at the same time. The first one, and then a few, show how large summaries are. */
const MAX_ASKS = 32;
const ASKS_GROW_BY = 8;
/** The total size of their summaries, if all are like the largest so far. */
const AT_ONCE_BYTES = SMALL_BYTES;

/**
 * Cached summaries arrive in the same turn of the event loop. After so many boards, or so many bytes, other requests get
 * a turn; until then it takes a millisecond.
 */
const TURN_BOARDS = 96;
const TURN_BYTES = 256 * 1024;

/** Room for the end of the list and for a last summary of ordinary size. */
const MARGIN_BYTES = 64 * 1024;
const [OPEN, COMMA, CLOSE] = [0x5b, 0x2c, 0x5d] as const;

export interface Summaries {
  /** The summaries as a JSON list. */
  readonly json: string | Uint8Array;
  /** The number of boards covered, including those that the caller has left. */
  readonly seen: number;
}

/** Null as soon as the list turns out to be large. */
export async function gatherSmall(ids: readonly Uuid[], user_id: Uuid, boards: BoardsPort): Promise<Summaries | null> {
  const texts: string[] = [];
  let bytes = 0;
  const seen = await forEachSummary(ids, user_id, boards, (summary) => {
    bytes += typeof summary === 'string' ? Buffer.byteLength(summary) : Infinity;
    if (typeof summary === 'string') texts.push(summary);
    return bytes <= SMALL_BYTES;
  });
  return bytes <= SMALL_BYTES ? { json: `[${texts.join(',')}]`, seen } : null;
}

/** At least one summary, and not more than a page. */
export async function gatherLarge(ids: readonly Uuid[], user_id: Uuid, boards: BoardsPort): Promise<Summaries> {
  const list = new ListBytes();
  const seen = await forEachSummary(ids, user_id, boards, (summary) => list.add(summary) < PAGE_BYTES);
  return { json: list.end(), seen };
}

/** Asks the boards in order, a few at a time, until `take` returns false. Returns the number of boards covered. */
async function forEachSummary(
  ids: readonly Uuid[],
  user_id: Uuid,
  boards: BoardsPort,
  take: (summary: string | Uint8Array) => boolean,
): Promise<number> {
  let seen = 0;
  let largest = 1;
  let turn = { boards: 0, bytes: 0 };
  for (let asks = 1; seen < ids.length; asks = Math.min(ASKS_GROW_BY * asks, MAX_ASKS)) {
    const width = Math.max(1, Math.min(asks, Math.floor(AT_ONCE_BYTES / largest)));
    const asked = ids.slice(seen, seen + width).map((target) => askSummary(target, user_id, boards));
    for (const summary of await Promise.all(asked)) {
      seen += 1;
      if (summary === null) continue;
      if (!take(summary)) return seen;
      largest = Math.max(largest, summary.length);
      turn.bytes += summary.length;
    }
    turn.boards += asked.length;
    if (turn.boards < TURN_BOARDS && turn.bytes < TURN_BYTES) continue;
    turn = { boards: 0, bytes: 0 };
    await setImmediate();
  }
  return seen;
}

/** Null if the board is gone or the caller has left it since the directory answered. */
async function askSummary(target: Uuid, user_id: Uuid, boards: BoardsPort): Promise<string | Uint8Array | null> {
  const outcome = await boards.ask({ op: 'board.summary', caller: { user_id }, target, input: {} });
  if (outcome.ok) return bodyOf(outcome) ?? 'null';
  if (outcome.error.code === 'not_found' || outcome.error.code === 'forbidden') return null;
  throw AppError.from(outcome.error);
}

/**
 * A JSON array as bytes. Summaries are written into memory for a whole page as they come: collected and joined at the
 * end, a list would take its size twice. The system provides the memory that is written to.
 */
class ListBytes {
  #bytes: Buffer = Buffer.from(new ArrayBuffer(PAGE_BYTES + MARGIN_BYTES));
  #size = 0;

  /** Returns the size so far. */
  add(summary: string | Uint8Array): number {
    const length = typeof summary === 'string' ? Buffer.byteLength(summary) : summary.length;
    if (this.#size + length + 2 > this.#bytes.length) this.#bytes = this.#copy(this.#size + length + 2);
    this.#bytes[this.#size] = this.#size === 0 ? OPEN : COMMA;
    if (typeof summary === 'string') this.#bytes.write(summary, this.#size + 1);
    else this.#bytes.set(summary, this.#size + 1);
    this.#size += 1 + length;
    return this.#size;
  }

  end(): Uint8Array {
    if (this.#size === 0) this.#bytes[this.#size++] = OPEN;
    this.#bytes[this.#size++] = CLOSE;
    // A view counts with all of its memory until it is sent.
    const isMostlyUsed = this.#size > this.#bytes.length / 2;
    return isMostlyUsed ? this.#bytes.subarray(0, this.#size) : this.#copy(this.#size);
  }

  #copy(length: number): Buffer {
    const copy = Buffer.from(new ArrayBuffer(length));
    copy.set(this.#bytes.subarray(0, this.#size));
    return copy;
  }
}
