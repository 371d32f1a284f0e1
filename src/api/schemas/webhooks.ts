/** Webhooks and their deliveries as they are sent. */
import * as v from 'valibot';
import { EVENT_TYPES } from '../../domain/events.js';
import { PAUSES, WEBHOOK_FORMATS, type Delivery, type ShownWebhook } from '../../domain/webhook/webhook.js';
import type { SchemasOf } from '../operation/operation.js';
import { id, timestamp } from './basics.js';

const webhookFields = {
  id: id(),
  board_id: v.pipe(v.nullable(id()), v.description('Null if it is over all boards')),
  url: v.string(),
  format: v.picklist(WEBHOOK_FORMATS),
  event_types: v.pipe(v.nullable(v.array(v.picklist(EVENT_TYPES))), v.description('Null for all')),
  is_enabled: v.boolean(),
  created_by: v.pipe(id(), v.description('Who created it, or resumed it last')),
  created_at: timestamp(),
  updated_at: timestamp(),
  state: v.picklist(['active', 'retrying', 'paused', 'disabled']),
  paused_because: v.pipe(
    v.nullable(v.picklist(PAUSES)),
    v.description(
      '`failing`: nothing arrived for three days. `gone`: the receiver answered 410. `creator`: who created it is no active owner ' +
        '(superuser) any more. `secret`: its secret cannot be opened; rotate it',
    ),
  ),
  failing_since: v.nullable(timestamp()),
  next_attempt_at: v.nullable(timestamp()),
} satisfies SchemasOf<ShownWebhook>;

export const Webhook = v.object(webhookFields);
export const NewWebhook = v.object({
  ...webhookFields,
  secret: v.pipe(v.string(), v.description('Signs deliveries as Standard Webhooks say; in this answer alone')),
});

export const WebhookDelivery = v.object({
  id: v.pipe(v.string(), v.description('The `webhook-id`')),
  board_id: v.nullable(id()),
  type: v.string(),
  seq: v.nullable(v.pipe(v.number(), v.integer())),
  at: timestamp(),
  attempt: v.pipe(v.number(), v.integer()),
  status: v.pipe(v.nullable(v.pipe(v.number(), v.integer())), v.description('Of the receiver’s answer; null if there was none')),
  error: v.pipe(v.nullable(v.string()), v.description('Why there was no answer')),
  duration_ms: v.pipe(v.number(), v.integer()),
} satisfies SchemasOf<Delivery>);
