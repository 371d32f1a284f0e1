/** The rows of the directory in its file: the declared tables, and the queries that no declaration gives. */
import type { Database } from 'better-sqlite3';
import type { AuditEntry } from '../../domain/audit.js';
import type { DeletedBoard, DirectoryCommands } from '../../domain/commands/directoryCommands.js';
import type { AuditSearch, AuditShareOf, DirectoryRows, NotificationSearch, UserSearch } from '../../domain/directory/rows.js';
import {
  ANSWERS_SINCE,
  DIRECTORY_TABLES,
  type DirectoryRowTypes,
  type DirectoryWrite,
  type TableName,
  type TableWrite,
  type UserRow,
} from '../../domain/directory/tables.js';
import { AppError } from '../../domain/errors.js';
import type { Uuid } from '../../domain/ids.js';
import type { StoredNotification } from '../../domain/account/notification.js';
import type { Page } from '../../domain/table.js';
import { AnswerTable } from '../sqlite/answerTable.js';
import type { Journal } from '../transactions/transactions.js';
import { Tables } from '../table/tables.js';
import { prepareRead } from '../sqlite/read.js';

/** `instr`, because LIKE would need its wildcards escaped and limits the pattern length. */
const MATCHING_USERS = `user
  WHERE instr(username_key, @part) > 0 OR instr(email_key, @part) > 0 OR (@folded <> @part AND instr(username_key, @folded) > 0)
  ORDER BY username_key, id LIMIT @limit OFFSET @offset`;

const VISIBLE_USERS = `user
  WHERE (@part = '' OR instr(username_key, @part) > 0 OR instr(email_key, @part) > 0 OR instr(username_key, @folded) > 0)
    AND (id = @user OR email_key = @part OR username_key = @part OR username_key = @folded
      OR id IN (SELECT other.user_id FROM membership AS own JOIN membership AS other ON other.board_id = own.board_id
                WHERE own.user_id = @user AND own.position IS NOT NULL AND other.position IS NOT NULL
                  AND (@boards IS NULL OR own.board_id IN (SELECT value FROM json_each(@boards)))))
  ORDER BY username_key, id LIMIT @limit OFFSET @offset`;

const auditPage = (condition: string): string => `audit
  WHERE ${condition} AND (at, id) < (@at, @id) AND (@kind IS NULL OR kind = @kind) ORDER BY at DESC, id DESC LIMIT @limit`;
const AUDIT = auditPage('TRUE');
const AUDIT_OF_KIND = auditPage('kind = @kind');
/** Each part is read from its own index, and neither is longer than the page. */
const AUDIT_OF_USER = `(SELECT * FROM (SELECT * FROM ${auditPage('user_id = @user_id')})
  UNION SELECT * FROM (SELECT * FROM ${auditPage('subject_id = @user_id')}))
  ORDER BY at DESC, id DESC LIMIT @limit`;

const notificationPage = (condition: string): string => `notification
  WHERE user_id = @user_id AND is_hidden = 0 AND ${condition} AND (created_at, id) < (@created_at, @id) ORDER BY created_at DESC, id DESC LIMIT @limit`;
const NOTIFICATIONS = notificationPage('TRUE');
const UNREAD_NOTIFICATIONS = notificationPage('read_at IS NULL');

/** Reads and writes are called within a transaction of the directory. */
export class DirectoryTables implements DirectoryRows {
  readonly answers: AnswerTable;
  readonly #journal: Journal<DirectoryWrite>;
  readonly #tables: Tables<DirectoryRowTypes, TableWrite>;
  readonly #anySuperuser;
  readonly #sharesBoard;
  readonly #boardsAmong;
  readonly #unmadeBoards;
  readonly #auditShares;
  readonly #trashPage;
  readonly #latestPendingId;
  readonly #stats;
  /** A schema: programs that know it read the commits. */
  #readableFor = Number.POSITIVE_INFINITY;

