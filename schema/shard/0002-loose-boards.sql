-- Boards whose rows belong to no board: still being imported, or deleted and waiting to be swept. The row comes with the
-- first commit of an import or with the commit that deletes a board, and goes with the last of its rows, or with the
-- commit that makes an import a board.
CREATE TABLE loose_board (
  board_key TEXT NOT NULL PRIMARY KEY,
  since     TEXT NOT NULL
) STRICT, WITHOUT ROWID;
