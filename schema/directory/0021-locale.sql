-- What a user set: the language of the page (BCP 47) and their time zone (IANA). Null is that of the browser.
CREATE TABLE locale (
  user_id   TEXT NOT NULL PRIMARY KEY,
  language  TEXT,
  time_zone TEXT
) STRICT, WITHOUT ROWID;
