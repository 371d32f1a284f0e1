-- Who made what with an idempotency key, which gave it its id: a request that is repeated after its answer was forgotten finds it.
-- `parent` is that of its creation; null is the board. A row goes with the used id of what it names.
CREATE TABLE keyed_create (
  board_key  TEXT NOT NULL,
  id         TEXT NOT NULL,
  kind       TEXT NOT NULL,
  parent     TEXT,
  created_by TEXT NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;
