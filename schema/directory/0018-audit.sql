-- Who did what, from where and when. `user_id` and `subject_id` may be of users who no longer exist. `details` is a JSON
-- object. Ordered by time; the id makes a repeated entry recognisable.
CREATE TABLE audit (
  at         TEXT NOT NULL,
  id         TEXT NOT NULL,
  kind       TEXT NOT NULL,
  user_id    TEXT,
  username   TEXT,
  subject_id TEXT,
  subject    TEXT,
  address    TEXT,
  device     TEXT,
  details    TEXT NOT NULL,
  PRIMARY KEY (at, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_of_user ON audit (user_id, at, id);
CREATE INDEX audit_of_subject ON audit (subject_id, at, id);
CREATE INDEX audit_of_kind ON audit (kind, at, id);
