-- Boards that were deleted and can be restored. `content` is the row that the board had in the table `board`; its other rows stay where
-- they are. They belong to no board meanwhile, so the key is in `loose_board` too, and nothing sweeps them while it is here.
CREATE TABLE trashed_board (
  board_key  TEXT NOT NULL PRIMARY KEY,
  id         TEXT NOT NULL,
  deleted_at TEXT NOT NULL,
  content    TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX trashed_board_by_time ON trashed_board (deleted_at, board_key);
