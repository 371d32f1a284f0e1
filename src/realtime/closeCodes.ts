/** Why the server ends a connection: every code there is, and the word that goes with it. */
export const CLOSE = {
  /** The server is going down: connect again, to another instance or a little later. */
  goingAway: { code: 1001, reason: 'The server is going down' },
  /** No valid token, not a member, or not any more. */
  refused: { code: 1008, reason: 'Not allowed' },
  /** A message of the client was larger than any the server would act on. */
  tooBig: { code: 1009, reason: 'The message is too big' },
  /** Too many sockets, or the boards cannot be reached. */
  tryAgainLater: { code: 1013, reason: 'Try again later' },
  /** The client reads more slowly than its board changes. */
  tooSlow: { code: 1013, reason: 'Too slow for the events of this board' },
  noPong: { code: 4408, reason: 'No pong in time' },
  boardDeleted: { code: 4410, reason: 'The board was deleted' },
} as const;

export interface Close {
  readonly code: number;
  readonly reason: string;
}
