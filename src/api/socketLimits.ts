/** The limits of a socket for several boards. They are part of its documentation. */

/** Boards that one socket follows. */
export const MAX_BOARDS_PER_SOCKET = 500;
/** Boards that all sockets of a user on one instance follow together; a board counts once a socket. */
export const MAX_BOARDS_PER_USER = 2_000;
/** All sockets of an instance follow at most this many times `MAX_SOCKETS` boards: 0.4 KB each in one measurement. */
export const MEAN_BOARDS_PER_SOCKET = 20;
/** Connections of one socket with a state. */
export const MAX_STATES_PER_SOCKET = 20;
/** Of a state or of the data of a signal, as JSON. */
export const MAX_SHOWN_BYTES = 1024;

/** For each user on one instance. A following costs an ask to the owner and a message to everyone on the board. */
export const FOLLOWING_RATE = { burst: 500, perSecond: 50 } as const;
export const STATE_RATE = { burst: 20, perSecond: 5 } as const;
export const SIGNAL_RATE = { burst: 60, perSecond: 30 } as const;
export const RENEWAL_RATE = { burst: 10, perSecond: 0.2 } as const;

/** Signals times their receivers on one board of one instance in a second. Further signals are not delivered. */
export const MAX_SIGNAL_DELIVERIES_PER_SECOND = 20_000;

/** Messages, pings and pongs of all sockets of a user; enough to follow as many boards as a socket may. */
export const MAX_SHARED_MESSAGES_PER_SECOND = 1_000;
