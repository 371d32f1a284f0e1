/** A common first design of the tables: normalised, with an index for every query. */
export const TABLES = `
CREATE TABLE user (
  id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, username TEXT NOT NULL UNIQUE, hashed_password TEXT NOT NULL,
  firstname TEXT, lastname TEXT, is_active INTEGER NOT NULL, is_verified INTEGER NOT NULL, is_superuser INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE board (
  id TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT, created_by TEXT, updated_by TEXT,
  created_at TEXT NOT NULL, updated_at TEXT NOT NULL, version INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE member (
  board_id TEXT NOT NULL REFERENCES board ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES user,
  role TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, PRIMARY KEY (board_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE board_column (
  id TEXT PRIMARY KEY, board_id TEXT NOT NULL REFERENCES board ON DELETE CASCADE, title TEXT NOT NULL,
  rank INTEGER NOT NULL, color TEXT NOT NULL, is_done_column INTEGER NOT NULL,
  created_by TEXT, updated_by TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX column_of_board ON board_column (board_id, rank);
CREATE TABLE card (
  id TEXT PRIMARY KEY, board_id TEXT NOT NULL REFERENCES board ON DELETE CASCADE,
  column_id TEXT NOT NULL REFERENCES board_column ON DELETE CASCADE, title TEXT NOT NULL, description TEXT,
  rank INTEGER NOT NULL, created_by TEXT, updated_by TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX card_of_column ON card (column_id, rank);
CREATE INDEX card_of_board ON card (board_id);
CREATE TABLE label (
  id TEXT PRIMARY KEY, board_id TEXT NOT NULL REFERENCES board ON DELETE CASCADE, name TEXT NOT NULL,
  color TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX label_of_board ON label (board_id);
CREATE TABLE card_label (
  card_id TEXT NOT NULL REFERENCES card ON DELETE CASCADE, label_id TEXT NOT NULL REFERENCES label ON DELETE CASCADE,
  PRIMARY KEY (card_id, label_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE card_assignee (
  card_id TEXT NOT NULL REFERENCES card ON DELETE CASCADE, user_id TEXT NOT NULL REFERENCES user,
  PRIMARY KEY (card_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE checklist (
  id TEXT PRIMARY KEY, card_id TEXT NOT NULL REFERENCES card ON DELETE CASCADE, title TEXT NOT NULL,
  rank INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX checklist_of_card ON checklist (card_id, rank);
CREATE TABLE attachment (
  id TEXT PRIMARY KEY, card_id TEXT NOT NULL REFERENCES card ON DELETE CASCADE, name TEXT NOT NULL,
  mime_type TEXT NOT NULL, size INTEGER NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX attachment_of_card ON attachment (card_id);
`;
