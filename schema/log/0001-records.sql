-- Commits of shards that their files may not have on disk yet.
CREATE TABLE record (
  id       INTEGER NOT NULL PRIMARY KEY,
  shard    INTEGER NOT NULL,
  -- The number of the commit in its shard.
  number   INTEGER NOT NULL,
  -- The history of the shard to which the number belongs, as in its `place`.
  history  TEXT    NOT NULL,
  -- The commit, see `commitCodec.ts`, and its CRC-32.
  body     BLOB    NOT NULL,
  checksum INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX record_of_shard ON record (shard, number);

-- The id of the data folder that the file belongs to, as in `folder.json`.
CREATE TABLE folder_mark (
  id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  folder TEXT    NOT NULL
) STRICT;

-- Counts up when it is to be found out whether the file can be written. SQLite does not write a row that stays the same.
CREATE TABLE probe (
  id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL
) STRICT;
INSERT INTO probe VALUES (1, 0);
