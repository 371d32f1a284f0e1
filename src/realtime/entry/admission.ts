/** From a socket that just opened to a follower that follows its board. */
import { AppError } from '../../domain/errors.js';
import type { BoardEvent } from '../../domain/events.js';
import type { JoinDetails, Joined, PresencePort } from '../../domain/ports/presence.js';
import type { Position } from '../../domain/position.js';
import type { Uuid } from '../../domain/ids.js';
import { CLOSE, refused, tryAgainLater, type Close } from '../../api/closeCodes.js';
import { Page, type CatchUpPages } from '../delivery/catchUpPages.js';
import type { LargeDeliveries } from '../delivery/largeDeliveries.js';
import type { Room } from '../room.js';
import type { Arrival, Follower, Since, SocketRequest } from '../socket/follower.js';
import { deliveryOfMissed } from '../delivery/slowClients.js';

export const INVALID_SINCE = 'since: must be a number, an epoch and a number, or latest';

/** Throws `invalid` for an address that no board can have. */
export function requireBoard({ boardId, since }: Extract<SocketRequest, { kind: 'board' }>): Uuid {
  if (boardId === null) throw new AppError('invalid', 'board_id: must be a UUID');
  if (since.kind === 'invalid') throw new AppError('invalid', INVALID_SINCE);
  return boardId;
}

/** What a follower is admitted with. */
export interface Admission {
  readonly room: Room;
  readonly pages: CatchUpPages;
  readonly deliveries: LargeDeliveries;
}

/** How the connection of a follower is registered. */
export interface Registration {
  /** Null if the follower ended before. */
  readonly join: () => Promise<Joined | null>;
  readonly presence: Pick<PresencePort, 'leave'>;
}

/** Registers the connection and sends the missed events. Throws errors that `closeFor` understands. */
export async function admit(follower: Follower, since: Since, { join, presence }: Registration, admission: Admission): Promise<void> {
  // Missed events are read page by page, in turn with other clients, and not with the join.
  const joined = await join();
  if (joined === null) return;
  if (!joined.ok) throw AppError.from(joined.error);
  // If the socket closed during the join, only this code knows that the connection is registered.
  if (follower.isEnded) presence.leave(follower.connection);
  else await follow(follower, since, joined, admission);
}

/** Sends the missed events and lets the follower go live. `joined` was read after the follower entered the room. */
export async function follow(follower: Follower, since: Since, joined: Position & JoinDetails, admission: Admission): Promise<void> {
  const { room } = admission;
  const { arrival } = follower;
  if (arrival === null) return;
  arrival.step = 'catching up';
  room.noteEpoch(joined);
  const isKnown = since.kind === 'after' && since.position.epoch === joined.epoch && since.position.seq <= joined.seq;
  arrival.seq = isKnown ? since.position.seq : joined.seq;
  follower.noteJoined(joined);
  if (since.kind === 'after' && !isKnown) follower.sendResync(joined.seq);
  if (isBehind(follower, arrival, joined.seq, room)) {
    await admission.pages.inTurn(follower.client, () => catchUp(follower, arrival, joined.seq, admission));
  }
  room.settle(follower);
}

function isBehind(follower: Follower, arrival: Arrival, goal: number, room: Room): boolean {
  return !follower.isEnded && (arrival.seq < goal || room.misses(arrival));
}

/** Page by page, in turn with others who catch up. */
async function catchUp(follower: Follower, arrival: Arrival, latest: number, admission: Admission): Promise<void> {
  let goal = latest;
  while (isBehind(follower, arrival, goal, admission.room)) {
    const missed = await readAfter(arrival.seq, admission);
    // A log never shrinks at its end: the board was deleted, and that message is on its way.
    if (missed.seq < goal) throw new AppError('unavailable', 'The events of the board cannot be read');
    goal = missed.seq;
    await replay(follower, arrival, missed, admission);
  }
}

/** A part of the events that a client missed. */
interface Missed {
  /** The number of the board's latest event. */
  readonly seq: number;
  readonly resync: boolean;
  readonly page: Page;
}

/** A separate function, so that afterwards only the page refers to the events. */
async function readAfter(after: number, { room, pages }: Admission): Promise<Missed> {
  const { epoch } = room;
  const { seq, resync, events } = await pages.read(room.boardId, { epoch, seq: after });
  return { seq, resync, page: new Page(events) };
}

/** As fast as the client reads: a page of large events would exceed the send limit of a socket. */
async function replay(follower: Follower, arrival: Arrival, missed: Missed, admission: Admission): Promise<void> {
  const { page, resync, seq } = missed;
  // A client without numbers cannot learn what it missed; it must connect again.
  if (resync && !follower.numbered) throw new AppError('unavailable', 'The events of the board are no longer kept');
  if (resync) follower.sendResync(seq);
  for (let event = page.next(); event !== undefined && !follower.isEnded; event = page.next()) {
    await sendMissed(follower, arrival, event, { ...admission, page });
    if (!follower.isDrained) await admission.pages.keepWhile(page, () => follower.drained(arrival));
  }
}

async function sendMissed(
  follower: Follower,
  arrival: Arrival,
  event: BoardEvent,
  { room, pages, page, deliveries }: Admission & { readonly page: Page },
): Promise<void> {
  switch (deliveryOfMissed(event.json.length, follower.form)) {
    case 'whole':
      room.makeRoomFor(Buffer.byteLength(event.json));
      return follower.sendEvent(event);
    case 'resync':
      return follower.sendResync(event.seq);
    case 'slices': {
      arrival.seq = event.seq;
      const bytes = pages.encode(event, follower);
      return pages.keepWhile(page, () => new Promise((resolve) => deliveries.deliver(follower, arrival, bytes, resolve)));
    }
  }
}

/** The close code for a connection that could not be admitted. */
export function closeFor(error: unknown): Close {
  if (!(error instanceof AppError)) return CLOSE.tryAgainLater;
  switch (error.code) {
    case 'unauthenticated':
    case 'forbidden':
    case 'not_found':
    case 'invalid':
      return refused(error.detail);
    case 'too_many':
    case 'unavailable':
      return tryAgainLater(error.detail);
    default:
      return CLOSE.tryAgainLater;
  }
}
