import { OUTBOX_PAGE } from '../../domain/ports/outbox.js';
import type { OutboxEntry, OutboxPage, PartitionName } from '../messages.js';

/** `rows` are the first `OUTBOX_PAGE` rows after the id `after`. Rows without an entry are left out. */
export function toOutboxPage<Row extends { readonly id: number }>(
  source: PartitionName,
  after: number,
  rows: readonly Row[],
  toEntry: (row: Row) => OutboxEntry | null,
): OutboxPage {
  const entries = rows.map(toEntry).filter((entry) => entry !== null);
  const next = rows.length < OUTBOX_PAGE ? null : (rows.at(-1)?.id ?? null);
  return { kind: 'outbox.page', source, after, entries, next };
}
