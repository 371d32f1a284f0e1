-- Which boards a user is on, as the boards report it. Reports may come twice or late, so each pair keeps the version
-- that was last applied, also after the user left: then `position` is null. It orders the boards of one user.
CREATE TABLE membership (
  user_id  TEXT    NOT NULL,
  board_id TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  position INTEGER,
  PRIMARY KEY (user_id, board_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX membership_by_board ON membership (board_id);

-- Boards that were deleted, so that a late report brings none of them back.
CREATE TABLE deleted_board (
  board_id TEXT NOT NULL PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Users whose boards may hold an outdated copy of their profile. A further change replaces the row and so its id:
-- AUTOINCREMENT makes sure that the delivery of an older state can not pass for that of a newer one.
CREATE TABLE pending_profile (
  id      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
  user_id TEXT    NOT NULL UNIQUE
) STRICT;
