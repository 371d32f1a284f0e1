-- Deleted boards that can be restored. `version`: of the deletion, in the outbox of the board's shard. `creator_id`: among whose boards
-- it counts.
CREATE TABLE trashed_board (
  board_id   TEXT    NOT NULL PRIMARY KEY,
  title      TEXT    NOT NULL,
  deleted_at TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  creator_id TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX trashed_board_of_creator ON trashed_board (creator_id, deleted_at);

-- Who owned a board when it was deleted, and may restore it.
CREATE TABLE trashed_owner (
  user_id    TEXT NOT NULL,
  board_id   TEXT NOT NULL,
  deleted_at TEXT NOT NULL,
  PRIMARY KEY (user_id, board_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX trashed_owner_by_time ON trashed_owner (user_id, deleted_at, board_id);
CREATE INDEX trashed_owner_of_board ON trashed_owner (board_id);

-- Those of a board become void when it is restored.
CREATE INDEX invitation_by_board ON invitation (board_id) WHERE board_id IS NOT NULL;
