-- Links that let somebody register, and join a board. A revoked one is deleted. Of the secret in the link only its hash is
-- stored.
CREATE TABLE invitation (
  id         TEXT    NOT NULL PRIMARY KEY,
  token_hash TEXT    NOT NULL UNIQUE,
  created_by TEXT    NOT NULL,
  created_at TEXT    NOT NULL,
  expires_at TEXT    NOT NULL,
  max_uses   INTEGER NOT NULL,
  uses       INTEGER NOT NULL,
  board_id   TEXT,
  role       TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX invitation_by_creator ON invitation (created_by, created_at);
