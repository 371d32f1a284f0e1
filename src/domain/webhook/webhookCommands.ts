/** What is asked of the webhooks of a shard: by users of a board, by superusers, and by the relay that delivers. */
import type { EventType } from '../events.js';
import type { BoardKey, Uuid } from '../ids.js';
import type { Position } from '../position.js';
import type { Delivery, Pause, SealedSecret, Webhook, WebhookFormat } from './webhook.js';

export interface WebhookFields {
  readonly url: string;
  readonly format: WebhookFormat;
  readonly event_types: readonly EventType[] | null;
  readonly is_enabled: boolean;
}

/** `check` only checks access. `reveal` answers a `Target`: it stays inside the service. */
export type WebhookAction =
  | { readonly do: 'list' }
  | { readonly do: 'get' }
  | { readonly do: 'deliveries' }
  | { readonly do: 'reveal' }
  | { readonly do: 'remove' }
  | { readonly do: 'resume' }
  | { readonly do: 'check'; readonly on: 'board' | 'webhook' }
  /** `id` is random, and the secret is sealed for it. */
  | { readonly do: 'create'; readonly id: Uuid; readonly fields: WebhookFields; readonly secret: string }
  | { readonly do: 'update'; readonly fields: Partial<WebhookFields> }
  /** Everything after this number of a board, or since this time over all boards, is sent again. */
  | { readonly do: 'replay'; readonly since: number | string }
  | { readonly do: 'rotate'; readonly secret: string };

/** What a delivery needs. */
export interface Target {
  readonly webhook: Pick<Webhook, 'id' | 'url' | 'format' | 'board_id' | 'created_by'>;
  readonly secrets: readonly SealedSecret[];
  readonly board_title: string;
}

/** One delivery that is due. `json` is the event; null if it is kept no more, and the receiver must read the board again. */
export interface Due {
  readonly id: string;
  readonly type: EventType | 'resync';
  readonly position: Position;
  readonly json: string | null;
}

/** The events of a page together; a larger one is a page of its own. */
export const PAGE_CHARACTERS = 256 * 1024;

/** The next deliveries of a webhook for one board. */
export interface DuePage {
  readonly target: Target;
  readonly generation: number;
  readonly due: readonly Due[];
  /** When all of them are delivered. */
  readonly upTo: Position;
  /** Whether others follow. */
  readonly hasMore: boolean;
  readonly attempt: number;
  readonly failing_since: string | null;
  readonly next_at: string | null;
  /** The names of users in the events, for texts that people read. */
  readonly names: Readonly<Record<Uuid, string>>;
}

/** Progress with one board, which is stored at most once a second. */
export interface Progress {
  readonly board_id: Uuid;
  readonly webhook_id: Uuid;
  readonly generation: number;
  /** Null if it is where it was. */
  readonly position: Position | null;
  readonly attempt: number;
  readonly failing_since: string | null;
  readonly next_at: string | null;
  readonly pause: Pause | null;
}

/** Attempts, the newest last. */
export interface Attempts {
  readonly board_id: Uuid;
  readonly webhook_id: Uuid;
  readonly deliveries: readonly Delivery[];
}

/** A webhook and a board whose events it gets. */
export interface FeedName {
  readonly webhook_id: Uuid;
  readonly board_id: Uuid;
  /** Where it leads to. */
  readonly url: string;
  /** Who answers for the webhook. */
  readonly created_by: Uuid;
}

export interface PendingFeeds {
  readonly feeds: readonly FeedName[];
  /** The key after which the next page begins; null if this is the last. */
  readonly next: BoardKey | null;
}

/** All webhooks over all boards. A shard takes no older version than it has. */
export interface OverAllList {
  readonly webhooks: readonly Webhook[];
  readonly version: number;
}

/** Answers a change of them: what is shown, and all of them, for the other shards; null if nothing has changed. */
export interface OverAllAnswer {
  readonly value: unknown;
  readonly list: OverAllList | null;
}
