-- How far the file has followed the log of its partition, when it is a copy in a cluster of several machines. Without a
-- row the file stands for itself.
CREATE TABLE log_position (
  id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  -- The cluster, and when the stream of the log was made.
  cluster  TEXT    NOT NULL,
  created  TEXT    NOT NULL,
  -- The last record that the file has, and the chain over all records up to it.
  applied  INTEGER NOT NULL,
  chain    TEXT    NOT NULL,
  -- The last owner as of that record; null after a release.
  term     INTEGER NOT NULL,
  instance TEXT,
  folder   TEXT
) STRICT;
