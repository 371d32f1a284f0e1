-- By colour and icon (one emoji) people recognise a board. `active_at` is when its content last changed: null if it never
-- did. It is written with `seq`, so it costs no row of its own.
ALTER TABLE board ADD COLUMN color TEXT;
ALTER TABLE board ADD COLUMN icon TEXT;
ALTER TABLE board ADD COLUMN active_at TEXT;

-- Whether the member has starred the board.
ALTER TABLE member ADD COLUMN is_starred INTEGER NOT NULL DEFAULT 0;

UPDATE board SET active_at = (SELECT max(updated_at) FROM card WHERE card.board_key = board.board_key);
