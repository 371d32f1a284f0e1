-- The lease of the owner, in milliseconds, as its record of ownership says. Null if an older program wrote the record or
-- this row.
ALTER TABLE log_position ADD COLUMN lease_ms INTEGER;
