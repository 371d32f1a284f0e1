-- A shard holds whole boards. Every table of a board's parts is clustered by (board_key, id), so that a board is loaded
-- by one range scan per table, and so that its rows share pages. Parents and lists of ids are not foreign keys: the
-- board's actor decides what refers to what and names every row that goes.

-- Which part of which whole this file is. The number of shards decides where a board lives, so it can never change.
CREATE TABLE place (
  id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  shard  INTEGER NOT NULL,
  shards INTEGER NOT NULL
) STRICT;

-- Keyed by board_key alone: two boards cannot share one. `seq` is the number of the board's latest event.
CREATE TABLE board (
  board_key   TEXT    NOT NULL PRIMARY KEY,
  id          TEXT    NOT NULL,
  title       TEXT    NOT NULL,
  description TEXT,
  created_at  TEXT    NOT NULL,
  updated_at  TEXT    NOT NULL,
  created_by  TEXT,
  updated_by  TEXT,
  seq         INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- `id` is the user's; `user` is the board's copy of the public profile as JSON, replaced as a whole.
CREATE TABLE member (
  board_key  TEXT NOT NULL,
  id         TEXT NOT NULL,
  role       TEXT NOT NULL,
  user       TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE board_column (
  board_key      TEXT    NOT NULL,
  id             TEXT    NOT NULL,
  title          TEXT    NOT NULL,
  rank           INTEGER NOT NULL,
  color          TEXT    NOT NULL,
  is_done_column INTEGER NOT NULL,
  created_at     TEXT    NOT NULL,
  updated_at     TEXT    NOT NULL,
  created_by     TEXT,
  updated_by     TEXT,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE card (
  board_key    TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  column_id    TEXT    NOT NULL,
  title        TEXT    NOT NULL,
  description  TEXT,
  rank         INTEGER NOT NULL,
  label_ids    TEXT    NOT NULL,
  assignee_ids TEXT    NOT NULL,
  created_at   TEXT    NOT NULL,
  updated_at   TEXT    NOT NULL,
  created_by   TEXT,
  updated_by   TEXT,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE label (
  board_key  TEXT NOT NULL,
  id         TEXT NOT NULL,
  name       TEXT NOT NULL,
  color      TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE checklist (
  board_key  TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  card_id    TEXT    NOT NULL,
  title      TEXT    NOT NULL,
  rank       INTEGER NOT NULL,
  created_at TEXT    NOT NULL,
  updated_at TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE item (
  board_key    TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  checklist_id TEXT    NOT NULL,
  content      TEXT    NOT NULL,
  is_done      INTEGER NOT NULL,
  rank         INTEGER NOT NULL,
  assignee_ids TEXT    NOT NULL,
  created_at   TEXT    NOT NULL,
  updated_at   TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE attachment (
  board_key  TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  card_id    TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  mime_type  TEXT    NOT NULL,
  size       INTEGER NOT NULL,
  created_at TEXT    NOT NULL,
  updated_at TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE rule (
  board_key         TEXT    NOT NULL,
  id                TEXT    NOT NULL,
  name              TEXT    NOT NULL,
  trigger_type      TEXT    NOT NULL,
  trigger_column_id TEXT,
  trigger_label_id  TEXT,
  action_type       TEXT    NOT NULL,
  action_column_id  TEXT,
  action_user_id    TEXT,
  is_enabled        INTEGER NOT NULL,
  created_at        TEXT    NOT NULL,
  updated_at        TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

-- A log in the order of arrival, not clustered by board: the events of a commit lie on the same few pages, and the
-- oldest of all boards are at its beginning.
CREATE TABLE event (
  id        INTEGER NOT NULL PRIMARY KEY,
  board_key TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  at        TEXT    NOT NULL,
  type      TEXT    NOT NULL,
  json      TEXT    NOT NULL,
  UNIQUE (board_key, seq)
) STRICT;

-- Messages to the directory that are still to be delivered. AUTOINCREMENT: an id is never used twice.
CREATE TABLE outbox (
  id        INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  board_key TEXT    NOT NULL,
  payload   TEXT    NOT NULL
) STRICT;

-- The content of attachments in chunks; `start` is the offset of a chunk's first byte, and follows from the chunks
-- before it. With row ids, because SQLite reads whole rows to walk a table without them.
CREATE TABLE blob (
  id            INTEGER NOT NULL PRIMARY KEY,
  attachment_id TEXT    NOT NULL,
  n             INTEGER NOT NULL,
  start         INTEGER NOT NULL,
  bytes         BLOB    NOT NULL,
  UNIQUE (attachment_id, n, start)
) STRICT;

-- Content that no attachment owns: it is still arriving, or it waits to be deleted.
CREATE TABLE loose_blob (
  attachment_id TEXT NOT NULL PRIMARY KEY,
  board_key     TEXT NOT NULL,
  state         TEXT NOT NULL CHECK (state IN ('uploading', 'discarded')),
  since         TEXT NOT NULL
) STRICT, WITHOUT ROWID;
