/** Deliveries for Prometheus. They name no receiver: an address may be a secret. */
import type { Delivery } from '../domain/webhook/webhook.js';
import type { Metric } from '../metrics/prometheus.js';

/** `taken`: answered with 2xx. `refused`: with another status. `unreachable`: not answered. */
const OUTCOMES = ['taken', 'refused', 'unreachable'] as const;
type Outcome = (typeof OUTCOMES)[number];

export class DeliveryCounts {
  readonly #counts: Record<Outcome, number> = { taken: 0, refused: 0, unreachable: 0 };

  count({ status }: Pick<Delivery, 'status'>): void {
    this.#counts[outcomeOf(status)] += 1;
  }

  of(outcome: Outcome): number {
    return this.#counts[outcome];
  }
}

function outcomeOf(status: number | null): Outcome {
  if (status === null) return 'unreachable';
  return status >= 200 && status < 300 ? 'taken' : 'refused';
}

export interface WebhookNumbers {
  readonly outcomes: DeliveryCounts;
  readonly pending: number;
  readonly paused: { readonly board: number; readonly all: number };
}

export function webhookMetrics({ outcomes, pending, paused }: WebhookNumbers): Metric[] {
  return [
    {
      kind: 'counter',
      name: 'switchboard_webhook_deliveries_total',
      help: 'Attempts to deliver to webhooks, by outcome; tests by users are not counted.',
      samples: OUTCOMES.map((outcome) => ({ labels: { outcome }, value: outcomes.of(outcome) })),
    },
    {
      kind: 'gauge',
      name: 'switchboard_webhooks_pending',
      help: 'Webhooks and boards with events that are being delivered, or wait for the next attempt.',
      samples: [{ value: pending }],
    },
    {
      kind: 'gauge',
      name: 'switchboard_webhooks_paused',
      help: 'Paused webhooks of the shards owned here: of boards, and over all boards.',
      samples: [
        { labels: { scope: 'board' }, value: paused.board },
        { labels: { scope: 'all' }, value: paused.all },
      ],
    },
  ];
}
