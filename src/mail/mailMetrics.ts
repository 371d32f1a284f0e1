import type { Metric } from '../metrics/prometheus.js';
import type { MailStats } from './mailQueue.js';

const NONE: MailStats = { sent: 0, failed: 0, dropped: 0, waiting: 0 };

/** Null without a mail server. */
export function mailMetrics(stats: MailStats | null): Metric[] {
  const { waiting, sent, failed, dropped } = stats ?? NONE;
  const outcomes = { sent, failed, dropped };
  return [
    {
      kind: 'counter',
      name: 'switchboard_mails_total',
      help: 'Mails by outcome: the mail server took them, refused them or was away, or they were dropped.',
      samples: Object.entries(outcomes).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    { kind: 'gauge', name: 'switchboard_mails_waiting', help: 'Mails that are being sent, or are tried again later.', samples: [{ value: waiting }] },
  ];
}
