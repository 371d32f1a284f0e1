-- Why a session ended before its time, for the browser that comes back with its refresh token.
CREATE TABLE ended_session (
  id       TEXT NOT NULL PRIMARY KEY,
  user_id  TEXT NOT NULL,
  reason   TEXT NOT NULL,
  ended_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX ended_session_by_user ON ended_session (user_id, ended_at);
