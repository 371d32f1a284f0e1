-- Accounts at providers of single sign-on, by the provider's own names: its issuer and the subject.
CREATE TABLE identity (
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identity_of_user ON identity (user_id, issuer);
