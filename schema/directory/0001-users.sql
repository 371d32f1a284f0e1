-- E-mail and username are unique without regard to case. Their `_key` columns hold the folded form, because SQLite's
-- own NOCASE folds ASCII alone.
CREATE TABLE user (
  id              TEXT    NOT NULL PRIMARY KEY,
  email           TEXT    NOT NULL,
  email_key       TEXT    NOT NULL UNIQUE,
  username        TEXT    NOT NULL,
  username_key    TEXT    NOT NULL UNIQUE,
  hashed_password TEXT    NOT NULL,
  firstname       TEXT,
  lastname        TEXT,
  is_active       INTEGER NOT NULL,
  is_verified     INTEGER NOT NULL,
  is_superuser    INTEGER NOT NULL,
  created_at      TEXT    NOT NULL,
  updated_at      TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
