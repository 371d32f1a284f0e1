-- What is due on a board, and when, in milliseconds since the epoch. See `src/domain/board/timers/timers.ts`.
CREATE TABLE timer (
  board_key TEXT    NOT NULL,
  target    TEXT    NOT NULL,
  kind      TEXT    NOT NULL,
  due       INTEGER NOT NULL,
  PRIMARY KEY (board_key, target, kind)
) STRICT, WITHOUT ROWID;

CREATE INDEX timer_by_time ON timer (due);

-- How long before its date the people of a card are reminded: -1 not at all, null as they want it.
ALTER TABLE card ADD COLUMN reminder_minutes INTEGER;

-- Cards that have a date already get their timers from the owner of the shard, a page at a time: a time that has passed by then
-- is none, and each copy of the shard gets its new schema at another commit.
INSERT INTO timer (board_key, target, kind, due) SELECT '', '', 'catch-up', 0 WHERE EXISTS (SELECT 1 FROM card);
