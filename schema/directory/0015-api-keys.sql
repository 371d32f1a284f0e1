-- Personal API keys. A revoked one is deleted. Of the key only its hash and its beginning are stored. `scopes` and
-- `board_ids` are JSON lists; without `board_ids` a key is for all boards of its user.
CREATE TABLE api_key (
  id         TEXT NOT NULL PRIMARY KEY,
  user_id    TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  prefix     TEXT NOT NULL,
  scopes     TEXT NOT NULL,
  board_ids  TEXT,
  created_at TEXT NOT NULL,
  expires_at TEXT,
  last_used  TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_of_user ON api_key (user_id, created_at);
