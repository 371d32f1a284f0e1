-- Comments of cards. They are in no board's memory: a card has their number, and what they take of the board's budget.
CREATE TABLE comment (
  board_key    TEXT    NOT NULL,
  id           TEXT    NOT NULL,
  card_id      TEXT    NOT NULL,
  created_by   TEXT,
  author_name  TEXT    NOT NULL,
  body         TEXT    NOT NULL,
  mention_ids  TEXT    NOT NULL,
  text_version INTEGER NOT NULL,
  created_at   TEXT    NOT NULL,
  updated_at   TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX comment_of_card ON comment (board_key, card_id, created_at, id);
CREATE INDEX comment_by_author ON comment (board_key, created_by) WHERE created_by IS NOT NULL;

-- Removed cards whose comments are still to be deleted.
CREATE TABLE loose_comment (
  board_key TEXT NOT NULL,
  card_id   TEXT NOT NULL,
  PRIMARY KEY (board_key, card_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE card ADD COLUMN comment_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE card ADD COLUMN comment_bytes INTEGER NOT NULL DEFAULT 0;
