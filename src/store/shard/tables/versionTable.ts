/**
 * Earlier versions of texts as they are read and thrown away: by text, by card, by age. They are written as records of their
 * board, whose row has the sum of their bytes.
 */
import type { Database } from 'better-sqlite3';
import { versionId, type TextId, type VersionsOnDisk } from '../../../domain/board/versions/versionsOnDisk.js';
import type { BoardKey, Uuid } from '../../../domain/ids.js';
import type { Version } from '../../../domain/model.js';
import { prepareRead } from '../../sqlite/read.js';
import { prepareWrite } from '../../sqlite/transaction.js';
import type { SqlValue } from '../../table/rowCodec.js';
import { entityCodec } from '../rowCodecs.js';

/** The ids that begin with a prefix and a dot are between these signs. */
const [FIRST, BEHIND] = ['.', '/'];

/** The sums of the rows of a board that match; null of none. */
const BYTES = 'SELECT sum(bytes) FROM version WHERE board_key = @key AND id >= @from AND id < @to';

export class VersionTable {
  readonly #codec = entityCodec('version');
  readonly #page;
  readonly #count;
  readonly #subtract;
  readonly #removeBetween;
  readonly #idsOf;
  readonly #expired;
  readonly #oldest;
  readonly #bytes;

  constructor(db: Database) {
    const columns = this.#codec.columns.join(', ');
    this.#page = prepareRead(() =>
      db
        .prepare<[BoardKey, string, string], SqlValue[]>(`SELECT ${columns} FROM version WHERE board_key = ? AND id >= ? AND id < ? ORDER BY id DESC`)
        .raw(),
    );
    this.#count = prepareWrite<[{ key: BoardKey; id: string; bytes: number }]>(
      db,
      `UPDATE board SET version_bytes = version_bytes + @bytes
         - coalesce((SELECT bytes FROM version WHERE board_key = @key AND id = @id), 0) WHERE board_key = @key`,
    );
    this.#subtract = prepareWrite<[{ key: BoardKey; from: string; to: string }]>(
      db,
      `UPDATE board SET version_bytes = version_bytes - coalesce((${BYTES}), 0) WHERE board_key = @key`,
    );
    this.#removeBetween = prepareWrite<[BoardKey, string, string]>(db, 'DELETE FROM version WHERE board_key = ? AND id >= ? AND id < ?');
    this.#idsOf = prepareRead(() =>
      db
        .prepare<[BoardKey, string, string, number], string>('SELECT id FROM version WHERE board_key = ? AND id >= ? AND id < ? ORDER BY id LIMIT ?')
        .pluck(),
    );
    this.#expired = prepareRead(() =>
      db.prepare<[string, number], { key: BoardKey; id: string }>(
        'SELECT board_key AS key, id FROM version WHERE created_at < ? ORDER BY created_at LIMIT ?',
      ),
    );
    // An index of its own would cost every edit, and few boards are ever over their bound.
    this.#oldest = prepareRead(() =>
      db.prepare<[BoardKey], { id: string; bytes: number }>(
        'SELECT id, bytes FROM version INDEXED BY version_by_time WHERE board_key = ? ORDER BY created_at',
      ),
    );
    this.#bytes = prepareRead(() => db.prepare<[BoardKey], number>('SELECT version_bytes FROM board WHERE board_key = ?').pluck());
  }

  /** See `VersionsOnDisk`. */
  page(key: BoardKey, text: TextId, before: number, limit: number, maxCharacters: number): ReturnType<VersionsOnDisk['page']> {
    const versions: Version[] = [];
    let charactersLeft = maxCharacters;
    for (const row of this.#page.iterate(key, versionId(text, 0), versionId(text, before))) {
      const version = this.#codec.fromRow(row);
      charactersLeft -= version.text?.length ?? 0;
      if (versions.length > 0 && charactersLeft < 0) break;
      versions.push(version);
      if (versions.length >= limit) break;
    }
    return versions;
  }

  /** Part of the change that writes the row, before it. A row of the same version is replaced. */
  count(key: BoardKey, { id, bytes }: Version): void {
    this.#count({ key, id, bytes });
  }

  /** Part of the change that removes the row, before it. */
  discount(key: BoardKey, id: string): void {
    this.#count({ key, id, bytes: 0 });
  }

  /** Part of the removal of a comment: its texts must be gone. */
  removeOf(key: BoardKey, { card_id, id }: TextId): void {
    const [from, to] = [`${card_id}.${id}${FIRST}`, `${card_id}.${id}${BEHIND}`];
    this.#subtract({ key, from, to });
    this.#removeBetween(key, from, to);
  }

  someIdsOfCard(key: BoardKey, card: Uuid, limit: number): string[] {
    return this.#idsOf.all(key, `${card}${FIRST}`, `${card}${BEHIND}`, limit);
  }

  /** Of texts that were replaced before this time, the oldest first. */
  expired(before: string, limit: number): Array<{ readonly key: BoardKey; readonly id: string }> {
    return this.#expired.all(before, limit);
  }

  /** The oldest that a board with more bytes than these has to throw away. */
  excess(key: BoardKey, bytes: number): string[] {
    let over = (this.#bytes.get(key) ?? 0) - bytes;
    const ids: string[] = [];
    if (over <= 0) return ids;
    for (const oldest of this.#oldest.iterate(key)) {
      ids.push(oldest.id);
      over -= oldest.bytes;
      if (over <= 0) break;
    }
    return ids;
  }
}
