import { LARGE_EVENT_STUB, withSeq } from '../domain/events.js';
import type { BoardKey } from '../domain/ids.js';
import type { MissedEvents } from '../domain/ports/eventLog.js';
import type { ShardStore } from './shardStore.js';

/** The most events in one answer; a client that is further behind asks again. */
const EVENT_PAGE = 500;
/**
 * Nor more text than this and one event: those about a column carry its cards, and may be large. Many clients may catch
 * up at the same time, and each has a page on its way.
 */
const PAGE_CHARACTERS = 256 * 1024;

/**
 * What a client lacks that knows the board as of `since`. Where that is no longer kept, or never was, it must read the
 * board anew.
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