  constructor(db: Database, journal: Journal<DirectoryWrite>) {
    this.#journal = journal;
    this.#tables = new Tables(db, DIRECTORY_TABLES);
    this.answers = new AnswerTable(db, { note: (write) => this.#note(write, ANSWERS_SINCE) });
    // With a literal, because the index has the superusers alone.
    this.#anySuperuser = db.prepare('SELECT 1 FROM user WHERE is_superuser = 1 LIMIT 1');
    this.#sharesBoard = prepareRead(() =>
      db.prepare<{ user: Uuid; other: Uuid; boards: string | null }>(
        `SELECT 1 FROM membership AS own JOIN membership AS other ON other.board_id = own.board_id AND other.position IS NOT NULL
       WHERE own.user_id = @user AND own.position IS NOT NULL AND other.user_id = @other
         AND (@boards IS NULL OR own.board_id IN (SELECT value FROM json_each(@boards)))
       LIMIT 1`,
      ),
    );
    this.#boardsAmong = db
      // In this order of the tables: the other one reads all memberships of the user.
      .prepare<[string, Uuid], Uuid>(
        `SELECT DISTINCT membership.board_id FROM json_each(?) AS named
         CROSS JOIN membership ON membership.user_id = ? AND membership.board_id = named.value
         WHERE membership.position IS NOT NULL ORDER BY membership.position`,
      )
      .pluck();
    this.#unmadeBoards = prepareRead(() =>
      db
        .prepare<[Uuid, string], Uuid>(
          `SELECT board_id FROM created_board WHERE user_id = ? AND reserved_at < ?
         AND NOT EXISTS (SELECT 1 FROM membership WHERE board_id = created_board.board_id AND position IS NOT NULL)`,
        )
        .pluck(),
    );
    this.#auditShares = prepareRead(() => db.prepare<[], AuditShareOf>('SELECT at, id, user_id, kind FROM audit'));
    this.#trashPage = prepareRead(() =>
      db.prepare<[Uuid, string, string, Uuid, number], DeletedBoard>(
        `SELECT owner.board_id, trashed.title, owner.deleted_at FROM trashed_owner AS owner JOIN trashed_board AS trashed USING (board_id)
         WHERE owner.user_id = ? AND owner.deleted_at >= ? AND (owner.deleted_at, owner.board_id) < (?, ?)
         ORDER BY owner.deleted_at DESC, owner.board_id DESC LIMIT ?`,
      ),
    );
    // SQLite's own count of an AUTOINCREMENT table: an id is used once, also when its entry is gone.
    this.#latestPendingId = prepareRead(() => db.prepare<[], number>(`SELECT seq FROM sqlite_sequence WHERE name = 'pending_profile'`).pluck());
    this.#stats = prepareRead(() =>
      db.prepare<[], DirectoryCommands['stats']['output']>(
        `SELECT (SELECT count(*) FROM user) AS users,
              (SELECT count(*) FROM user WHERE is_active) AS active_users,
              (SELECT count(DISTINCT board_id) FROM membership WHERE position IS NOT NULL) AS boards,
              (SELECT count(*) FROM membership WHERE position IS NOT NULL) AS memberships`,
      ),
    );
  }

  /** Commits must be readable for programs that know this schema. */
  writeFor(schema: number): void {
    this.#readableFor = schema;
  }

  /** Repeats a write of a commit. */
  execute(write: DirectoryWrite): void {
    if (write.op === 'answer.add' || write.op === 'answer.remove') this.answers.execute(write);
    else this.#tables.execute(write);
  }

  write(write: TableWrite): void {
    const since = this.#tables.sinceOf(write);
    if (since > this.#readableFor && this.#tables.isOptional(write)) return;
    if (this.#tables.execute(write) > 0) this.#note(write, since);
  }

  get<Name extends TableName>(table: Name, where: Partial<DirectoryRowTypes[Name]>): DirectoryRowTypes[Name] | null {
    return this.#tables.get(table, where);
  }

  list<Name extends TableName>(
    table: Name,
    where: Partial<DirectoryRowTypes[Name]>,
    page: Page<DirectoryRowTypes[Name]>,
  ): Array<DirectoryRowTypes[Name]> {
    return this.#tables.list(table, where, page);
  }

  count<Name extends TableName>(table: Name, where: Partial<DirectoryRowTypes[Name]>): number {
    return this.#tables.count(table, where);
  }

  searchUsers({ search, limit, offset, visibleTo, boards }: UserSearch, keys: { readonly part: string; readonly folded: string }): UserRow[] {
    const page = { ...keys, limit, offset };
    if (visibleTo !== undefined) return this.#tables.query('user', VISIBLE_USERS, { ...page, user: visibleTo, boards: toJson(boards) });
    if (search === null) return this.#tables.list('user', {}, { order: ['username_key', 'id'], limit, offset });
    return this.#tables.query('user', MATCHING_USERS, page);
  }

  hasSuperuser(): boolean {
    return this.#anySuperuser.get() !== undefined;
  }

  sharesBoard(user: Uuid, other: Uuid, boards?: readonly Uuid[]): boolean {
    return this.#sharesBoard.get({ user, other, boards: toJson(boards) }) !== undefined;
  }

  boardsAmong(user: Uuid, boards: readonly Uuid[]): Uuid[] {
    return this.#boardsAmong.all(JSON.stringify(boards), user);
  }

  unmadeBoards(user: Uuid, before: string): Uuid[] {
    return this.#unmadeBoards.all(user, before);
  }

  auditPage({ before, limit, user_id, kind }: AuditSearch): AuditEntry[] {
    const source = user_id !== null ? AUDIT_OF_USER : kind !== null ? AUDIT_OF_KIND : AUDIT;
    return this.#tables.query('audit', source, { at: before?.at ?? '~', id: before?.id ?? '~', limit, user_id, kind });
  }

  auditShares(): Iterable<AuditShareOf> {
    return this.#auditShares.iterate();
  }

  notificationPage({ user_id, unread, before, limit }: NotificationSearch): StoredNotification[] {
    const { created_at, id } = before ?? { created_at: '~', id: '~' };
    return this.#tables.query('notification', unread ? UNREAD_NOTIFICATIONS : NOTIFICATIONS, { user_id, created_at, id, limit });
  }

  trashPage({ user_id, since, before, limit }: DirectoryCommands['trash.list']['input']): DeletedBoard[] {
    const { deleted_at, board_id } = before ?? { deleted_at: '~', board_id: '~' };
    return this.#trashPage.all(user_id, since, deleted_at, board_id, limit);
  }

  latestPendingId(): number {
    return this.#latestPendingId.get() ?? 0;
  }

  stats(): DirectoryCommands['stats']['output'] {
    const stats = this.#stats.get();
    if (stats === undefined) throw new Error('counting gave nothing');
    return stats;
  }

  /** While a program with an older schema lives in the cluster, no commit has what it does not know. */
  #note(write: DirectoryWrite, since: number): void {
    if (since > this.#readableFor) throw new AppError('unavailable', 'An older version of the service is still running. Try again.');
    this.#journal.note(write);
  }
}

function toJson(ids: readonly Uuid[] | undefined): string | null {
  return ids === undefined ? null : JSON.stringify(ids);
}
