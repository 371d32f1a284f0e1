/** The longest texts of a board and of a user, in characters (code points). */

/** Titles and names. */
export const TITLE_CHARACTERS = 255;

/** Descriptions of boards, and the contents of checklist items. */
export const LONG_TEXT_CHARACTERS = 10_000;

/** Descriptions of cards, and comments. */
export const CARD_TEXT_CHARACTERS = 65_536;

/** E-mail addresses: as long as SMTP can carry. */
export const EMAIL_CHARACTERS = 254;
