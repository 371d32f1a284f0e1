import type { Database } from 'better-sqlite3';
import { isLocked, type Factor, type FactorProof, type ProofOutcome } from '../../../domain/account/factor.js';
import type { Uuid } from '../../../domain/ids.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { DirectoryJournal } from '../directoryJournal.js';

const FIELDS = {
  user_id: true,
  sealed_secret: true,
  created_at: true,
  confirmed_at: true,
  last_step: true,
  misses: true,
  missed_at: true,
  recovery_hashes: true,
} as const satisfies Record<keyof Factor, true>;

const COLUMNS = Object.keys(FIELDS).join(', ');

type FactorRow = Omit<Factor, 'recovery_hashes'> & { readonly recovery_hashes: string };

/** The second factors of all users. Called within a transaction of the directory. */
export class FactorTable {
  readonly #journal: DirectoryJournal;
  readonly #byUser;
  readonly #put;
  readonly #remove;

  constructor(db: Database, journal: DirectoryJournal) {
    this.#journal = journal;
    this.#byUser = db.prepare<[Uuid], FactorRow>(`SELECT ${COLUMNS} FROM factor WHERE user_id = ?`);
    this.#put = prepareWrite<[FactorRow]>(
      db,
      `INSERT OR REPLACE INTO factor (${COLUMNS})
       VALUES (@user_id, @sealed_secret, @created_at, @confirmed_at, @last_step, @misses, @missed_at, @recovery_hashes)`,
    );
    this.#remove = prepareWrite<[Uuid]>(db, 'DELETE FROM factor WHERE user_id = ?');
  }

  /** Refused with `unavailable` while a program that does not know second factors must be able to read the commits. */
  requireKept(): void {}

  get(userId: Uuid): Factor | null {
    const row = this.#byUser.get(userId);
    return row === undefined ? null : { ...row, recovery_hashes: JSON.parse(row.recovery_hashes) as string[] };
  }

  isActive(userId: Uuid): boolean {
    return typeof this.#byUser.get(userId)?.confirmed_at === 'string';
  }

  /** Uses a code up, or counts a wrong one. */
  prove(factor: Factor, proof: FactorProof, now: string): ProofOutcome {
    if (proof.kind === 'recovery') {
      if (!factor.recovery_hashes.includes(proof.hash)) return 'wrong';
      const recovery_hashes = factor.recovery_hashes.filter((hash) => hash !== proof.hash);
      this.put({ ...factor, recovery_hashes, misses: 0, missed_at: null });
      return 'accepted';
    }
    if (isLocked(factor, now)) return 'locked';
    // A new secret has come meanwhile, so the code says nothing.
    if (proof.sealed_secret !== factor.sealed_secret) return 'wrong';
    if (proof.step === null) {
      this.put({ ...factor, misses: factor.misses + 1, missed_at: now });
      return 'wrong';
    }
    if (proof.step <= factor.last_step) return 'wrong';
    this.put({ ...factor, last_step: proof.step, misses: 0, missed_at: null });
    return 'accepted';
  }

  put(factor: Factor): void {
    this.#put({ ...factor, recovery_hashes: JSON.stringify(factor.recovery_hashes) });
    this.#journal.note({ op: 'factor.put', factor });
  }

  remove(userId: Uuid): void {
    this.#remove(userId);
    this.#journal.note({ op: 'factor.remove', user_id: userId });
  }
}
