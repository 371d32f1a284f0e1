/** The rows of the directory in memory: handlers run on them without a file, and both must decide the same. */
import { AuditRetention } from '../../../src/domain/directory/auditRetention.js';
import { decideDirectory } from '../../../src/domain/directory/decide.js';
import type { AuditSearch, AuditShareOf, DirectoryRows, KeptAnswers, NotificationSearch, UserSearch } from '../../../src/domain/directory/rows.js';
import {
  ANSWERS_SINCE,
  DIRECTORY_TABLES,
  type DirectoryCommit,
  type DirectoryRowTypes,
  type DirectoryWrite,
  type TableName,
  type TableWrite,
  type UserRow,
} from '../../../src/domain/directory/tables.js';
import type { DeletedBoard, DirectoryCommand, DirectoryCommands } from '../../../src/domain/commands/directoryCommands.js';
import { AppError, INTERNAL_ERROR } from '../../../src/domain/errors.js';
import { answersSince, type AnswerRow, type AnswerWrite } from '../../../src/domain/idempotency.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { Page } from '../../../src/domain/table.js';
import type { DirectoryAnswer } from '../../../src/domain/directory/handler.js';
import type { Result } from '../../../src/domain/result.js';

/** With what is published when the command is stored. */
export type DirectoryOutcome = Result<DirectoryAnswer<unknown>>;

type Row = Readonly<Record<string, unknown>>;
type Change = { readonly table: TableName } & Partial<Record<'put' | 'add' | 'insert' | 'set' | 'where' | 'remove', Row>>;

interface Declaration {
  readonly since: number;
  readonly later?: { readonly [op: string]: number };
  readonly key: readonly string[];
  readonly writes: { readonly [op: string]: (write: unknown) => readonly Change[] };
}

const DECLARATIONS = DIRECTORY_TABLES as unknown as { readonly [Name in TableName]: Declaration };

/** Rows are never changed in place, so a copy of the lists is a copy of everything. */
interface State {
  readonly tables: ReadonlyMap<TableName, readonly Row[]>;
  readonly answers: readonly AnswerRow[];
  readonly latestPendingId: number;
}

export class MemoryRows implements DirectoryRows {
  state: State = { tables: new Map(), answers: [], latestPendingId: 0 };
  noted: DirectoryWrite[] = [];
  readableFor = Number.POSITIVE_INFINITY;

  get<Name extends TableName>(table: Name, where: Partial<DirectoryRowTypes[Name]>): DirectoryRowTypes[Name] | null {
    return this.#all(table).find((row) => has(row, where)) ?? null;
  }

