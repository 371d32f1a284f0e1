-- The number of the latest commit. It rises by one with each, in the same transaction.
ALTER TABLE place ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;

-- Set while the file is open, to the durability of its commits; null after a clean close.
ALTER TABLE place ADD COLUMN running TEXT;

-- The history to which the board's event numbers belong: '0' unless it may have been cut. See `history.ts`.
ALTER TABLE board ADD COLUMN epoch TEXT NOT NULL DEFAULT '0';
