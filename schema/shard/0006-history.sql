-- The history to which the commit numbers belong: '0' unless it may have been cut. Records of another history in a log
-- must not be applied to this file.
ALTER TABLE place ADD COLUMN history TEXT NOT NULL DEFAULT '0';
