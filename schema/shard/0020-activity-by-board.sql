-- One index instead of two. The second had its entries in the order of cards, so nearly every change wrote another page of it.
-- The activity of a card is found by going through that of its board in this index, which has the cards.
DROP INDEX activity_of_card;
DROP INDEX activity_of_board;
CREATE INDEX activity_of_board ON activity (board_key, seq, card_id);
