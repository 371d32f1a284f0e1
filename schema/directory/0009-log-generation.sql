-- Rises when an operator replaces the lost log of a partition by a copy.
ALTER TABLE log_position ADD COLUMN generation INTEGER NOT NULL DEFAULT 1;
