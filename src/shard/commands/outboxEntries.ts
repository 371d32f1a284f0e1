/**
 * Entries in the outbox of a shard. A row is the payload with its kind and target beside its fields, because programs
 * before this form wrote the bare payload of a membership change, and still read it in a rolling upgrade.
 */
import type { BoardKey, Uuid } from '../../domain/ids.js';
import { NOTIFICATIONS_AT_ONCE, type NewNotification } from '../../domain/account/notification.js';
import type { Change } from '../../domain/model.js';
import { OUTBOX_PAGE } from '../../domain/ports/outbox.js';
import type { Notice, OutboxEntry, OutboxPage, ShardName } from '../../partitions/messages.js';
import { toOutboxPage } from '../../partitions/runtime/outboxPage.js';
import type { ShardStore } from '../shardStore.js';

type Outbox = ShardStore['outbox'];
type WithoutId<Entry> = Entry extends OutboxEntry ? Omit<Entry, 'source' | 'id'> : never;

/** Within a transaction. The entry may be published after its commit. */
export function addToOutbox(outbox: Outbox, source: ShardName, key: BoardKey, content: WithoutId<OutboxEntry>): OutboxEntry {
  const { kind, target, payload } = content;
  const id = outbox.add(key, JSON.stringify({ kind, target, ...payload }));
  return { source, id, ...content } as OutboxEntry;
}

/** On a line of their own: they must not delay who joins a board. Within a transaction. */
export function addNotifications(
  outbox: Outbox,
  source: ShardName,
  key: BoardKey,
  notifications: readonly NewNotification[],
  newId: () => Uuid,
): Notice[] {
  const notices: Notice[] = [];
  for (let at = 0; at < notifications.length; at += NOTIFICATIONS_AT_ONCE) {
    const page = notifications.slice(at, at + NOTIFICATIONS_AT_ONCE).map((each) => ({ id: newId(), ...each }));
    const content = { kind: 'notification', target: 'notifications', payload: { notifications: page } } as const;
    notices.push({ kind: 'outbox', entry: addToOutbox(outbox, source, key, content) });
  }
  return notices;
}

/** For each card that begins its way to another board. Within a transaction. */
export function addMoves(outbox: Outbox, source: ShardName, key: BoardKey, changes: readonly Change[]): Notice[] {
  return changes.flatMap((change): Notice[] => {
    if (change.kind !== 'moved' || !('put' in change) || change.put.state !== 'leaving') return [];
    const { id: card_id, target_board_id: target } = change.put;
    return [{ kind: 'outbox', entry: addToOutbox(outbox, source, key, { kind: 'cardMove', target, payload: { card_id } }) }];
  });
}

export function undeliveredPage(outbox: Outbox, source: ShardName, after: number): OutboxPage {
  return toOutboxPage(source, after, outbox.list(after, OUTBOX_PAGE), ({ id, payload }) => toEntry(source, id, payload));
}

/** Rows are what `addToOutbox` wrote, here or in another version of the program. */
function toEntry(source: ShardName, id: number, row: string): OutboxEntry {
  const { kind = 'membership', target = 'directory', ...payload } = JSON.parse(row) as Record<string, unknown>;
  return { source, id, kind, target, payload } as OutboxEntry;
}
