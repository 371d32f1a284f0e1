import { withSeq } from '../domain/events.js';
import type { BoardKey } from '../domain/ids.js';
import type { ShardStore } from './shardStore.js';

/** The most events in one answer; a client that is further behind asks again. */
export const EVENT_PAGE = 500;

/**
 * What a client lacks that knows the board as of `since`, or `resync` where that is no longer kept (or never was): then
 * it must read the board anew.
 */
export function eventPage(log: ShardStore['events'], key: BoardKey, since: number, seq: number): string {
  if (since > seq || (since < seq && (log.oldestSeq(key) ?? Infinity) > since + 1)) {
    return `{"events":[],"seq":${seq},"resync":true}`;
  }
  const events = since === seq ? [] : log.since(key, since, EVENT_PAGE);
  return `{"events":[${events.map(withSeq).join(',')}],"seq":${seq},"resync":false}`;
}
