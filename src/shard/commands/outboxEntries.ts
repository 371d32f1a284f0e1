/**
 * Entries in the outbox of a shard. A row is the payload with its kind and target beside its fields, because programs
 * before this form wrote the bare payload of a membership change, and still read it in a rolling upgrade.
 */
import type { BoardKey } from '../../domain/ids.js';
import { OUTBOX_PAGE } from '../../domain/ports/outbox.js';
import type { OutboxEntry, OutboxPage, ShardName } from '../../partitions/messages.js';
import { toOutboxPage } from '../../partitions/thread/outboxPage.js';
import type { ShardStore } from '../shardStore.js';

type Outbox = ShardStore['outbox'];
type WithoutId<Entry> = Entry extends OutboxEntry ? Omit<Entry, 'source' | 'id'> : never;

/** Within a transaction. The entry may be published after its commit. */
export function addToOutbox(outbox: Outbox, source: ShardName, key: BoardKey, content: WithoutId<OutboxEntry>): OutboxEntry {
  const { kind, target, payload } = content;
  const id = outbox.add(key, JSON.stringify({ kind, target, ...payload }));
  return { source, id, ...content } as OutboxEntry;
}

export function undeliveredPage(outbox: Outbox, source: ShardName, after: number): OutboxPage {
  return toOutboxPage(source, after, outbox.list(after, OUTBOX_PAGE), ({ id, payload }) => toEntry(source, id, payload));
}

/** Rows are what `addToOutbox` wrote, here or in another version of the program. */
function toEntry(source: ShardName, id: number, row: string): OutboxEntry {
  const { kind = 'membership', target = 'directory', ...payload } = JSON.parse(row) as Record<string, unknown>;
  return { source, id, kind, target, payload } as OutboxEntry;
}
