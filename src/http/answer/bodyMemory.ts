/** Counts the bytes that unfinished answers hold in memory, and cuts answers above the budget. */

import { AppError } from '../../domain/errors.js';

/** Four of the largest boards. Bytes in the kernel's socket buffers do not count. */
const BUDGET_BYTES = 128 * 1024 * 1024;

/** A caller with this much to read waits for the next large answer, which is not made yet and takes no memory. */
const OWNER_BYTES = 12 * 1024 * 1024;

/** For each caller. Their clients may be gone, which is not noticed while they wait. */
const MAX_WAITING = 64;

/** An answer that is not completely sent. */
export interface Holder {
  /** The id of the caller; all anonymous callers share a name. */
  readonly owner: string;
  /** Ends the answer and its connection; its bytes no longer count. */
  cut(): void;
}

/** Identifies the memory: answers from the same buffer use the same object. */
type Body = object;

interface OwnedBodies {
  bytes: number;
  /** In order of their latest progress, the oldest first. */
  readonly holders: Map<Body, Set<Holder>>;
}

interface Shared {
  readonly bytes: number;
  /** Number of owners that hold it. */
  owners: number;
}

/**
 * A body that many answers share counts once for the process and once for each owner. Above the budget the owner with
 * the most bytes loses the body without progress for the longest time. So a caller keeps one slow download however many
 * another caller starts.
 */
export class BodyMemory {
  readonly #budgetBytes: number;
  readonly #bodies = new Map<Body, Shared>();
  readonly #owners = new Map<string, OwnedBodies>();
  /** Callers that wait for their own answers to leave. */
  readonly #waiting = new Map<string, Array<() => void>>();
  #bytes = 0;
  #cuts = 0;

  constructor(budgetBytes = BUDGET_BYTES) {
    this.#budgetBytes = budgetBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Answers cut for the budget so far. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Whether another large answer may be made for the caller. */
  hasRoom(owner: string): boolean {
    return (this.#owners.get(owner)?.bytes ?? 0) < OWNER_BYTES;
  }

  /** Resolves when some of the caller's answers have left, or at once if there is room. */
  async room(owner: string): Promise<void> {
    if (this.hasRoom(owner)) return;
    const waiting = this.#waiting.get(owner) ?? [];
    if (waiting.length >= MAX_WAITING) {
      throw new AppError('too_many', `Too many unread answers: at most ${MAX_WAITING} requests may wait for them`, { retryAfter: 1 });
    }
    this.#waiting.set(owner, waiting);
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Counts a body for its holder, which may be cut before this returns. */
  hold(holder: Holder, body: Body, bytes: number): void {
    const owned = this.#ownedBy(holder.owner);
    const holders = owned.holders.get(body);
    if (holders !== undefined) {
      holders.add(holder);
      return;
    }
    owned.holders.set(body, new Set([holder]));
    owned.bytes += bytes;
    const shared = this.#bodies.get(body);
    if (shared !== undefined) {
      shared.owners += 1;
      return;
    }
    this.#bodies.set(body, { bytes, owners: 1 });
    this.#bytes += bytes;
    this.#keepToBudget();
  }

  /** The client has read a part of it. */
  progress({ owner }: Holder, body: Body): void {
    const owned = this.#owners.get(owner);
    const holders = owned?.holders.get(body);
    if (owned === undefined || holders === undefined) return;
    owned.holders.delete(body);
    owned.holders.set(body, holders);
  }

  release(holder: Holder, body: Body): void {
    const owned = this.#owners.get(holder.owner);
    const holders = owned?.holders.get(body);
    const shared = this.#bodies.get(body);
    if (owned === undefined || holders === undefined || shared === undefined) return;
    if (!holders.delete(holder) || holders.size > 0) return;
    owned.holders.delete(body);
    owned.bytes -= shared.bytes;
    if (owned.holders.size === 0) this.#owners.delete(holder.owner);
    this.#wake(holder.owner);
    shared.owners -= 1;
    if (shared.owners > 0) return;
    this.#bodies.delete(body);
    this.#bytes -= shared.bytes;
  }

  /** A single body may exceed the budget: cutting it would refuse it for ever. */
  #keepToBudget(): void {
    while (this.#bytes > this.#budgetBytes && this.#bodies.size > 1) {
      const [stalled] = this.#largestOwner()?.holders ?? [];
      if (stalled === undefined) return;
      const [body, holders] = stalled;
      for (const holder of [...holders]) {
        this.#cuts += 1;
        holder.cut();
        // `cut` may also release it, now or later.
        this.release(holder, body);
      }
    }
  }

  #wake(owner: string): void {
    if (!this.hasRoom(owner)) return;
    const waiting = this.#waiting.get(owner) ?? [];
    this.#waiting.delete(owner);
    for (const resolve of waiting) resolve();
  }

  #largestOwner(): OwnedBodies | undefined {
    let largest: OwnedBodies | undefined;
    for (const owned of this.#owners.values()) if (largest === undefined || owned.bytes > largest.bytes) largest = owned;
    return largest;
  }

  #ownedBy(owner: string): OwnedBodies {
    const known = this.#owners.get(owner);
    if (known !== undefined) return known;
    const owned: OwnedBodies = { bytes: 0, holders: new Map() };
    this.#owners.set(owner, owned);
    return owned;
  }
}
