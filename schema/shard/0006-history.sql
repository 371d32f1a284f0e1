-- The history to which the commit numbers belong: '0' unless it may have been cut. Records of another history in a log
-- must not be applied to this file.
ALTER TABLE place ADD COLUMN history TEXT NOT NULL DEFAULT '0';

-- Counts up whenever something must be written although nothing has changed: to flush the file, or to find out whether it
-- can be written. SQLite does not write a row that stays the same.
CREATE TABLE probe (
  id    INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  count INTEGER NOT NULL
) STRICT;
INSERT INTO probe VALUES (1, 0);
