import type { Database, Statement } from 'better-sqlite3';
import {
  AUDIT_LIFETIME_MS,
  MAX_AUDIT_ENTRIES,
  type AuditDetails,
  type AuditEntry,
  type AuditKind,
  type AuditPosition,
} from '../../../domain/audit.js';
import type { DirectoryCommands } from '../../../domain/commands/directoryCommands.js';
import type { Uuid } from '../../../domain/ids.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import { AuditShares } from './auditShares.js';
import type { DirectoryJournal } from '../directoryJournal.js';

/** Counting all entries takes milliseconds, so it is done once for this many new ones. */
const ENTRIES_BETWEEN_SWEEPS = 64;
/** Removed in one sweep: more than come between two. */
const SWEEP_ENTRIES = 256;

type Search = DirectoryCommands['audit.list']['input'];
type PlacedRow = AuditPosition & Pick<AuditEntry, 'user_id' | 'kind'>;
type AuditRow = Omit<AuditEntry, 'details'> & { readonly details: string };

const FIELDS = {
  at: true,
  id: true,
  kind: true,
  user_id: true,
  username: true,
  subject_id: true,
  subject: true,
  address: true,
  device: true,
  details: true,
} as const satisfies Record<keyof AuditEntry, true>;

const COLUMNS = Object.keys(FIELDS).join(', ');

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

/** Rows with a maximum of their own. */
interface AuditClass {
  readonly max: number;
  readonly count: Statement<[], number>;
  readonly isOf: (row: Pick<PlacedRow, 'kind'>) => boolean;
}

/** The audit log. Called within a transaction of the directory. */
export class AuditTable {
  readonly #journal: DirectoryJournal;
  readonly #isDeleted: (id: Uuid) => boolean;
  readonly #limits: AuditLimits;
  readonly #now: () => number;
  readonly #find;
  readonly #page;
  readonly #pageOfUser;
  readonly #expired;
  readonly #allPlaces;
  readonly #oldestOf;
  readonly #failures: AuditClass;
  readonly #others: AuditClass;
  readonly #insert;
  readonly #delete;
  readonly #forgetUser;
  readonly #forgetSubject;
  /** Read when there are too many rows for the first time. */
  readonly #shares = new Map<AuditClass, AuditShares>();
  #untilSweep = 1;

