-- The first answers to requests with an idempotency key, kept for a day. `scope` is the user whose key it is. They belong
-- to no board: a repeated deletion of a board gets its answer too. The ids rise, so the oldest are at the beginning.
CREATE TABLE answer (
  id          INTEGER NOT NULL PRIMARY KEY,
  scope       TEXT    NOT NULL,
  key         TEXT    NOT NULL,
  fingerprint TEXT    NOT NULL,
  position    TEXT,
  outbox_id   INTEGER,
  shown_kind  TEXT,
  shown_id    TEXT,
  bytes       INTEGER NOT NULL,
  created_at  TEXT    NOT NULL,
  body        TEXT,
  UNIQUE (scope, key)
) STRICT;
