-- Ids of removed records: a client that chooses an id with its idempotency key cannot give it to something else. `seq` is
-- the number of the board before the removal. A row goes with the events up to that number.
CREATE TABLE used_id (
  board_key TEXT    NOT NULL,
  id        TEXT    NOT NULL,
  seq       INTEGER NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX used_id_by_seq ON used_id (board_key, seq);

-- SHA-256 of the content. Null if an older program stored it.
ALTER TABLE attachment ADD COLUMN digest TEXT;
