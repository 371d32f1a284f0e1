import { LARGE_EVENT_STUB, withSeq } from '../domain/events.js';
import type { BoardKey } from '../domain/ids.js';
import type { MissedEvents } from '../domain/ports/eventLog.js';
import type { ShardStore } from './shardStore.js';

/** The maximum of events in one answer; a client that is further behind asks again. */
const EVENT_PAGE = 500;
/**
 * The maximum of text besides the last event: events about a column carry its cards and may be large. Many clients may
 * catch up at the same time, each with a page on its way.
 */
const PAGE_CHARACTERS = 256 * 1024;

/**
 * The events that a client with the number `since` lacks. If they are no longer kept, or the number is unknown, the
 * client must read the board again.
 */
export function missedEvents(log: ShardStore['events'], key: BoardKey, since: number, seq: number): MissedEvents {
  if (since === seq) return { seq, events: [], resync: false };
  if (since > seq || (log.oldestSeq(key) ?? Infinity) > since + 1) return { seq, events: [], resync: true };
  const events = log.since(key, since, EVENT_PAGE, PAGE_CHARACTERS);
  if (events.some(({ json }) => json === LARGE_EVENT_STUB)) return { seq, events: [], resync: true };
  return { seq, events, resync: false };
}

export function renderEventPage({ events, seq, resync }: MissedEvents): string {
  return `{"events":[${events.map(withSeq).join(',')}],"seq":${seq},"resync":${resync}}`;
}
