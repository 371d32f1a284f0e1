/** What the page asks about webhooks: of one board, or over all boards. */
import type { NewWebhook, Webhook, WebhookDelivery } from '../../client/index.js';
import { client } from '../state/session.js';

export const MAX_URL_CHARACTERS = 2_000;

export type NewWebhookFields = Parameters<typeof client.webhook.create>[1];
export type WebhookChange = Parameters<typeof client.webhook.update>[1];

export interface WebhookCalls {
  /** Another key has other webhooks. */
  readonly key: string;
  /** Boards count their events; over all boards only the time is common. */
  readonly replaysFrom: 'number' | 'time';
  list(): Promise<readonly Webhook[]>;
  create(fields: NewWebhookFields): Promise<NewWebhook>;
  update(id: string, change: WebhookChange): Promise<Webhook>;
  delete(id: string): Promise<unknown>;
  test(id: string): Promise<WebhookDelivery>;
  resume(id: string): Promise<Webhook>;
  /** `since`: as it was typed. */
  replay(id: string, since: string): Promise<Webhook>;
  rotate(id: string): Promise<NewWebhook>;
  deliveries(id: string): Promise<readonly WebhookDelivery[]>;
}

export function webhooksOf(board_id: string): WebhookCalls {
  const { webhook } = client;
  return {
    key: board_id,
    replaysFrom: 'number',
    list: () => webhook.list({ board_id }),
    create: (fields) => webhook.create({ board_id }, fields),
    update: (webhook_id, change) => webhook.update({ webhook_id }, change),
    delete: (webhook_id) => webhook.delete({ webhook_id }),
    test: (webhook_id) => webhook.test({ webhook_id }),
    resume: (webhook_id) => webhook.resume({ webhook_id }),
    replay: (webhook_id, since) => webhook.replay({ webhook_id }, { since: Number(since) }),
    rotate: (webhook_id) => webhook.rotate({ webhook_id }),
    deliveries: (webhook_id) => webhook.deliveries({ webhook_id }),
  };
}

export function webhooksOverAll(): WebhookCalls {
  const { adminWebhook } = client;
  return {
    key: 'all',
    replaysFrom: 'time',
    list: () => adminWebhook.list(),
    create: (fields) => adminWebhook.create(fields),
    update: (webhook_id, change) => adminWebhook.update({ webhook_id }, change),
    delete: (webhook_id) => adminWebhook.delete({ webhook_id }),
    test: (webhook_id) => adminWebhook.test({ webhook_id }),
    resume: (webhook_id) => adminWebhook.resume({ webhook_id }),
    // The field has the local time, without a zone.
    replay: (webhook_id, since) => adminWebhook.replay({ webhook_id }, { since: new Date(since).toISOString() }),
    rotate: (webhook_id) => adminWebhook.rotate({ webhook_id }),
    deliveries: (webhook_id) => adminWebhook.deliveries({ webhook_id }),
  };
}
