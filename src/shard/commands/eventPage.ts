import { LARGE_EVENT_STUB, renderPosition, withSeq } from '../../domain/events.js';
import type { BoardKey } from '../../domain/ids.js';
import type { MissedEvents } from '../../domain/ports/eventLog.js';
import type { Position } from '../../domain/position.js';
import type { ShardStore } from '../shardStore.js';

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
export function missedEvents(log: ShardStore['events'], key: BoardKey, since: Position, { epoch, seq }: Position): MissedEvents {
  const resync = { epoch, seq, events: [], resync: true };
  if (since.epoch !== epoch || since.seq > seq) return resync;
  if (since.seq === seq) return { epoch, seq, events: [], resync: false };
  if ((log.oldestSeq(key) ?? Infinity) > since.seq + 1) return resync;
  const events = log.since(key, since.seq, EVENT_PAGE, PAGE_CHARACTERS);
  // Of a board that was restored: a client would take it for deleted.
  if (events.some(({ type, json }) => type === 'board.deleted' || json === LARGE_EVENT_STUB)) return resync;
  return { epoch, seq, events, resync: false };
}

export function renderEventPage({ epoch, seq, events, resync }: MissedEvents): string {
  const texts = events.map((event) => withSeq(event, epoch));
  return `{"events":[${texts.join(',')}],${renderPosition({ epoch, seq })},"resync":${resync}}`;
}
