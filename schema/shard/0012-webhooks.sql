-- Webhooks of boards; `board_key` is empty for those over all boards, of which every shard has a copy. `secrets` are sealed.
-- They are in no board's memory, and outlive their board until its deletion is delivered.
CREATE TABLE webhook (
  board_key   TEXT    NOT NULL,
  id          TEXT    NOT NULL,
  board_id    TEXT,
  url         TEXT    NOT NULL,
  format      TEXT    NOT NULL,
  event_types TEXT,
  is_enabled  INTEGER NOT NULL,
  pause       TEXT,
  secrets     TEXT    NOT NULL,
  created_by  TEXT    NOT NULL,
  created_at  TEXT    NOT NULL,
  updated_at  TEXT    NOT NULL,
  starts_at   TEXT    NOT NULL,
  generation  INTEGER NOT NULL,
  -- The last deliveries.
  recent      TEXT    NOT NULL DEFAULT '[]',
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

-- How far a webhook is with the events of a board. A webhook over all boards has a row once it delivered something.
CREATE TABLE webhook_feed (
  board_key     TEXT    NOT NULL,
  webhook_id    TEXT    NOT NULL,
  board_id      TEXT    NOT NULL,
  epoch         TEXT    NOT NULL,
  seq           INTEGER NOT NULL,
  generation    INTEGER NOT NULL,
  attempt       INTEGER NOT NULL,
  failing_since TEXT,
  next_at       TEXT,
  PRIMARY KEY (board_key, webhook_id)
) STRICT, WITHOUT ROWID;
