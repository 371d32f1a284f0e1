-- Cards that are on their way to another board, that stayed after all, or that are there now; and, on the board that was to get one,
-- those that it refused. In no board's memory. `refusal` is why a card stayed.
CREATE TABLE moved (
  board_key       TEXT    NOT NULL,
  id              TEXT    NOT NULL,
  state           TEXT    NOT NULL,
  new_id          TEXT    NOT NULL,
  target_board_id TEXT    NOT NULL,
  column_id       TEXT    NOT NULL,
  position        INTEGER,
  moved_by        TEXT    NOT NULL,
  refusal         TEXT,
  created_at      TEXT    NOT NULL,
  updated_at      TEXT    NOT NULL,
  PRIMARY KEY (board_key, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX moved_leaving ON moved (board_key) WHERE state = 'leaving';
CREATE INDEX moved_by_time ON moved (updated_at) WHERE state <> 'leaving';
