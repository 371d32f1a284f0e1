/** Webhooks as the API uses them. Every method throws refusals. */
import type { Uuid } from '../ids.js';
import type { WebhookAction } from '../webhook/webhookCommands.js';
import type { Delivery } from '../webhook/webhook.js';

/** A new secret, sealed for its webhook, and as its owner sees it once. */
export interface NewSecret {
  readonly sealed: string;
  readonly shown: string;
}

export interface WebhooksPort {
  newSecret(webhookId: Uuid): NewSecret;
  /** By an owner of the board. `target` is the board, or a webhook on it. */
  perform(target: Uuid, userId: Uuid, action: WebhookAction): Promise<unknown>;
  /** By a superuser. `target` is null for all webhooks over all boards. */
  performOverAll(target: Uuid | null, userId: Uuid, action: WebhookAction): Promise<unknown>;
  /** Sends a message now, and answers with what came of it. */
  test(target: Uuid, userId: Uuid, of: 'board' | 'all'): Promise<Delivery>;
}
