-- How long before a date a member is reminded by cards that do not say it; null: a day.
ALTER TABLE member ADD COLUMN reminder_minutes INTEGER;

-- Boards whose timers are to be set anew, beside the timers that are due.
CREATE INDEX timer_to_replan ON timer (due) WHERE kind = 'replan';

CREATE INDEX member_with_own_reminder ON member (board_key) WHERE reminder_minutes IS NOT NULL;
