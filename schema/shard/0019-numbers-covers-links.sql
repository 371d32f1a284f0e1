-- The number of a card on its board; null in rows of older programs until the owner of the board gives it one. `last_number` is
-- the highest that a removed card had: no number is given twice.
ALTER TABLE card ADD COLUMN number INTEGER;
-- The cards on which somebody has work left, so that those of a user are found without reading the others of a board.
CREATE INDEX card_assigned ON card (board_key, assignee_ids) WHERE assignee_ids <> '[]' AND completed_at IS NULL;
-- An attachment or a colour, as JSON.
ALTER TABLE card ADD COLUMN cover TEXT;
-- Of an attachment that is a link, which has no content.
ALTER TABLE attachment ADD COLUMN url TEXT;
ALTER TABLE board ADD COLUMN last_number INTEGER NOT NULL DEFAULT 0;
