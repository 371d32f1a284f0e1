/** The reminders of a shard whose clock the test moves. */
import { mock } from 'node:test';
import type { Test } from 'tap';
import type { SentNotification } from '../../../src/domain/account/notification.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { Notice } from '../../../src/partitions/messages.js';
import { manyTurns } from '../until.js';
import { TestPartition } from './faultyStorePartition.js';

/** In this time every shard looks at its clock. */
const LOOK_MS = 1_000;

/** A shard that looks at its clock in `look` alone. */
export function startLooking(t: Test): TestPartition {
  mock.timers.enable({ apis: ['setInterval', 'setTimeout'] });
  t.teardown(() => mock.timers.reset());
  return new TestPartition(t, { retention: { events: 1_000, days: 7, trashDays: 30 } });
}

/** Lets the shard look, and settle what it finds. */
export async function look(): Promise<void> {
  mock.timers.tick(LOOK_MS);
  await manyTurns();
}

/** What left by the outbox so far, as a page of an outbox or on its way. */
export function sent({ notices }: TestPartition): readonly SentNotification[] {
  return notices.flatMap(sentIn);
}

export function sentIn(notice: Notice): readonly SentNotification[] {
  return notice.kind === 'outbox' && notice.entry.kind === 'notification' ? notice.entry.payload.notifications : [];
}

export function dueCards(partition: TestPartition): Uuid[] {
  return sent(partition).flatMap(({ kind, card_id }) => (kind === 'due' ? [card_id] : []));
}
