/** Boards in SQLite: prepared statements, one transaction a change, WAL with `synchronous=FULL`. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { byCard, toUser } from './rows.js';
import type { AttachmentRow, BoardRow, CardResource, CardRow, ChecklistRow, ColumnRow, LabelRow, MemberRow, OfCard, UserRow } from './rows.js';
import { TABLES } from './tables.js';
import { Sqlite } from '../../../src/store/sqlite/sqlite.js';

const RANK_STEP = 65_536;

export interface CardMove {
  readonly column_id?: string;
  readonly position?: number;
}

export class Store {
  readonly #db: Database.Database;
  readonly #sql;

  constructor(folder: string) {
    const db = new Sqlite(join(folder, 'boards.sqlite'));
    db.pragma('journal_mode = wal');
    db.pragma('synchronous = full');
    db.pragma('foreign_keys = on');
    db.exec(TABLES);
    this.#db = db;
    this.#sql = prepareAll(db);
  }

  close(): void {
    this.#db.close();
  }

  createUser(email: string, username: string, hashed_password: string): UserRow {
    const id = randomUUID();
    this.#sql.insertUser.run(id, email, username, hashed_password);
    return this.user(id) as UserRow;
  }

  user(id: string): UserRow | undefined {
    return this.#sql.user.get(id);
  }

  userByEmail(email: string): UserRow | undefined {
    return this.#sql.userByEmail.get(email);
  }

  isMember(boardId: string, userId: string): boolean {
    return this.#sql.member.get(boardId, userId) !== undefined;
  }

  boardVersion(id: string): number | undefined {
    return this.#sql.boardVersion.get(id);
  }

  board(id: string) {
    const board = this.#sql.board.get(id);
    if (board === undefined) return undefined;
    const labels = byCard(this.#sql.cardLabelsOfBoard.all(id));
    const assignees = byCard(this.#sql.assigneesOfBoard.all(id));
    const checklists = byCard(this.#sql.checklistsOfBoard.all(id));
    const attachments = byCard(this.#sql.attachmentsOfBoard.all(id));
    const cards = new Map<string, CardResource[]>();
    for (const row of this.#sql.cardsOfBoard.all(id)) {
      const card = {
        ...row,
        labels: labels.get(row.id) ?? [],
        assignees: (assignees.get(row.id) ?? []).map(toUser),
        checklists: (checklists.get(row.id) ?? []).map((checklist) => ({ ...checklist, items: [] })),
        attachments: attachments.get(row.id) ?? [],
      };
      const column = cards.get(row.column_id);
      if (column === undefined) cards.set(row.column_id, [card]);
      else column.push(card);
    }
    return {
      ...board,
      labels: this.#sql.labelsOfBoard.all(id),
      members: this.#sql.membersOfBoard.all(id).map((member) => ({ ...member, user: toUser(member) })),
      columns: this.#sql.columnsOfBoard.all(id).map((column) => ({
        ...column,
        is_done_column: column.is_done_column === 1,
        cards: cards.get(column.id) ?? [],
      })),
    };
  }

  cardRow(id: string): CardRow | undefined {
    return this.#sql.card.get(id);
  }

  card(id: string): CardResource | undefined {
    const row = this.#sql.card.get(id);
    if (row === undefined) return undefined;
    return {
      ...row,
      labels: this.#sql.labelsOfCard.all(id),
      assignees: this.#sql.assigneesOfCard.all(id).map(toUser),
      checklists: this.#sql.checklistsOfCard.all(id).map((checklist) => ({ ...checklist, items: [] })),
      attachments: this.#sql.attachmentsOfCard.all(id),
    };
  }

  createBoard(userId: string, title: string, description: string | null): string {
    const id = randomUUID();
    const now = new Date().toISOString();
    this.#db.transaction(() => {
      this.#sql.insertBoard.run(id, title, description, userId, userId, now, now);
      this.#sql.insertMember.run(id, userId, now, now);
    })();
    return id;
  }

  createColumn(userId: string, boardId: string, title: string): ColumnRow {
    const id = randomUUID();
    const now = new Date().toISOString();
    return this.#change(boardId, () => {
      const rank = (this.#sql.lastColumnRank.get(boardId) ?? 0) + RANK_STEP;
      this.#sql.insertColumn.run(id, boardId, title, rank, userId, userId, now, now);
      return this.#sql.column.get(id) as ColumnRow;
    });
  }

  createLabel(boardId: string, name: string, color: string): LabelRow {
    const id = randomUUID();
    const now = new Date().toISOString();
    return this.#change(boardId, () => {
      this.#sql.insertLabel.run(id, boardId, name, color, now, now);
      return { id, board_id: boardId, name, color, created_at: now, updated_at: now };
    });
  }

  createCard(userId: string, boardId: string, columnId: string, title: string, description: string | null): CardResource {
    const id = randomUUID();
    const now = new Date().toISOString();
    return this.#change(boardId, () => {
      const rank = (this.#sql.lastCardRank.get(columnId) ?? 0) + RANK_STEP;
      this.#sql.insertCard.run(id, boardId, columnId, title, description, rank, userId, userId, now, now);
      return this.card(id) as CardResource;
    });
  }

  updateCard(userId: string, card: CardRow, title: string, description: string | null): CardResource {
    return this.#change(card.board_id, () => {
      this.#sql.updateCard.run(title, description, userId, new Date().toISOString(), card.id);
      return this.card(card.id) as CardResource;
    });
  }

  moveCard(userId: string, card: CardRow, move: CardMove): CardResource {
    const columnId = move.column_id ?? card.column_id;
    return this.#change(card.board_id, () => {
      const rank = this.#rankAt(columnId, card.id, move.position ?? Number.MAX_SAFE_INTEGER);
      this.#sql.moveCard.run(columnId, rank, userId, new Date().toISOString(), card.id);
      return this.card(card.id) as CardResource;
    });
  }

  addLabel(card: CardRow, labelId: string): CardResource {
    return this.#change(card.board_id, () => {
      this.#sql.addLabel.run(card.id, labelId);
      return this.card(card.id) as CardResource;
    });
  }

  assign(card: CardRow, userIds: readonly string[]): CardResource {
    return this.#change(card.board_id, () => {
      for (const userId of userIds) this.#sql.assign.run(card.id, userId);
      return this.card(card.id) as CardResource;
    });
  }

  #change<Result>(boardId: string, work: () => Result): Result {
    return this.#db.transaction(() => {
      const result = work();
      this.#sql.touchBoard.run(boardId);
      return result;
    })();
  }

  #rankAt(columnId: string, cardId: string, position: number): number {
    const last = this.#sql.lastOtherRank.get(columnId, cardId) ?? 0;
    const [before, after] =
      position === 0
        ? [0, this.#sql.ranksFrom.all(columnId, cardId, 1, 0)[0]]
        : this.#sql.ranksFrom.all(columnId, cardId, 2, Math.min(position - 1, 2 ** 31));
    if (before === undefined || after === undefined) return last + RANK_STEP;
    if (after - before > 1) return Math.floor((before + after) / 2);
    this.#sql.otherCards.all(columnId, cardId).forEach((id, index) => {
      this.#sql.setRank.run((index + 1) * RANK_STEP, id);
    });
    return this.#rankAt(columnId, cardId, position);
  }
}

function prepareAll(db: Database.Database) {
  const cardColumns = 'id, board_id, column_id, title, description, rank, created_by, updated_by, created_at, updated_at';
  return {
    user: db.prepare<[string], UserRow>('SELECT * FROM user WHERE id = ?'),
    userByEmail: db.prepare<[string], UserRow>('SELECT * FROM user WHERE email = ?'),
    insertUser: db.prepare('INSERT INTO user VALUES (?, ?, ?, ?, NULL, NULL, 1, 0, 0)'),
    member: db.prepare<[string, string], MemberRow>('SELECT * FROM member WHERE board_id = ? AND user_id = ?'),
    insertMember: db.prepare("INSERT INTO member VALUES (?, ?, 'owner', ?, ?)"),
    membersOfBoard: db.prepare<[string], MemberRow & UserRow>('SELECT * FROM member JOIN user ON user.id = user_id WHERE board_id = ?'),
    board: db.prepare<[string], BoardRow>('SELECT * FROM board WHERE id = ?'),
    boardVersion: db.prepare<[string], number>('SELECT version FROM board WHERE id = ?').pluck(),
    touchBoard: db.prepare('UPDATE board SET version = version + 1 WHERE id = ?'),
    insertBoard: db.prepare('INSERT INTO board VALUES (?, ?, ?, ?, ?, ?, ?, 0)'),
    column: db.prepare<[string], ColumnRow>('SELECT * FROM board_column WHERE id = ?'),
    columnsOfBoard: db.prepare<[string], ColumnRow>('SELECT * FROM board_column WHERE board_id = ? ORDER BY rank'),
    lastColumnRank: db.prepare<[string], number>('SELECT max(rank) FROM board_column WHERE board_id = ?').pluck(),
    insertColumn: db.prepare("INSERT INTO board_column VALUES (?, ?, ?, ?, '#6b7280', 0, ?, ?, ?, ?)"),
    label: db.prepare<[string], LabelRow>('SELECT * FROM label WHERE id = ?'),
    labelsOfBoard: db.prepare<[string], LabelRow>('SELECT * FROM label WHERE board_id = ?'),
    insertLabel: db.prepare('INSERT INTO label VALUES (?, ?, ?, ?, ?, ?)'),
    card: db.prepare<[string], CardRow>(`SELECT ${cardColumns} FROM card WHERE id = ?`),
    cardsOfBoard: db.prepare<[string], CardRow>(`SELECT ${cardColumns} FROM card WHERE board_id = ? ORDER BY rank`),
    lastCardRank: db.prepare<[string], number>('SELECT max(rank) FROM card WHERE column_id = ?').pluck(),
    lastOtherRank: db.prepare<[string, string], number>('SELECT max(rank) FROM card WHERE column_id = ? AND id <> ?').pluck(),
    ranksFrom: db
      .prepare<[string, string, number, number], number>('SELECT rank FROM card WHERE column_id = ? AND id <> ? ORDER BY rank LIMIT ? OFFSET ?')
      .pluck(),
    otherCards: db.prepare<[string, string], string>('SELECT id FROM card WHERE column_id = ? AND id <> ? ORDER BY rank').pluck(),
    setRank: db.prepare('UPDATE card SET rank = ? WHERE id = ?'),
    insertCard: db.prepare(`INSERT INTO card (${cardColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
    updateCard: db.prepare('UPDATE card SET title = ?, description = ?, updated_by = ?, updated_at = ? WHERE id = ?'),
    moveCard: db.prepare('UPDATE card SET column_id = ?, rank = ?, updated_by = ?, updated_at = ? WHERE id = ?'),
    addLabel: db.prepare('INSERT OR IGNORE INTO card_label VALUES (?, ?)'),
    assign: db.prepare('INSERT OR IGNORE INTO card_assignee VALUES (?, ?)'),
    labelsOfCard: db.prepare<[string], LabelRow>('SELECT label.* FROM card_label JOIN label ON label.id = label_id WHERE card_id = ?'),
    assigneesOfCard: db.prepare<[string], UserRow>('SELECT user.* FROM card_assignee JOIN user ON user.id = user_id WHERE card_id = ?'),
    checklistsOfCard: db.prepare<[string], ChecklistRow>('SELECT * FROM checklist WHERE card_id = ? ORDER BY rank'),
    attachmentsOfCard: db.prepare<[string], AttachmentRow>('SELECT * FROM attachment WHERE card_id = ?'),
    cardLabelsOfBoard: db.prepare<[string], OfCard<LabelRow>>(
      `SELECT label.*, card_id AS of_card FROM card JOIN card_label ON card_id = card.id
       JOIN label ON label.id = label_id WHERE card.board_id = ?`,
    ),
    assigneesOfBoard: db.prepare<[string], OfCard<UserRow>>(
      `SELECT user.*, card_id AS of_card FROM card JOIN card_assignee ON card_id = card.id
       JOIN user ON user.id = user_id WHERE card.board_id = ?`,
    ),
    checklistsOfBoard: db.prepare<[string], OfCard<ChecklistRow>>(
      `SELECT checklist.*, card_id AS of_card FROM card JOIN checklist ON card_id = card.id
       WHERE card.board_id = ? ORDER BY checklist.rank`,
    ),
    attachmentsOfBoard: db.prepare<[string], OfCard<AttachmentRow>>(
      `SELECT attachment.*, card_id AS of_card FROM card JOIN attachment ON card_id = card.id WHERE card.board_id = ?`,
    ),
  };
}
