-- Tokens that work once and were used, until they would have expired. Of a token only its hash is stored.
CREATE TABLE spent_token (
  hash       TEXT NOT NULL PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX spent_token_by_expiry ON spent_token (expires_at);
