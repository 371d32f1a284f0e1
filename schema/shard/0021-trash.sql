-- What was deleted from a board and can be restored. In no board's memory. `content` has the records by kind; what does not fit
-- into one row is in further ones of the same entry, see `removals.ts`. The counts are what it takes of the board's budget.
CREATE TABLE trashed (
  board_key        TEXT    NOT NULL,
  id               TEXT    NOT NULL,
  entry_id         TEXT    NOT NULL,
  part             INTEGER NOT NULL,
  trashed_kind     TEXT    NOT NULL,
  title            TEXT    NOT NULL,
  deleted_by       TEXT,
  seq              INTEGER NOT NULL,
  columns          INTEGER NOT NULL,
  cards            INTEGER NOT NULL,
  labels           INTEGER NOT NULL,
  items            INTEGER NOT NULL,
  bytes            INTEGER NOT NULL,
  attachment_bytes INTEGER NOT NULL,
  comment_bytes    INTEGER NOT NULL,
  content          TEXT    NOT NULL,
  created_at       TEXT    NOT NULL,
  updated_at       TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trashed_entries ON trashed (board_key, created_at, id) WHERE part = 0;
CREATE INDEX trashed_of_entry ON trashed (board_key, entry_id, part);
CREATE INDEX trashed_by_time ON trashed (created_at);
-- Rows whose entry was thrown away.
CREATE INDEX trashed_further ON trashed (board_key, entry_id) WHERE part > 0;
-- So that the totals of a board are summed without reading its rows.
CREATE INDEX trashed_totals ON trashed (board_key, created_at, entry_id, part, columns, cards, labels, items, bytes, attachment_bytes, comment_bytes);

-- The ids that are taken by what is in the trash. They follow from `content`.
CREATE TABLE trashed_part (
  board_key  TEXT NOT NULL,
  id         TEXT NOT NULL,
  kind       TEXT NOT NULL,
  trashed_id TEXT NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trashed_part_of ON trashed_part (board_key, trashed_id);
