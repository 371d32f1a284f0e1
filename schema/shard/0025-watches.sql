-- What users watch on a board, or do not want to. In no board's memory. The id is that of the board, column or card and that of the
-- user, so that those of a card lie together.
CREATE TABLE watch (
  board_key   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  user_id     TEXT    NOT NULL,
  target_id   TEXT    NOT NULL,
  target_kind TEXT    NOT NULL,
  is_on       INTEGER NOT NULL,
  created_at  TEXT    NOT NULL,
  updated_at  TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX watch_of_user ON watch (board_key, user_id, created_at, target_id);
