-- The id of the data folder that the file belongs to, as in `folder.json`. Null in a file that no folder has claimed yet.
ALTER TABLE place ADD COLUMN folder TEXT;

-- CRC-32 of the row, see `checksum.ts`. Null in rows that an older program wrote.
ALTER TABLE event ADD COLUMN checksum INTEGER;
ALTER TABLE blob ADD COLUMN checksum INTEGER;
