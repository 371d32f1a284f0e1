-- The boards that a user has created and that still exist. A row is written before its board is, so that requests at the
-- same time cannot exceed the limit; one whose board was never made has no membership, and goes when room gets short.
CREATE TABLE created_board (
  board_id    TEXT NOT NULL PRIMARY KEY,
  user_id     TEXT NOT NULL,
  reserved_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX created_board_by_user ON created_board (user_id);

-- How many memberships a user has granted on their latest day (UTC) with any.
CREATE TABLE granted_membership (
  user_id TEXT    NOT NULL PRIMARY KEY,
  day     TEXT    NOT NULL,
  count   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
