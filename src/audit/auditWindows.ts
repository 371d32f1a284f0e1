/** What each user, account or network has caused within a time. */
import type { AuditEvent, AuditKind } from '../domain/audit.js';

export class AuditWindow {
  readonly endsAt: number;
  readonly #admitted = new Map<AuditKind, number>();
  /** Counted only, by kind. */
  readonly #held = new Map<AuditKind, number>();
  /** From which a user has logged in. */
  readonly networks = new Set<string>();
  /** The latest event that was held back. */
  #latest: AuditEvent | null = null;

  constructor(endsAt: number) {
    this.endsAt = endsAt;
  }

  get held(): ReadonlyMap<AuditKind, number> {
    return this.#held;
  }

  get latest(): AuditEvent | null {
    return this.#latest;
  }

  /** All that was admitted. */
  get used(): number {
    return sum(this.#admitted) + this.networks.size;
  }

  admitted(kind: AuditKind): number {
    return this.#admitted.get(kind) ?? 0;
  }

  admit(kind: AuditKind): void {
    add(this.#admitted, kind, 1);
  }

  hold(event: AuditEvent): void {
    add(this.#held, event.kind, 1);
    this.#latest = event;
  }

  /** What was admitted did not happen after all. */
  takeBack(kind: AuditKind): void {
    add(this.#admitted, kind, -1);
  }
}

export interface AuditWindowsOptions {
  readonly lengthMs: number;
  readonly max: number;
}

/**
 * A bounded number of windows. If there are too many, those with the fewest admitted entries go: to get back a budget that
 * is used up, an attacker would have to use up all others.
 */
export class AuditWindows {
  readonly #options: AuditWindowsOptions;
  readonly #windows = new Map<string, AuditWindow>();
  /** What windows that had to go have held back. */
  readonly #rest = new Map<AuditKind, number>();

  constructor(options: AuditWindowsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#windows.size;
  }

  of(key: string, now: number): AuditWindow {
    const known = this.#windows.get(key);
    if (known !== undefined) return known;
    if (this.#windows.size >= this.#options.max) this.#makeRoom();
    const window = new AuditWindow(now + this.#options.lengthMs);
    this.#windows.set(key, window);
    return window;
  }

  /** Removes those that have ended, and returns the ones that have held something back. */
  takeEnded(isOver: (window: AuditWindow) => boolean): AuditWindow[] {
    const ended = [...this.#windows].filter(([, window]) => isOver(window));
    for (const [key] of ended) this.#windows.delete(key);
    return ended.map(([, window]) => window).filter(({ held }) => held.size > 0);
  }

  takeRest(): ReadonlyMap<AuditKind, number> {
    const rest = new Map(this.#rest);
    this.#rest.clear();
    return rest;
  }

  /** A tenth at once: sorting them for each newcomer would be an attack of its own. */
  #makeRoom(): void {
    const byUse = [...this.#windows].map(([key, { used, held }]) => ({ key, used, held })).sort((a, b) => a.used - b.used);
    for (const { key, held } of byUse.slice(0, Math.ceil(this.#options.max / 10))) {
      this.#windows.delete(key);
      for (const [kind, count] of held) add(this.#rest, kind, count);
    }
  }
}

export function add(counts: Map<AuditKind, number>, kind: AuditKind, count: number): void {
  const total = (counts.get(kind) ?? 0) + count;
  if (total > 0) counts.set(kind, total);
  else counts.delete(kind);
}

export function sum(counts: ReadonlyMap<AuditKind, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  return total;
}
