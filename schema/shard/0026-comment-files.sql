-- The comment that a file was attached to; null for the files of the card itself.
ALTER TABLE attachment ADD COLUMN comment_id TEXT;
