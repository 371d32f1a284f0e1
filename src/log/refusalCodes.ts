/** Error codes of nats-server. */
export const NO_MESSAGE = 10_037;
export const NO_STREAM = 10_059;
export const WRONG_LAST_SEQUENCE: ReadonlySet<number> = new Set([10_071, 10_164]);
/** No suitable peers, not available, not the leader: what servers say while they elect a leader or find each other. */
export const NOT_YET: ReadonlySet<number> = new Set([10_005, 10_008, 10_009]);
