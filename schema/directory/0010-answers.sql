-- As in a shard, for requests that change users. `scope` is the caller, or the fingerprint of a registration. The columns
-- about boards are null here.
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
