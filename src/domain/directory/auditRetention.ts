/** What is kept of the audit log: each entry once, no names of deleted users, and only so many of a kind and user. */
import { AUDIT_LIFETIME_MS, MAX_AUDIT_ENTRIES, type AuditEntry, type AuditKind } from '../audit.js';
import type { Uuid } from '../ids.js';
import type { AuditShareOf, DirectoryRows } from './rows.js';

/** Counting all entries takes milliseconds, so it is done once for this many new ones. */
const ENTRIES_BETWEEN_SWEEPS = 64;
/** Removed in one sweep: more than come between two. */
const SWEEP_ENTRIES = 256;

export interface AuditLimits {
  readonly failures: number;
  readonly others: number;
  readonly lifetimeMs: number;
}

const LIMITS: AuditLimits = {
  failures: MAX_AUDIT_ENTRIES['login.failed'],
  others: MAX_AUDIT_ENTRIES.others,
  lifetimeMs: AUDIT_LIFETIME_MS,
};

/** Failed logins have a maximum of their own. */
type AuditClass = 'failures' | 'others';

const FAILED: AuditKind = 'login.failed';

/** One for each open directory. It remembers how many entries there are, and notices when that is no longer so. */
export class AuditRetention {
  readonly #limits: AuditLimits;
  readonly #now: () => number;
  /** Counted when there are too many rows for the first time. */
  readonly #shares = new Map<AuditClass, AuditShares>();
  #untilSweep = 1;

  constructor(limits = LIMITS, now = Date.now) {
    this.#limits = limits;
    this.#now = now;
  }

  /** A repeated entry changes nothing. */
  add(rows: DirectoryRows, entries: readonly AuditEntry[]): void {
    const fresh = entries.filter(({ at, id }) => rows.get('audit', { at, id }) === null);
    if (fresh.length === 0) return;
    rows.write({ op: 'audit.add', entries: fresh.map((entry) => withoutDeleted(rows, entry)) });
    this.#noteShares(fresh, 1);
    this.#untilSweep -= fresh.length;
    if (this.#untilSweep > 0) return;
    this.#untilSweep = ENTRIES_BETWEEN_SWEEPS;
    this.#sweep(rows);
  }

  #sweep(rows: DirectoryRows): void {
    // Not by the time in an entry: an instance with a wrong clock would empty the log.
    const oldest = new Date(this.#now() - this.#limits.lifetimeMs).toISOString();
    this.#remove(rows, rows.list('audit', {}, { order: ['at', 'id'], upTo: oldest, limit: SWEEP_ENTRIES }));
    const failures = rows.count('audit', { kind: FAILED });
    const others = rows.count('audit', {}) - failures;
    this.#remove(rows, this.#excessOf(rows, 'failures', failures));
    this.#remove(rows, this.#excessOf(rows, 'others', others));
  }

  /** The oldest rows of those who have the most of a kind, if there are too many of all. */
  #excessOf(rows: DirectoryRows, each: AuditClass, count: number): AuditShareOf[] {
    const excess = Math.min(count - this.#limits[each], SWEEP_ENTRIES);
    if (excess <= 0) return [];
    const shares = this.#sharesOf(rows, each, count).excess(excess);
    return shares.flatMap((share) => {
      const { user_id, kind } = share;
      return rows.list('audit', { user_id, kind }, { order: ['at', 'id'], limit: share.rows, offset: 0 });
    });
  }

  #sharesOf(rows: DirectoryRows, each: AuditClass, count: number): AuditShares {
    const known = this.#shares.get(each);
    // Another number: a transaction was rolled back, or another machine has written meanwhile.
    if (known?.rows === count) return known;
    const shares = new AuditShares();
    for (const row of rows.auditShares()) if (classOf(row) === each) shares.add(row, 1);
    this.#shares.set(each, shares);
    return shares;
  }

  #remove(rows: DirectoryRows, gone: readonly AuditShareOf[]): void {
    if (gone.length === 0) return;
    rows.write({ op: 'audit.remove', entries: gone.map(({ at, id }) => ({ at, id })) });
    this.#noteShares(gone, -1);
  }

  #noteShares(rows: ReadonlyArray<Pick<AuditEntry, 'user_id' | 'kind'>>, count: 1 | -1): void {
    for (const row of rows) this.#shares.get(classOf(row))?.add(row, count);
  }
}

function classOf({ kind }: Pick<AuditEntry, 'kind'>): AuditClass {
  return kind === FAILED ? 'failures' : 'others';
}

/** Entries of what a user did last may come after the deletion. */
function withoutDeleted(rows: DirectoryRows, entry: AuditEntry): AuditEntry {
  const isDeleted = (id: Uuid | null): boolean => id !== null && rows.get('deleted_user', { id }) !== null;
  const hidden = isDeleted(entry.user_id) ? { username: null, address: null, device: null } : {};
  return { ...entry, ...hidden, ...(isDeleted(entry.subject_id) ? { subject: null } : {}) };
}

/** The rows of one kind that one user, or an unknown one, has caused. */
interface AuditShare {
  readonly user_id: Uuid | null;
  readonly kind: AuditKind;
  readonly rows: number;
}

/**
 * Counts rows by user and kind, and decides whose go when there are too many: rows of the largest shares. So a flood
 * pushes out itself, and to reach the few rows of another user it needs thousands of accounts. In memory, because SQLite
 * takes seconds to group a full table.
 */
class AuditShares {
  readonly #shares = new Map<string, AuditShare>();
  #rows = 0;

  get rows(): number {
    return this.#rows;
  }

  /** `rows` may be negative. */
  add({ user_id, kind }: Pick<AuditShare, 'user_id' | 'kind'>, rows: number): void {
    const key = `${kind} ${user_id ?? ''}`;
    const total = (this.#shares.get(key)?.rows ?? 0) + rows;
    this.#rows += rows;
    if (total > 0) this.#shares.set(key, { user_id, kind, rows: total });
    else this.#shares.delete(key);
  }

  /** How many rows of which shares must go: the largest are lowered to one level. */
  excess(count: number): AuditShare[] {
    const level = this.#levelFor(count);
    const found: AuditShare[] = [];
    let left = count;
    for (const share of this.#shares.values()) {
      if (left === 0) break;
      if (share.rows <= level) continue;
      const rows = Math.min(share.rows - level, left);
      found.push({ ...share, rows });
      left -= rows;
    }
    return found;
  }

  /** The highest one at which enough rows are above it. */
  #levelFor(count: number): number {
    const sharesOfSize = new Map<number, number>();
    for (const { rows } of this.#shares.values()) sharesOfSize.set(rows, (sharesOfSize.get(rows) ?? 0) + 1);
    const sizes = [...sharesOfSize.keys()].sort((a, b) => b - a);
    let above = 0;
    let shares = 0;
    for (const [index, size] of sizes.entries()) {
      const next = sizes[index + 1] ?? 0;
      shares += sharesOfSize.get(size) ?? 0;
      if (above + shares * (size - next) >= count) return size - Math.ceil((count - above) / shares);
      above += shares * (size - next);
    }
    return 0;
  }
}
