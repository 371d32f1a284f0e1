-- Texts that were replaced: descriptions of cards and bodies of comments. In no board's memory. The id is that of the card, that of
-- the text (the card again, or a comment) and the number of the version, so that those of a card lie together in their order. A row
-- was created when its text was replaced.
CREATE TABLE version (
  board_key  TEXT    NOT NULL,
  id         TEXT    NOT NULL,
  bytes      INTEGER NOT NULL,
  written_by TEXT,
  written_at TEXT,
  created_by TEXT,
  created_at TEXT    NOT NULL,
  updated_at TEXT    NOT NULL,
  text       TEXT,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX version_by_time ON version (created_at);

-- Of all its versions: the oldest go when they take too much.
ALTER TABLE board ADD COLUMN version_bytes INTEGER NOT NULL DEFAULT 0;
-- How often the description was replaced.
ALTER TABLE card ADD COLUMN text_edits INTEGER NOT NULL DEFAULT 0;
