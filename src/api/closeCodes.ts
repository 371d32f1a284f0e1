/** The closed list of close codes with their reasons. */
export const CLOSE = {
  goingAway: {
    code: 1001,
    reason: 'The server is going down',
    meaning: 'The server stops. Connect again: to another instance, or a little later.',
  },
  refused: {
    code: 1008,
    reason: 'Not allowed',
    meaning:
      'No valid token, no such board, not a member of it, or an address that makes no sense; later on: the token ' +
      'expired, the user was deactivated, removed from the board, or sent more than 100 messages, pings and pongs in a ' +
      'second. The reason says which.',
  },
  tooBig: {
    code: 1009,
    reason: 'The message is too big',
    meaning: 'A message of the client was larger than 4 KiB, which no message needs to be.',
  },
  tryAgainLater: {
    code: 1013,
    reason: 'Try again later',
    meaning:
      'Too many sockets, of this user or in all; too many new ones of this user in a short time; or the board cannot be ' +
      'reached at the moment. The reason names the limit.',
  },
  tooSlow: {
    code: 1013,
    reason: 'Too slow for the events of this board',
    meaning:
      'The client read more slowly than its board changed. With `since` it misses nothing when it comes back. A client ' +
      'with more than 16 KiB to read is cut off without a code, whatever it is ended for: nothing is kept for it.',
  },
  noPong: {
    code: 4408,
    reason: 'No pong in time',
    meaning: 'A ping was not answered in time.',
  },
  boardDeleted: {
    code: 4410,
    reason: 'The board was deleted',
    meaning: 'The board was deleted; `board.deleted` came just before.',
  },
} as const;

export interface Close {
  readonly code: number;
  readonly reason: string;
}

/** One code for several causes: the reason tells which. */
export function refused(reason: string): Close {
  return { code: CLOSE.refused.code, reason };
}

export function tryAgainLater(reason: string): Close {
  return { code: CLOSE.tryAgainLater.code, reason };
}
