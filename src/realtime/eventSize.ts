import { isLarge, LARGE_EVENT_CHARACTERS, type BoardEvent, type LargeEvent, type PublishedEvent } from '../domain/events.js';

/** The most that one event may add to what the sockets of a board have waiting, in characters times sockets. */
const MAX_CROWD_CHARACTERS = 32 * 1024 * 1024;
/** The system's buffer of a socket that reads has room for an event below this, whatever the crowd. */
const MIN_CROWD_EVENT_CHARACTERS = 32 * 1024;

/**
 * The event as it goes to so many sockets: one that is large, or too large for so many, as a large one. The owner of a
 * board encodes large events itself; those that come from an instance of an earlier version are encoded here.
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
