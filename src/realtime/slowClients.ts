/** Which client reads too slowly, and what happens to it: every limit. */

/** The maximum that one event may add to the unread data of a board's sockets, in characters times sockets. */
export const MAX_CROWD_CHARACTERS = 32 * 1024 * 1024;
/** The system's buffer of a socket that reads has room for an event below this, however many sockets there are. */
export const MIN_CROWD_EVENT_CHARACTERS = 32 * 1024;

/** Unread bytes of all clients together. */
export const MAX_TOTAL_BACKLOG_BYTES = 64 * 1024 * 1024;
/** A client that has had this much unread for a second or longer reads too slowly. */
export const MAX_STEADY_BACKLOG_BYTES = 1024 * 1024;
/** Only a single huge event, or a burst between two inspections of the backlog, comes near this. */
export const HARD_BACKLOG_BYTES = 32 * 1024 * 1024;
/**
 * The unsent bytes up to which a socket is closed with a code. uWebSockets keeps unsent bytes of a closed socket until
 * the client takes them or a time-out of minutes, and does not count them. With more, the connection is cut, which
 * frees them at once; a client that far behind would see the code late or never.
 */
export const MAX_BACKLOG_OF_ENDED_BYTES = 16 * 1024;

/** A client that catches up gets the next event when less than this is unsent. */
export const DRAINED_BYTES = 64 * 1024;
/** Characters of events that wait for slow clients. Beyond this, pages are dropped and read from the log again. */
export const MAX_WAITING_CHARACTERS = 16 * 1024 * 1024;
/** Messages held for a client. Beyond this, events are dropped and read from the log later. */
export const MAX_HELD_MESSAGES = 1_000;
/** Bytes held for clients that are not live, in the whole process. */
export const MAX_HELD_BYTES = 16 * 1024 * 1024;
/** Bytes that one board may always hold, so that clients of other boards cannot use up its share. */
export const MIN_HELD_BYTES = 256 * 1024;

/** About the size of the system's buffer for a new connection; sending it takes about ten microseconds. */
export const SLICE_BYTES = 64 * 1024;
/** Slices not yet taken by their sockets, in the whole process: 32 MiB. Beyond this, other deliveries wait. */
export const MAX_UNTAKEN_SLICES = 512;
/** The minimum speed of a client in bytes a millisecond, and its maximum pause. */
export const MIN_BYTES_PER_MS = 16;
export const PATIENCE_MS = 5_000;
/** The maximum pause while other deliveries wait. */
export const PATIENCE_IN_A_CROWD_MS = 1_000;
/**
 * Buffers kept for clients, in the whole process. Beyond this, clients that still need the oldest buffer are
 * disconnected: they had the most time.
 */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;
