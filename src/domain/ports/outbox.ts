/** How many undelivered rows of an outbox are published at a time. */
export const OUTBOX_PAGE = 250;
