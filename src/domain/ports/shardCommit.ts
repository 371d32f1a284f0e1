/**
 * A commit of a shard as a value: everything that one transaction writes. Applied to a copy of the file as of the number
 * before, it makes the copy equal to the original. So applying it decides nothing: it contains the ids, and names what
 * a cleanup removed.
 */
import type { Activity } from '../board/activity/facts.js';
import type { Removal } from '../board/removals.js';
import type { BoardEvent } from '../events.js';
import type { AnswerWrite, KeyedCreate } from '../idempotency.js';
import type { BoardKey, Uuid } from '../ids.js';
import type { Change, Kind } from '../model.js';
import type { TimerWrite } from '../board/timers/timers.js';
import type { Delivery, Webhook, WebhookFeed } from '../webhook/webhook.js';

export interface ShardCommit {
  /** Per shard, from 1 and without gaps. */
  readonly number: number;
  /** In the order in which they are to be applied. */
  readonly writes: readonly ShardWrite[];
}

export type WebhookWrite =
  /** The key is empty for webhooks over all boards. */
  | { readonly op: 'webhook.put'; readonly webhook: Webhook }
  | { readonly op: 'webhook.remove'; readonly key: BoardKey; readonly id: Uuid }
  | { readonly op: 'webhook.feed'; readonly key: BoardKey; readonly feed: WebhookFeed }
  | { readonly op: 'webhook.unfeed'; readonly key: BoardKey; readonly id: Uuid }
  | { readonly op: 'webhook.restart'; readonly id: Uuid }
  | { readonly op: 'webhook.recent'; readonly key: BoardKey; readonly id: Uuid; readonly recent: readonly Delivery[] }
  | { readonly op: 'webhook.forget'; readonly key: BoardKey };

export type ActivityWrite =
  /** Facts of one command, and names of people who left. */
  | { readonly op: 'activity'; readonly key: BoardKey; readonly activity: Activity; readonly at: string }
  /** Facts that are kept no longer: those up to this number. */
  | { readonly op: 'activity.remove'; readonly key: BoardKey; readonly upTo: number };

export type ShardWrite =
  | AnswerWrite
  | ActivityWrite
  | WebhookWrite
  | TimerWrite
  /** Records that were created, changed or removed. The content of an attachment is created and removed with its record. */
  | { readonly op: 'rows'; readonly key: BoardKey; readonly changes: readonly Change[]; readonly at: string }
  /** The board's number becomes `seq`. */
  | { readonly op: 'events'; readonly key: BoardKey; readonly seq: number; readonly events: readonly BoardEvent[]; readonly at: string }
  /** Events that are kept no longer: those up to this number. Used ids of that time go with them, unless the activity may name them. */
  | { readonly op: 'events.remove'; readonly key: BoardKey; readonly upTo: number; readonly keepsIds?: true }
  /** Some of the ids that were used up to this number, with who made what had them. */
  | { readonly op: 'used.forget'; readonly key: BoardKey; readonly upTo: number }
  | { readonly op: 'creates.add'; readonly key: BoardKey; readonly creates: readonly KeyedCreate[] }
  /** All boards of the shard get a new epoch. */
  | { readonly op: 'history.cut'; readonly epoch: string }
  /** The board is gone; its other rows become loose. */
  | { readonly op: 'board.remove'; readonly key: BoardKey; readonly at: string }
  /** The board is gone for all readers, and can be restored as it was. */
  | { readonly op: 'board.trash'; readonly key: BoardKey; readonly at: string }
  | { readonly op: 'board.restore'; readonly key: BoardKey }
  /** It can be restored no longer. */
  | { readonly op: 'board.discard'; readonly key: BoardKey }
  /** Rows of an import that is not complete, or of a board that was removed. */
  | { readonly op: 'loose.add'; readonly key: BoardKey; readonly at: string }
  | { readonly op: 'loose.remove'; readonly key: BoardKey }
  | { readonly op: 'loose.sweep'; readonly key: BoardKey; readonly kind: Kind; readonly ids: readonly Uuid[]; readonly at: string }
  | { readonly op: 'removal.finish'; readonly key: BoardKey; readonly removal: Removal }
  | { readonly op: 'outbox.add'; readonly id: number; readonly key: BoardKey; readonly payload: string }
  | { readonly op: 'outbox.remove'; readonly id: number }
  | { readonly op: 'upload.start'; readonly id: Uuid; readonly at: string }
  | { readonly op: 'upload.append'; readonly id: Uuid; readonly n: number; readonly start: number; readonly bytes: Uint8Array }
  | { readonly op: 'upload.discard'; readonly id: Uuid }
  /** Chunks of discarded content up to this one; `isLast` when none is left. */
  | { readonly op: 'content.remove'; readonly id: Uuid; readonly upTo: number; readonly isLast: boolean };
