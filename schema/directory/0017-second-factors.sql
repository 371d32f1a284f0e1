-- The second factor of a user's password logins. The secret is sealed with a key that is not in the data, and of each
-- recovery code only its hash is stored. `recovery_hashes` is a JSON list.
CREATE TABLE factor (
  user_id         TEXT    NOT NULL PRIMARY KEY,
  sealed_secret   TEXT    NOT NULL,
  created_at      TEXT    NOT NULL,
  confirmed_at    TEXT,
  last_step       INTEGER NOT NULL,
  misses          INTEGER NOT NULL,
  missed_at       TEXT,
  recovery_hashes TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
