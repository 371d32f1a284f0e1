/** Counts the bytes of requests that are kept in memory before they are carried out, and refuses some above the budget. */

import { AppError } from '../../domain/errors.js';
import type { BodyWatch } from './bodyWatch.js';
import type { InflowGate } from './inflowGate.js';

/** Four of the largest documents. */
const BUDGET_BYTES = 64 * 1024 * 1024;

/** A body that is arriving, or has arrived and waits for its turn. */
export interface KeptBody {
  /** The id of the caller; all anonymous callers share a name. */
  readonly owner: string;
  /** Ends the request with an answer; its bytes no longer count. */
  refuse(reason: AppError): void;
}

/** What readers of bodies share. */
export interface Intake {
  readonly watch: BodyWatch;
  readonly kept: KeptBodies;
  readonly gate: InflowGate;
}

/**
 * Above the budget the owner with the most bytes loses its largest body. So a caller who sends one body finds room,
 * however many slow ones another caller sends.
 */
export class KeptBodies {
  readonly #budgetBytes: number;
  readonly #bodies = new Map<KeptBody, number>();
  #bytes = 0;

  constructor(budgetBytes = BUDGET_BYTES) {
    this.#budgetBytes = budgetBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The request keeps this many bytes now. It may be refused before this returns. */
  keep(body: KeptBody, bytes: number): void {
    this.#bytes += bytes - (this.#bodies.get(body) ?? 0);
    this.#bodies.set(body, bytes);
    // A single body is within its own limit.
    while (this.#bytes > this.#budgetBytes && this.#bodies.size > 1) this.#refuseOne();
  }

  release(body: KeptBody): void {
    this.#bytes -= this.#bodies.get(body) ?? 0;
    this.#bodies.delete(body);
  }

  #refuseOne(): void {
    const owners = new Map<string, number>();
    for (const [{ owner }, bytes] of this.#bodies) owners.set(owner, (owners.get(owner) ?? 0) + bytes);
    const [largestOwner] = largestOf(owners) ?? [];
    const [body] = largestOf([...this.#bodies].filter(([{ owner }]) => owner === largestOwner)) ?? [];
    if (body === undefined) return;
    this.release(body);
    body.refuse(new AppError('unavailable', 'Too many large requests are arriving', { retryAfter: 1 }));
  }
}

function largestOf<Key>(entries: Iterable<readonly [Key, number]>): readonly [Key, number] | undefined {
  let largest: readonly [Key, number] | undefined;
  for (const entry of entries) if (largest === undefined || entry[1] > largest[1]) largest = entry;
  return largest;
}
