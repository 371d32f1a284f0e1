-- Removals that are too large for one commit: the record is gone, what was below it, or refers to it, goes in later
-- commits. The row comes with the commit that removes the record and goes with the last of those.
CREATE TABLE unfinished_removal (
  board_key TEXT NOT NULL,
  kind      TEXT NOT NULL,
  id        TEXT NOT NULL,
  PRIMARY KEY (board_key, kind, id)
) STRICT, WITHOUT ROWID;
