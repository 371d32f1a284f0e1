/** The kept answers of a file, see `domain/idempotency.ts`. The table is the same in a shard and in the directory. */
import type { Database } from 'better-sqlite3';
import { answersSince, LEFT_KEPT, MAX_KEPT, type AnswerRow, type AnswerToKeep, type AnswerWrite, type KeptAnswer } from '../../domain/idempotency.js';
import type { Kind } from '../../domain/model.js';
import { prepareRead } from './read.js';
import { prepareWrite } from './transaction.js';

/** Memory of a row besides its key and body, roughly. */
const ROW_BYTES = 256;
/** Each is a few bytes; beyond it all are counted again. */
const MAX_COUNTED_SCOPES = 10_000;
/** SQLite visits every page that it frees. */
const SWEEP_BYTES = 1024 * 1024;

interface StoredRow {
  readonly fingerprint: string;
  readonly position: string | null;
  readonly outbox_id: number | null;
  readonly shown_kind: Kind | null;
  readonly shown_id: string | null;
  readonly created_at: string;
  readonly body: string | null;
}

interface Weight {
  readonly id: number;
  readonly bytes: number;
}

/** At least what a scope has in the file: a commit that was undone, or a swept row, is still counted. */
interface OwnerCounts {
  answers: number;
  bytes: number;
}

export class AnswerTable {
  readonly #journal: { note(write: AnswerWrite): void };
  /** Scopes that were counted since the file was opened. */
  readonly #counts = new Map<string, OwnerCounts>();
  readonly #find;
  readonly #idOf;
  readonly #latestId;
  readonly #insert;
  readonly #remove;
  readonly #weigh;
  readonly #oldest;
  readonly #about;
  readonly #saying;

  constructor(db: Database, journal: { note(write: AnswerWrite): void }) {
    this.#journal = journal;
    this.#find = prepareRead(() =>
      db.prepare<[string, string], StoredRow>(
        'SELECT fingerprint, position, outbox_id, shown_kind, shown_id, created_at, body FROM answer WHERE scope = ? AND key = ?',
      ),
    );
    this.#idOf = prepareRead(() => db.prepare<[string, string], number>('SELECT id FROM answer WHERE scope = ? AND key = ?').pluck());
    this.#latestId = prepareRead(() => db.prepare<[], number | null>('SELECT max(id) FROM answer').pluck());
    this.#insert = prepareWrite<
      [number, string, string, string, string | null, number | null, string | null, string | null, number, string, string | null]
    >(
      db,
      `INSERT INTO answer (id, scope, key, fingerprint, position, outbox_id, shown_kind, shown_id, bytes, created_at, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#remove = prepareWrite<[number]>(db, 'DELETE FROM answer WHERE id = ?');
    this.#weigh = prepareRead(() => db.prepare<[string], Weight>('SELECT id, bytes FROM answer WHERE scope = ? ORDER BY id DESC'));
    this.#about = prepareRead(() => db.prepare<[string, string], number>('SELECT id FROM answer WHERE scope = ? OR instr(body, ?) > 0').pluck());
    this.#saying = prepareRead(() => db.prepare<[string, string], number>('SELECT id FROM answer WHERE scope = ? AND instr(body, ?) > 0').pluck());
    this.#oldest = prepareRead(() =>
      db.prepare<[number], Weight & { readonly at: string }>('SELECT id, bytes, created_at AS at FROM answer ORDER BY id LIMIT ?'),
    );
  }

  /** Null if there is none, or if it is too old. */
  find(scope: string, key: string, now: string): KeptAnswer | null {
    const row = this.#find.get(scope, key);
    if (row === undefined || row.created_at < answersSince(now)) return null;
    const { fingerprint, position, outbox_id: outboxId, shown_kind, shown_id, body } = row;
    const shows = shown_kind === null || shown_id === null ? null : { kind: shown_kind, id: shown_id };
    return { fingerprint, body, shows, position, outboxId };
  }

  /** Replaces an answer that is too old, and removes the oldest of the same scope if there are too many. */
  keep(answer: AnswerToKeep, at: string): void {
    const { scope, key } = answer;
    const counts = this.#countsOf(scope);
    const outdated = this.#idOf.get(scope, key);
    if (outdated !== undefined) this.#removeAll([outdated]);
    this.#add({ ...answer, id: (this.#latestId.get() ?? 0) + 1, at });
    counts.answers += 1;
    counts.bytes += bytesOf(answer);
    if (counts.answers > MAX_KEPT.answers || counts.bytes > MAX_KEPT.bytes) this.#cut(scope);
  }

  /** At most `limit`, and not many bytes at once. Returns how many. */
  removeOlderThan(at: string, limit: number): number {
    const ids: number[] = [];
    let bytes = 0;
    for (const row of this.#oldest.iterate(limit)) {
      if (row.at >= at || bytes >= SWEEP_BYTES) break;
      ids.push(row.id);
      bytes += row.bytes;
    }
    this.#removeAll(ids);
    return ids.length;
  }

  /** The user's own answers and those that show the user. Reads the whole table. */
  removeAbout(userId: string): void {
    this.#removeAll(this.#about.all(userId, userId));
    this.#counts.delete(userId);
  }

  /** What was answered turned out otherwise. `part`: something that only this answer of the scope says. */
  removeSaying(scope: string, part: string): void {
    const ids = this.#saying.all(scope, part);
    this.#removeAll(ids);
    if (ids.length > 0) this.#counts.delete(scope);
  }

  /** Repeats a write of the owner's commit. */
  execute(write: AnswerWrite): void {
    // What others wrote was not counted.
    this.#counts.clear();
    if (write.op === 'answer.add') this.#add(write.answer);
    else this.#removeAll(write.ids);
  }

  #add(answer: AnswerRow): void {
    const { id, scope, key, fingerprint, position, outboxId, shows, body, at } = answer;
    const bytes = bytesOf(answer);
    this.#insert(id, scope, key, fingerprint, position, outboxId, shows?.kind ?? null, shows?.id ?? null, bytes, at, body);
    this.#journal.note({ op: 'answer.add', answer });
  }

  #removeAll(ids: readonly number[]): void {
    if (ids.length === 0) return;
    for (const id of ids) this.#remove(id);
    this.#journal.note({ op: 'answer.remove', ids });
  }

  #countsOf(scope: string): OwnerCounts {
    const known = this.#counts.get(scope);
    if (known !== undefined) return known;
    const rows = this.#weigh.all(scope);
    const counts = { answers: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
    if (this.#counts.size >= MAX_COUNTED_SCOPES) this.#counts.clear();
    this.#counts.set(scope, counts);
    return counts;
  }

  /** The newest stays, however large. */
  #cut(scope: string): void {
    const [newest, ...others] = this.#weigh.all(scope);
    let total = newest?.bytes ?? 0;
    const end = others.findIndex(({ bytes }, index) => {
      total += bytes;
      return index + 2 > LEFT_KEPT.answers || total > LEFT_KEPT.bytes;
    });
    if (end >= 0) this.#removeAll(others.slice(end).map(({ id }) => id));
    // Counted again: the commit may yet be undone.
    this.#counts.delete(scope);
  }
}

function bytesOf({ scope, key, body }: AnswerToKeep): number {
  return ROW_BYTES + scope.length + key.length + (body === null ? 0 : Buffer.byteLength(body));
}
