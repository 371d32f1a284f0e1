/** A webhook: a URL that gets the events of a board, or of all boards. Secrets are sealed wherever they are stored. */
import type { EventType } from '../events.js';
import type { Uuid } from '../ids.js';
import type { Position } from '../position.js';
import { DAY_MS } from '../content/time.js';

export const WEBHOOK_FORMATS = ['standard', 'slack', 'ntfy'] as const;
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

/** Of one board, and of superusers over all boards. Every event is sent once for each. */
export const MAX_WEBHOOKS_PER_BOARD = 10;
export const MAX_WEBHOOKS_OVER_ALL = 10;
export const MAX_WEBHOOK_URL_CHARACTERS = 2_000;
/** The last deliveries that are kept of a webhook. */
export const MAX_KEPT_DELIVERIES = 20;
/** After a rotation, deliveries have the signatures of both secrets for so long. */
export const ROTATION_MS = DAY_MS;

/**
 * Why a webhook rests until an owner resumes it. `failing`: the receiver took nothing for three days. `gone`: the receiver
 * answered 410. `creator`: its creator is no active owner of the board, or no active superuser. `secret`: its secret cannot
 * be opened, because the secret of the service is another one now. `restored`: the board was deleted and is back.
 */
export const PAUSES = ['failing', 'gone', 'creator', 'secret', 'restored'] as const;
export type Pause = (typeof PAUSES)[number];

export interface SealedSecret {
  readonly sealed: string;
  /** Until when it signs besides the newer one; null for the newest. */
  readonly until: string | null;
}

export interface Webhook {
  readonly id: Uuid;
  /** Null for all boards. */
  readonly board_id: Uuid | null;
  readonly url: string;
  readonly format: WebhookFormat;
  /** Null for all. */
  readonly event_types: readonly EventType[] | null;
  readonly is_enabled: boolean;
  readonly pause: Pause | null;
  /** Two at most, the newest first. */
  readonly secrets: readonly SealedSecret[];
  /** Who answers for it: its creator, or who resumed it last. */
  readonly created_by: Uuid;
  readonly created_at: string;
  readonly updated_at: string;
  /** Of a webhook over all boards: it gets the events from then on. */
  readonly starts_at: string;
  /** Rises with each change that makes earlier attempts void. */
  readonly generation: number;
}

/** How far a webhook is with the events of one board. */
export interface WebhookFeed extends Position {
  readonly webhook_id: Uuid;
  readonly board_id: Uuid;
  readonly generation: number;
  /** Failed attempts of the next delivery. */
  readonly attempt: number;
  readonly failing_since: string | null;
  readonly next_at: string | null;
}

/** One attempt, as it is shown. */
export interface Delivery {
  /** The `webhook-id` of the delivery. */
  readonly id: string;
  readonly board_id: Uuid | null;
  readonly type: string;
  readonly seq: number | null;
  readonly at: string;
  /** From 1. */
  readonly attempt: number;
  /** Of the answer; null if there was none. */
  readonly status: number | null;
  /** Why there was no answer, in words; null if there was one. */
  readonly error: string | null;
  readonly duration_ms: number;
}

export type WebhookState = 'active' | 'retrying' | 'paused' | 'disabled';

/** As it is shown: without its secrets. */
export interface ShownWebhook extends Omit<Webhook, 'secrets' | 'pause' | 'generation' | 'starts_at'> {
  readonly state: WebhookState;
  readonly paused_because: Pause | null;
  /** Since when the receiver takes nothing; null if the last delivery arrived. */
  readonly failing_since: string | null;
  readonly next_attempt_at: string | null;
}

export function showWebhook({ secrets: _hidden, starts_at: _inner, pause, generation, ...hook }: Webhook, feed: WebhookFeed | null): ShownWebhook {
  const current = feed?.generation === generation ? feed : null;
  const { failing_since = null, next_at: next_attempt_at = null } = current ?? {};
  return { ...hook, state: stateOf(hook.is_enabled, pause, failing_since), paused_because: pause, failing_since, next_attempt_at };
}

function stateOf(isEnabled: boolean, pause: Pause | null, failingSince: string | null): WebhookState {
  if (!isEnabled) return 'disabled';
  if (pause !== null) return 'paused';
  return failingSince === null ? 'active' : 'retrying';
}

/** Whether it gets events now. */
export function isRunning({ is_enabled, pause }: Webhook): boolean {
  return is_enabled && pause === null;
}

export function wants({ event_types }: Pick<Webhook, 'event_types'>, type: EventType): boolean {
  return event_types === null || event_types.includes(type);
}

/** `webhook-id`: the same for every attempt of one event to one webhook. */
export function deliveryId(webhookId: Uuid, { epoch, seq }: Position, kind: 'event' | 'resync'): string {
  return `${webhookId}.${epoch}.${seq}${kind === 'resync' ? '.resync' : ''}`;
}