  list<Name extends TableName>(
    table: Name,
    where: Partial<DirectoryRowTypes[Name]>,
    { order, isFalling, upTo, after, limit, offset = 0 }: Page<DirectoryRowTypes[Name]>,
  ): Array<DirectoryRowTypes[Name]> {
    const [first] = order;
    const found = this.#all(table).filter((row) => {
      const value: unknown = first === undefined ? null : row[first];
      if (upTo !== undefined && !(typeof value === 'string' && value <= upTo)) return false;
      if (after !== undefined && !(typeof value === 'number' && value > after)) return false;
      return has(row, where);
    });
    const sorted = found.sort((a, b) => {
      for (const column of order) {
        const difference = compare(a[column], b[column]);
        if (difference !== 0) return column === first && isFalling === true ? -difference : difference;
      }
      return 0;
    });
    return sorted.slice(offset, limit === undefined ? undefined : offset + limit);
  }

  count<Name extends TableName>(table: Name, where: Partial<DirectoryRowTypes[Name]>): number {
    return this.#all(table).filter((row) => has(row, where)).length;
  }

  write(write: TableWrite): void {
    const declaration = Object.values(DECLARATIONS).find(({ writes }) => Object.hasOwn(writes, write.op));
    const changes = declaration?.writes[write.op]?.(write) ?? [];
    const changed = changes.reduce((sum, change) => sum + this.#change(change), 0);
    if (changed > 0) this.#note(write, declaration?.later?.[write.op] ?? declaration?.since ?? 0);
  }

  readonly answers: KeptAnswers = {
    find: (scope, key, now) => {
      const found = this.state.answers.find((each) => each.scope === scope && each.key === key && each.at >= answersSince(now));
      if (found === undefined) return null;
      const { fingerprint, body, shows, position, outboxId } = found;
      return { fingerprint, body, shows, position, outboxId };
    },
    keep: (answer, at) => {
      this.#removeAnswers((each) => each.scope === answer.scope && each.key === answer.key);
      const id = Math.max(0, ...this.state.answers.map((each) => each.id)) + 1;
      const row = { ...answer, id, at };
      this.state = { ...this.state, answers: [...this.state.answers, row] };
      this.#note({ op: 'answer.add', answer: row }, ANSWERS_SINCE);
    },
    removeOlderThan: (at, limit) => {
      const oldest = this.state.answers.slice(0, limit);
      const end = oldest.findIndex((each) => each.at >= at);
      const gone = new Set(end < 0 ? oldest : oldest.slice(0, end));
      this.#removeAnswers((each) => gone.has(each));
    },
    removeAbout: (userId) => this.#removeAnswers(({ scope, body }) => scope === userId || body?.includes(userId) === true),
  };

  searchUsers({ search, limit, offset, visibleTo, boards }: UserSearch, { part, folded }: { part: string; folded: string }): UserRow[] {
    const isVisible = ({ id, email_key, username_key }: UserRow): boolean =>
      visibleTo === undefined ||
      [email_key, username_key].includes(part) ||
      username_key === folded ||
      this.sharesBoard(visibleTo, id, boards) ||
      id === visibleTo;
    const isMatching = ({ email_key, username_key }: UserRow): boolean =>
      search === null || username_key.includes(part) || email_key.includes(part) || username_key.includes(folded);
    const found = this.list('user', {}, { order: ['username_key', 'id'] }).filter((user) => isVisible(user) && isMatching(user));
    return found.slice(offset, offset + limit);
  }

  hasSuperuser(): boolean {
    return this.get('user', { is_superuser: true }) !== null;
  }

  sharesBoard(user: Uuid, other: Uuid, boards?: readonly Uuid[]): boolean {
    const own = this.#boardsOf(user).filter((board) => boards === undefined || boards.includes(board));
    return own.some((board) => this.#boardsOf(other).includes(board));
  }

  boardsAmong(user: Uuid, boards: readonly Uuid[]): Uuid[] {
    return this.#boardsOf(user).filter((board) => boards.includes(board));
  }

  unmadeBoards(user_id: Uuid, before: string): Uuid[] {
    const isMade = (board_id: Uuid): boolean => this.#all('membership').some((row) => row.board_id === board_id && row.position !== null);
    const own = this.list('created_board', { user_id }, { order: ['board_id'] });
    return own.filter(({ board_id, reserved_at }) => reserved_at < before && !isMade(board_id)).map(({ board_id }) => board_id);
  }

  auditPage({ before, limit, user_id, kind }: AuditSearch): Array<DirectoryRowTypes['audit']> {
    const isBefore = (at: string, id: string): boolean => before === null || at < before.at || (at === before.at && id < before.id);
    const isMeant = (row: DirectoryRowTypes['audit']): boolean =>
      (user_id === null || row.user_id === user_id || row.subject_id === user_id) && (kind === null || row.kind === kind);
    const found = this.list('audit', {}, { order: ['at', 'id'] }).filter((row) => isMeant(row) && isBefore(row.at, row.id));
    return found.reverse().slice(0, limit);
  }

  auditShares(): Iterable<AuditShareOf> {
    return this.#all('audit');
  }

  notificationPage({ user_id, unread, before, limit }: NotificationSearch): Array<DirectoryRowTypes['notification']> {
    const isBefore = (at: string, id: string): boolean => before === null || at < before.created_at || (at === before.created_at && id < before.id);
    const where = { user_id, is_hidden: false, ...(unread ? { read_at: null } : {}) };
    const found = this.list('notification', where, { order: ['created_at', 'id'] }).filter((row) => isBefore(row.created_at, row.id));
    return found.reverse().slice(0, limit);
  }

  trashPage({ user_id, since, before, limit }: DirectoryCommands['trash.list']['input']): DeletedBoard[] {
    const own = this.list('trashed_owner', { user_id }, { order: ['deleted_at', 'board_id'] });
    const isBefore = (at: string, id: string): boolean =>
      before === null || at < before.deleted_at || (at === before.deleted_at && id < before.board_id);
    const found = own.flatMap(({ board_id, deleted_at }) => {
      const title = this.get('trashed_board', { board_id })?.title;
      return title === undefined || deleted_at < since || !isBefore(deleted_at, board_id) ? [] : [{ board_id, title, deleted_at }];
    });
    return found.reverse().slice(0, limit);
  }

  latestPendingId(): number {
    return this.state.latestPendingId;
  }

  stats(): DirectoryCommands['stats']['output'] {
    const current = this.#all('membership').filter(({ position }) => position !== null);
    const boards = new Set(current.map(({ board_id }) => board_id)).size;
    return { users: this.count('user', {}), active_users: this.count('user', { is_active: true }), boards, memberships: current.length };
  }

  /** The declaration says which rows a table has. */
  #all<Name extends TableName>(table: Name): Array<DirectoryRowTypes[Name]> {
    return [...(this.state.tables.get(table) ?? [])] as unknown as Array<DirectoryRowTypes[Name]>;
  }

  #boardsOf(user_id: Uuid): Uuid[] {
    return this.list('membership', { user_id }, { order: ['position'], after: 0 }).map(({ board_id }) => board_id);
  }

  #change({ table, put, add, insert, set, where, remove }: Change): number {
    const before = this.state.tables.get(table) ?? [];
    const row = put ?? add ?? insert;
    if (row !== undefined) {
      const key = Object.fromEntries(DECLARATIONS[table].key.map((column) => [column, row[column]]));
      const others = before.filter((each) => !has(each, key));
      if (insert !== undefined && others.length < before.length) throw new Error(`${table} has such a row`);
      if (add !== undefined && others.length < before.length) return 0;
      this.#set(table, [...others, row]);
      if (table === 'pending_profile') this.state = { ...this.state, latestPendingId: Math.max(this.state.latestPendingId, Number(row['id'])) };
      return 1;
    }
    const isMeant = (each: Row): boolean => has(each, remove ?? where ?? {});
    this.#set(
      table,
      remove === undefined ? before.map((each) => (isMeant(each) ? { ...each, ...set } : each)) : before.filter((each) => !isMeant(each)),
    );
    return before.filter(isMeant).length;
  }

  #set(table: TableName, rows: readonly Row[]): void {
    this.state = { ...this.state, tables: new Map([...this.state.tables, [table, rows]]) };
  }

  #removeAnswers(isMeant: (answer: AnswerRow) => boolean): void {
    const ids = this.state.answers.filter(isMeant).map(({ id }) => id);
    if (ids.length === 0) return;
    this.state = { ...this.state, answers: this.state.answers.filter((answer) => !isMeant(answer)) };
    this.#note({ op: 'answer.remove', ids } satisfies AnswerWrite, ANSWERS_SINCE);
  }

  #note(write: DirectoryWrite, since: number): void {
    if (since > this.readableFor) throw new AppError('unavailable', 'An older version of the service is still running. Try again.');
    this.noted.push(write);
  }
}

