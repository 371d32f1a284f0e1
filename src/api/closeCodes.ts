/** Of a close frame, as the protocol limits it. */
const MAX_REASON_BYTES = 123;

/** The closed list of close codes with their reasons. */
export const CLOSE = {
  goingAway: {
    code: 1001,
    reason: 'The server is going down',
    meaning: 'The server stops. Reconnect to another instance, or a little later.',
  },
  refused: {
    code: 1008,
    reason: 'Not allowed',
    meaning:
      'At the start: the token is missing or invalid, the board does not exist, the user is not a member, or the ' +
      'address is malformed. Later: the token expired, its session ended, the user was deactivated or removed from the ' +
      'board, or the client sent too many messages, pings and pongs in a second. The reason names the cause.',
  },
  tooBig: {
    code: 1009,
    reason: 'The message is too big',
    meaning: 'The client sent a message of more than 4 KiB.',
  },
  tryAgainLater: {
    code: 1013,
    reason: 'Try again later',
    meaning:
      'The user or the service has too many sockets, the user opened too many in a short time, or the board is out of ' +
      'reach at the moment. The reason names the limit.',
  },
  tooSlow: {
    code: 1013,
    reason: 'Too slow for the events of this board',
    meaning:
      'The client read more slowly than its board changed. With `since` it misses nothing when it reconnects. If a client ' +
      'has more than 16 KiB to read, the server drops its connection without a close code, for every cause.',
  },
  noPong: {
    code: 4408,
    reason: 'No pong in time',
    meaning: 'The client did not answer a ping in time.',
  },
  boardDeleted: {
    code: 4410,
    reason: 'The board was deleted',
    meaning: 'The board was deleted. The event `board.deleted` came just before.',
  },
} as const;

export interface Close {
  readonly code: number;
  readonly reason: string;
}

/** One code has several causes: the reason names the cause. */
export function refused(reason: string): Close {
  return withReason(CLOSE.refused, reason);
}

export function tryAgainLater(reason: string): Close {
  return withReason(CLOSE.tryAgainLater, reason);
}

/** A frame has no room for a longer reason, and a part of one could end inside a character. */
function withReason({ code, reason: general }: Close, reason: string): Close {
  return { code, reason: Buffer.byteLength(reason) > MAX_REASON_BYTES ? general : reason };
}
