/** How long before a card is due its people are reminded. */
export const NO_REMINDER = -1;
/** Thirty days. */
export const MAX_REMINDER_MINUTES = 43_200;
/** A day, for who has not said otherwise. */
export const DEFAULT_MINUTES = 1_440;
