-- Notices to users. The oldest of a user go when there are too many.
CREATE TABLE notification (
  id         TEXT    NOT NULL PRIMARY KEY,
  user_id    TEXT    NOT NULL,
  kind       TEXT    NOT NULL,
  created_at TEXT    NOT NULL,
  board_id   TEXT    NOT NULL,
  card_id    TEXT    NOT NULL,
  comment_id TEXT,
  actor_id   TEXT,
  title      TEXT    NOT NULL,
  due_at     TEXT,
  is_late    INTEGER NOT NULL,
  read_at    TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX notification_of_user ON notification (user_id, created_at, id);
CREATE INDEX notification_unread ON notification (user_id, created_at, id) WHERE read_at IS NULL;
