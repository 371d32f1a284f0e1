-- What a user wants of notices: `kinds` has, for each kind, whether the list shows it and when it is mailed.
CREATE TABLE notice_settings (
  user_id          TEXT    NOT NULL PRIMARY KEY,
  reminder_minutes INTEGER NOT NULL,
  kinds            TEXT    NOT NULL
) STRICT, WITHOUT ROWID;

-- Boards of which the user wants less.
CREATE TABLE board_notices (
  user_id  TEXT    NOT NULL,
  board_id TEXT    NOT NULL,
  app      INTEGER NOT NULL,
  mail     TEXT    NOT NULL,
  PRIMARY KEY (user_id, board_id)
) STRICT, WITHOUT ROWID;

-- Notices that are still to be mailed, by the id of the notice. A row goes in the commit before its mail is made.
CREATE TABLE notice_mail (
  id      TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  mail    TEXT NOT NULL,
  due_at  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX notice_mail_due ON notice_mail (due_at, user_id);
CREATE INDEX notice_mail_of_user ON notice_mail (user_id, mail, due_at);

-- A notice that its user wants by mail alone.
ALTER TABLE notification ADD COLUMN is_hidden INTEGER NOT NULL DEFAULT 0;
