-- Users who were deleted. Their folded names are cleared when all their boards were visited.
CREATE TABLE deleted_user (
  id           TEXT NOT NULL PRIMARY KEY,
  heir_id      TEXT,
  deleted_at   TEXT NOT NULL,
  email_key    TEXT,
  username_key TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX deleted_user_by_email ON deleted_user (email_key) WHERE email_key IS NOT NULL;
CREATE INDEX deleted_user_by_username ON deleted_user (username_key) WHERE username_key IS NOT NULL;
