/** Deleted boards that can be restored: the few commands that reach them, their webhooks, and their end. */
import type { BoardState } from '../domain/board/board.js';
import { keptSince } from '../domain/board/trash/trashOnDisk.js';
import type { BoardKey, Uuid } from '../domain/ids.js';
import { isRunning, type Webhook } from '../domain/webhook/webhook.js';
import type { Notice, OutboxEntry, ShardCommand, ShardName } from '../partitions/messages.js';
import { addToOutbox } from './commands/outboxEntries.js';
import type { ShardStore } from './shardStore.js';
import { isActiveOwner } from './webhooks/duePage.js';
import { feedAt, paused } from './webhooks/webhookChanges.js';

type BoardAsk = Extract<ShardCommand, { kind: 'board' | 'keyed' }>;

/** Whether the command reaches a board in the trash. To everyone who may not restore it, it is gone. */
export function reachesTrash({ command: { op, input } }: BoardAsk): boolean {
  // A card may have arrived before the board was deleted: then it stays there, and comes back with the board.
  if (op === 'member.erase' || op === 'move.refuse') return true;
  // The error of an input is reported to those who may.
  return op === 'board.restore' && ('refused' in input || ('is_listed' in input && input.is_listed));
}

/** Whether the caller may see the board in the trash. Access is checked once more where the command is decided. */
export function mayReach({ command: { caller } }: BoardAsk, board: BoardState, deletedAt: string, now: string, days: number): boolean {
  if (caller === 'system') return true;
  return days > 0 && deletedAt >= keptSince(now, days) && board.get('member', caller.user_id)?.role === 'owner';
}

/**
 * Of a restored board: its own webhooks send nothing until an owner resumes them, and those over all boards go on from here. Within a
 * transaction.
 */
export function settleWebhooks(store: ShardStore, key: BoardKey, { id, epoch, seq }: BoardState, now: string): Notice[] {
  for (const webhook of store.webhooks.list(null)) {
    // Without a feed they would send all kept events again.
    if (store.webhooks.feed(key, webhook.id) === null) store.webhooks.putFeed(key, feedAt(webhook, id, epoch, seq));
  }
  const running = store.webhooks.list(key).filter(isRunning);
  for (const webhook of running) pauseWebhook(store, key, webhook, now);
  return running.length === 0 ? [] : [{ kind: 'webhooks.changed', board_id: id }];
}

/**
 * Of a board that is deleted: a webhook whose creator owns it no more gets nothing of what came since. Within a transaction, before the
 * members go.
 */
export function pauseFormerOwners(store: ShardStore, key: BoardKey, now: string): void {
  for (const webhook of store.webhooks.list(key).filter(isRunning)) {
    if (!isActiveOwner(store, key, webhook.created_by)) store.webhooks.put(paused(webhook, 'creator', now));
  }
}

/** Resumed, it gets what happens from then on. Within a transaction. */
export function pauseWebhook(store: ShardStore, key: BoardKey, webhook: Webhook, now: string): void {
  store.webhooks.put(paused(webhook, 'restored', now));
  store.webhooks.removeFeed(key, webhook.id);
}

/** It can be restored no longer, and the directory forgets it. Null if it is not in the trash. Within a transaction. */
export function discardBoard(store: ShardStore, name: ShardName, key: BoardKey, boardId: Uuid): OutboxEntry | null {
  if (store.trashedBoards.deletedAt(key) === null) return null;
  store.trashedBoards.discard(key);
  const payload = { board_id: boardId, members: 'none left' } as const;
  return addToOutbox(store.outbox, name, key, { kind: 'membership', target: 'directory', payload });
}

/** Those that were deleted before this time, as many as one commit takes. Within a transaction. */
export function expireBoards(store: ShardStore, name: ShardName, before: string, limit: number): Notice[] {
  return store.trashedBoards.expired(before, limit).flatMap(({ key, id }): Notice[] => {
    const entry = discardBoard(store, name, key, id);
    return entry === null ? [] : [{ kind: 'outbox', entry }];
  });
}
