-- Counts up when it is to be found out whether the file can be written. SQLite does not write a row that stays the same.
CREATE TABLE probe (
  id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL
) STRICT;
INSERT INTO probe VALUES (1, 0);
