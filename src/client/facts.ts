/** Facts of the service. Generated from its constants by `npm run openapi`; do not edit. */

export const ANSWER_LIFETIME_MS = 86400000;
export const CLOSE_BOARD_DELETED = 4410;
export const CLOSE_REFUSED = 1008;
export const DEFAULT_COLOR = '#6b7280';
export const FIRST_EPOCH = '0';
export const LINK_TYPE = 'text/uri-list';
export const MAX_SHOWN_BYTES = 1024;
export const POSITION_PATTERN = '^(?:([0-9a-z]{1,8})-)?([0-9]{1,15})$';
export const RANK_GAP = 65536;
export const SIGNALS_PER_SECOND = 30;
export const STATES_PER_SECOND = 5;
export const TITLE_CHARACTERS = 255;
