import { isLarge, type BoardEvent, type LargeEvent, type PublishedEvent } from '../../domain/events.js';
import { isPublishedWhole } from './slowClients.js';

/**
 * Converts an event that is large, or too large for this many sockets, to a `LargeEvent`. The owner of a board encodes
 * large events itself; events of an older instance are encoded here.
 */
export function sizeUp(event: PublishedEvent, sockets: number): PublishedEvent {
  return isLarge(event) || isPublishedWhole(event.json.length, sockets) ? event : toLarge(event);
}

function toLarge({ seq, type, json }: BoardEvent): LargeEvent {
  return { seq, type, bytes: Buffer.from(json) };
}
