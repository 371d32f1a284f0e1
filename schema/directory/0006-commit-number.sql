-- The number of the latest commit. It rises by one with each, in the same transaction.
CREATE TABLE commit_number (
  id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  number INTEGER NOT NULL
) STRICT;
INSERT INTO commit_number (id, number) VALUES (1, 0);
