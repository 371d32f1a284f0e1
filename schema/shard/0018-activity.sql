-- Who changed what on a board. In no board's memory. A log in the order of arrival, like the events: the oldest come first, so
-- pruning by age needs no index.
CREATE TABLE activity (
  id        INTEGER PRIMARY KEY,
  board_key TEXT    NOT NULL,
  -- The number of its event, and that of the first event of the same command.
  seq       INTEGER NOT NULL,
  first     INTEGER NOT NULL,
  at        TEXT    NOT NULL,
  user_id   TEXT,
  kind      TEXT    NOT NULL,
  card_id   TEXT,
  json      TEXT    NOT NULL,
  -- The size of the board's rows up to this one, so that no sum is needed to bound them.
  total     INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX activity_of_board ON activity (board_key, seq);
CREATE INDEX activity_of_card ON activity (board_key, card_id, seq) WHERE card_id IS NOT NULL;

-- How people were called who left a board: what they did there is still shown.
CREATE TABLE former_member (
  board_key TEXT NOT NULL,
  user_id   TEXT NOT NULL,
  username  TEXT NOT NULL,
  PRIMARY KEY (board_key, user_id)
) STRICT, WITHOUT ROWID;
