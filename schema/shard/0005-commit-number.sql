-- The number of the latest commit. It rises by one with each, in the same transaction.
ALTER TABLE place ADD COLUMN commits INTEGER NOT NULL DEFAULT 0;
