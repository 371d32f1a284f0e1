-- A login that stays. The refresh token is made from the id and the generation, so no secret is stored. Tokens without a
-- session that were issued before the user's `revoked_at` are invalid.
CREATE TABLE session (
  id           TEXT    NOT NULL PRIMARY KEY,
  user_id      TEXT    NOT NULL,
  generation   INTEGER NOT NULL,
  device       TEXT    NOT NULL,
  address      TEXT    NOT NULL,
  created_at   TEXT    NOT NULL,
  refreshed_at TEXT    NOT NULL,
  last_seen    TEXT    NOT NULL,
  expires_at   TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_of_user ON session (user_id, created_at);
CREATE INDEX session_by_expiry ON session (expires_at);
ALTER TABLE user ADD COLUMN revoked_at TEXT;
