-- The id of the data folder that the file belongs to, as in `folder.json`. Without a row no folder has claimed it yet.
CREATE TABLE folder_mark (
  id     INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  folder TEXT    NOT NULL
) STRICT;
