-- A user's boards in their order, and the last of them: without it, everyone who joined one more board had all those
-- before it looked through.
CREATE INDEX membership_in_order ON membership (user_id, position);
