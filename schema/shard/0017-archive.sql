-- Cards and columns in the archive of a board. They are in no board's memory: the board has their totals. `content` is the
-- card with its checklists, items and attachments, or the column; the cards of an archived column have rows of their own.
CREATE TABLE archived (
  board_key     TEXT    NOT NULL,
  id            TEXT    NOT NULL,
  archived_kind TEXT    NOT NULL,
  archived_at   TEXT    NOT NULL,
  column_id     TEXT,
  with_column   INTEGER NOT NULL,
  seq           INTEGER NOT NULL,
  bytes         INTEGER NOT NULL,
  content       TEXT    NOT NULL,
  created_at    TEXT    NOT NULL,
  updated_at    TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX archived_by_time ON archived (board_key, archived_at, id) WHERE with_column = 0;
CREATE INDEX archived_by_kind ON archived (board_key, archived_kind, archived_at, id) WHERE with_column = 0;
CREATE INDEX archived_of_column ON archived (board_key, column_id, with_column, archived_kind);

-- The ids that are taken by what is in the archive. They follow from `content`.
CREATE TABLE archived_part (
  board_key   TEXT NOT NULL,
  id          TEXT NOT NULL,
  kind        TEXT NOT NULL,
  archived_id TEXT NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX archived_part_of ON archived_part (board_key, archived_id);

ALTER TABLE board ADD COLUMN archived TEXT;

-- The number of the board when the member could be assigned again: earlier assignments of archived cards have ended.
ALTER TABLE member ADD COLUMN assignable_since INTEGER NOT NULL DEFAULT 0;
