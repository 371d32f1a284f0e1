-- What a card and an item of a checklist are due, and since when a card is done: a moment in UTC, or a bare day.
ALTER TABLE card ADD COLUMN start_at TEXT;
ALTER TABLE card ADD COLUMN due_at TEXT;
ALTER TABLE card ADD COLUMN completed_at TEXT;
ALTER TABLE item ADD COLUMN due_at TEXT;
