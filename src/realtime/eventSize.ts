import { isLarge, LARGE_EVENT_CHARACTERS, type BoardEvent, type LargeEvent, type PublishedEvent } from '../domain/events.js';
import { MAX_CROWD_CHARACTERS, MIN_CROWD_EVENT_CHARACTERS } from './slowClients.js';

/**
 * Converts an event that is large, or too large for this many sockets, to a `LargeEvent`. The owner of a board encodes
 * large events itself; events of an older instance are encoded here.
 */
export function sizeUp(event: PublishedEvent, sockets: number): PublishedEvent {
  if (isLarge(event)) return event;
  const { length } = event.json;
  const isTooLargeForCrowd = length >= MIN_CROWD_EVENT_CHARACTERS && length * sockets > MAX_CROWD_CHARACTERS;
  return length >= LARGE_EVENT_CHARACTERS || isTooLargeForCrowd ? toLarge(event) : event;
}

export function toLarge({ seq, type, json }: BoardEvent): LargeEvent {
  return { seq, type, bytes: Buffer.from(json) };
}
