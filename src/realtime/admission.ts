/** From a socket that just opened to a client that follows its board. */
import type { Callers } from '../auth/callers.js';
import type { Tokens } from '../auth/tokens.js';
import { AppError } from '../domain/errors.js';
import type { BoardEvent } from '../domain/events.js';
import type { PresencePort } from '../domain/presence.js';
import type { PublicUser } from '../domain/user.js';
import type { Uuid } from '../domain/ids.js';
import { CLOSE, refused, type Close } from '../api/closeCodes.js';
import { renderResync, type Room } from './room.js';
import type { Arrival, Session, Since, SocketRequest } from './session.js';

export interface Credentials {
  readonly user: PublicUser;
  readonly boardId: Uuid;
  /** In seconds since the epoch. */
  readonly expiresAt: number;
}

/** Who connects, to what; throws `unauthenticated` or `invalid`. */
export async function identify(request: SocketRequest, tokens: Tokens, callers: Callers): Promise<Credentials> {
  if (request.boardId === null) throw new AppError('invalid', 'board_id: must be a UUID');
  if (request.since.kind === 'invalid') throw new AppError('invalid', 'since: must be a number, or latest');
  const user = await callers.identify(request.token);
  const { expiresAt } = await tokens.verify(request.token ?? '');
  return { user, boardId: request.boardId, expiresAt };
}

/** Registers the connection and sends what the client missed. Throws what `closeFor` understands. */
export async function admit(session: Session, since: Since, room: Room, presence: PresencePort): Promise<void> {
  const { connection } = session;
  const known = since.kind === 'after' ? since.seq : null;
  const joined = await presence.join(connection, known);
  if (!joined.ok) throw AppError.from(joined.error);
  const { arrival } = session;
  if (arrival === null) {
    // It ended while it was being registered, and nobody else knows that it was.
    presence.leave(connection);
    return;
  }
  arrival.step = 'catching up';
  arrival.seq = known === null || joined.resync ? joined.seq : known;
  if (joined.resync) session.send(renderResync(joined.seq));
  await replay(session, arrival, joined.events);
  await catchUp(session, arrival, joined.seq, room, presence);
  room.settle(session);
}

/** The rest of a long absence, page by page. */
async function catchUp(
  session: Session,
  arrival: Arrival,
  latest: number,
  room: Room,
  presence: PresencePort,
): Promise<void> {
  let goal = latest;
  while (!session.isEnded && (arrival.seq < goal || room.misses(arrival))) {
    const page = await presence.eventsAfter(room.boardId, arrival.seq);
    // A log never gets shorter at its end: the board was deleted, and the news of it is on its way.
    if (page.seq < goal) throw new AppError('unavailable', 'The events of the board cannot be read');
    goal = page.seq;
    if (page.resync) {
      session.send(renderResync(page.seq));
      arrival.seq = page.seq;
    }
    await replay(session, arrival, page.events);
  }
}

/** As fast as the client reads: a page of large events would be more than a socket may have waiting. */
async function replay(session: Session, arrival: Arrival, events: readonly BoardEvent[]): Promise<void> {
  for (const event of events) {
    await session.drained(arrival);
    session.sendEvent(event);
  }
}

/** How a connection that could not be admitted is told. */
export function closeFor(error: unknown): Close {
  if (!(error instanceof AppError)) return CLOSE.tryAgainLater;
  switch (error.code) {
    case 'unauthenticated':
    case 'forbidden':
    case 'not_found':
    case 'invalid':
      return refused(error.detail);
    default:
      return CLOSE.tryAgainLater;
  }
}