export interface MemoryDirectoryOptions {
  readonly onError: (error: unknown) => void;
  readonly onCommit?: (commit: DirectoryCommit) => void;
}

/** Commits at once, as a directory with a file of its own does. */
export class MemoryDirectory {
  readonly #rows = new MemoryRows();
  readonly #audit = new AuditRetention();
  readonly #options: MemoryDirectoryOptions;
  #number = 0;

  constructor(options: MemoryDirectoryOptions) {
    this.#options = options;
  }

  get number(): number {
    return this.#number;
  }

  writeFor(schema: number): void {
    this.#rows.readableFor = schema;
  }

  runNow(commands: readonly DirectoryCommand[]): DirectoryOutcome[] {
    this.#rows.noted = [];
    const outcomes = commands.map((command) => this.#run(command));
    if (this.#rows.noted.length > 0) {
      this.#number += 1;
      this.#options.onCommit?.({ number: this.#number, writes: this.#rows.noted });
    }
    return outcomes;
  }

  close(): void {}

  #run(command: DirectoryCommand): DirectoryOutcome {
    const { state, noted } = this.#rows;
    const length = noted.length;
    try {
      return { ok: true, ...decideDirectory(this.#rows, command, this.#audit) };
    } catch (error) {
      this.#rows.state = state;
      noted.length = length;
      if (error instanceof AppError) return { ok: false, error: error.toData() };
      this.#options.onError(error);
      return { ok: false, error: INTERNAL_ERROR };
    }
  }
}

function has(row: object, values: object): boolean {
  return Object.entries(values).every(([column, value]) => (row as Row)[column] === value);
}

/** As SQLite orders: null before everything. */
function compare(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return (a as string) < (b as string) ? -1 : 1;
}
