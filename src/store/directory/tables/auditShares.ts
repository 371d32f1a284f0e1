import type { AuditKind } from '../../../domain/audit.js';
import type { Uuid } from '../../../domain/ids.js';

/** The rows of one kind that one user has caused, or nobody who is known. */
export interface AuditShare {
  readonly user_id: Uuid | null;
  readonly kind: AuditKind;
  readonly rows: number;
}

/**
 * Counts rows by user and kind, and decides whose go when there are too many: those of the largest shares. So a flood
 * pushes out itself, and to reach the few rows of another user it needs thousands of accounts. In memory, because SQLite
 * takes seconds to group a full table.
 */
export class AuditShares {
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