  /** `isDeleted`: whether a user was deleted, whom no entry names any more. */
  constructor(db: Database, journal: DirectoryJournal, isDeleted: (id: Uuid) => boolean, limits = LIMITS, now = Date.now) {
    this.#journal = journal;
    this.#isDeleted = isDeleted;
    this.#limits = limits;
    this.#now = now;
    this.#find = db.prepare<[string, string], 1>('SELECT 1 FROM audit WHERE at = ? AND id = ?').pluck();
    const page = (condition: string): string =>
      `SELECT ${COLUMNS} FROM audit WHERE ${condition} AND (at, id) < (@at, @id) AND (@kind IS NULL OR kind = @kind)
       ORDER BY at DESC, id DESC LIMIT @limit`;
    this.#page = {
      all: db.prepare<[Record<string, unknown>], AuditRow>(page('TRUE')),
      ofKind: db.prepare<[Record<string, unknown>], AuditRow>(page('kind = @kind')),
    };
    // Each part is read from its own index, and neither is longer than the page.
    this.#pageOfUser = db.prepare<[Record<string, unknown>], AuditRow>(
      `SELECT * FROM (${page('user_id = @user_id')}) UNION SELECT * FROM (${page('subject_id = @user_id')})
       ORDER BY at DESC, id DESC LIMIT @limit`,
    );
    this.#expired = db.prepare<[string, number], PlacedRow>('SELECT at, id, user_id, kind FROM audit WHERE at <= ? ORDER BY at, id LIMIT ?');
    this.#allPlaces = db.prepare<[], PlacedRow>('SELECT at, id, user_id, kind FROM audit');
    this.#oldestOf = db.prepare<[Uuid | null, AuditKind, number], PlacedRow>(
      'SELECT at, id, user_id, kind FROM audit WHERE user_id IS ? AND kind = ? ORDER BY at, id LIMIT ?',
    );
    const count = (condition: string) => db.prepare<[], number>(`SELECT count(*) FROM audit WHERE ${condition}`).pluck();
    this.#failures = { max: limits.failures, count: count("kind = 'login.failed'"), isOf: ({ kind }) => kind === 'login.failed' };
    this.#others = { max: limits.others, count: count("kind <> 'login.failed'"), isOf: ({ kind }) => kind !== 'login.failed' };
    this.#insert = prepareWrite<[AuditRow]>(
      db,
      `INSERT OR REPLACE INTO audit (${COLUMNS})
       VALUES (@at, @id, @kind, @user_id, @username, @subject_id, @subject, @address, @device, @details)`,
    );
    this.#delete = prepareWrite<[string, string]>(db, 'DELETE FROM audit WHERE at = ? AND id = ?');
    this.#forgetUser = prepareWrite<[Uuid]>(db, 'UPDATE audit SET username = NULL, address = NULL, device = NULL WHERE user_id = ?');
    this.#forgetSubject = prepareWrite<[Uuid]>(db, 'UPDATE audit SET subject = NULL WHERE subject_id = ?');
  }

  requireKept(): void {}

  /** A repeated entry changes nothing. */
  add(entries: readonly AuditEntry[]): void {
    const fresh = entries.filter(({ at, id }) => this.#find.get(at, id) === undefined);
    if (fresh.length === 0) return;
    this.insert(fresh.map((entry) => this.#withoutDeleted(entry)));
    this.#noteShares(fresh, 1);
    this.#untilSweep -= fresh.length;
    if (this.#untilSweep > 0) return;
    this.#untilSweep = ENTRIES_BETWEEN_SWEEPS;
    this.#sweep();
  }

  /** The latest first. */
  list({ before, limit, user_id, kind }: Search): AuditEntry[] {
    const search = { at: before?.at ?? '~', id: before?.id ?? '~', limit, user_id, kind };
    const rows = user_id !== null ? this.#pageOfUser.all(search) : kind !== null ? this.#page.ofKind.all(search) : this.#page.all.all(search);
    return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as AuditDetails }));
  }

  insert(entries: readonly AuditEntry[]): void {
    for (const entry of entries) this.#insert({ ...entry, details: JSON.stringify(entry.details) });
    this.#journal.note({ op: 'audit.add', entries });
  }

  removeAll(entries: readonly AuditPosition[]): void {
    if (entries.length === 0) return;
    for (const { at, id } of entries) this.#delete(at, id);
    this.#journal.note({ op: 'audit.remove', entries });
  }

  /** Entries of what a user did last may come after the deletion. */
  #withoutDeleted(entry: AuditEntry): AuditEntry {
    const isBy = entry.user_id !== null && this.#isDeleted(entry.user_id);
    const isAbout = entry.subject_id !== null && this.#isDeleted(entry.subject_id);
    return { ...entry, ...(isBy ? { username: null, address: null, device: null } : {}), ...(isAbout ? { subject: null } : {}) };
  }

  /** A deleted user keeps only the id. */
  forget(user_id: Uuid): void {
    const changes = this.#forgetUser(user_id).changes + this.#forgetSubject(user_id).changes;
    if (changes > 0) this.#journal.note({ op: 'audit.forget', user_id });
  }

  #sweep(): void {
    // Not by the time in an entry: an instance with a wrong clock would empty the log.
    const oldest = new Date(this.#now() - this.#limits.lifetimeMs).toISOString();
    this.#remove(this.#expired.all(oldest, SWEEP_ENTRIES));
    for (const each of [this.#failures, this.#others]) this.#remove(this.#excessOf(each));
  }

  /** The oldest rows of those who have the most of a kind, if there are too many of all. */
  #excessOf(each: AuditClass): PlacedRow[] {
    const rows = each.count.get() ?? 0;
    const excess = Math.min(rows - each.max, SWEEP_ENTRIES);
    if (excess <= 0) return [];
    const shares = this.#sharesOf(each, rows).excess(excess);
    return shares.flatMap((share) => this.#oldestOf.all(share.user_id, share.kind, share.rows));
  }

  #sharesOf(each: AuditClass, rows: number): AuditShares {
    const known = this.#shares.get(each);
    // Another number: a transaction was rolled back, or another machine has written meanwhile.
    if (known?.rows === rows) return known;
    const shares = new AuditShares();
    for (const row of this.#allPlaces.iterate()) if (each.isOf(row)) shares.add(row, 1);
    this.#shares.set(each, shares);
    return shares;
  }

  #remove(rows: readonly PlacedRow[]): void {
    this.removeAll(rows.map(({ at, id }) => ({ at, id })));
    this.#noteShares(rows, -1);
  }

  #noteShares(rows: ReadonlyArray<Pick<PlacedRow, 'user_id' | 'kind'>>, count: 1 | -1): void {
    for (const [each, shares] of this.#shares) for (const row of rows) if (each.isOf(row)) shares.add(row, count);
  }
}
