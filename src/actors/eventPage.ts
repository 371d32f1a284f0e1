import { withSeq, type BoardEvent } from '../domain/events.js';
import type { BoardKey } from '../domain/ids.js';
import type { MissedEvents } from '../domain/presence.js';
import type { ShardStore } from './shardStore.js';

/** The most events in one answer; a client that is further behind asks again. */
const EVENT_PAGE = 500;
/** Nor much more text than this: events about a column carry its cards, and may be large. */
const PAGE_CHARACTERS = 2 * 1024 * 1024;
const READ_AT_ONCE = 25;

/**
 * What a client lacks that knows the board as of `since`. Where that is no longer kept, or never was, it must read the
 * board anew.
 */
export function missedEvents(log: ShardStore['events'], key: BoardKey, since: number, seq: number): MissedEvents {
  if (since === seq) return { seq, events: [], resync: false };
  if (since > seq || (log.oldestSeq(key) ?? Infinity) > since + 1) return { seq, events: [], resync: true };
  return { seq, events: readPage(log, key, since), resync: false };
}

function readPage(log: ShardStore['events'], key: BoardKey, since: number): BoardEvent[] {
  const events: BoardEvent[] = [];
  for (let characters = 0; events.length < EVENT_PAGE && characters < PAGE_CHARACTERS; ) {
    const some = log.since(key, events.at(-1)?.seq ?? since, READ_AT_ONCE);
    if (some.length === 0) break;
    events.push(...some);
    characters += some.reduce((sum, { json }) => sum + json.length, 0);
  }
  return events;
}

export function renderEventPage({ events, seq, resync }: MissedEvents): string {
  return `{"events":[${events.map(withSeq).join(',')}],"seq":${seq},"resync":${resync}}`;
}
