-- How the first superuser is made. One row at most: the hashes of the tokens that may do it, a JSON array of texts, and
-- when a superuser was first known. From then on nothing is accepted, also if no superuser is left.
CREATE TABLE setup (
  id           INTEGER PRIMARY KEY CHECK (id = 1),
  token_hashes TEXT NOT NULL,
  done_at      TEXT
) STRICT;

-- Whether there is a superuser is asked by strangers, so it must not cost a scan.
CREATE INDEX user_superuser ON user (id) WHERE is_superuser = 1;
