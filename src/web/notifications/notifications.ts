/** The notices of the user: how many are unread, and the latest ones. Read when the page starts, and kept current by the feed. */
import { signal } from '@preact/signals';
import type { Notification } from '../../client/index.js';
import { client } from '../state/session.js';

/** Those that the list shows. */
const SHOWN = 30;

export const unreadCount = signal(0);
/** Null until they are read. */
export const latest = signal<readonly Notification[] | null>(null);

/** Returns a function that stops. */
export function followNotifications(): () => void {
  const feed = client.feed();
  let isStopped = false;
  const read = async (): Promise<void> => {
    const page = await client.notification.list({ limit: SHOWN }).catch(() => null);
    // What was shown stays: the next connection reads it again.
    if (page !== null && !isStopped) show(page.notifications, page.unread);
  };
  feed.ready.then(read, () => undefined);
  feed.on('reconnected', () => void read());
  feed.on('notification', ({ notification }) => {
    const known = latest.value;
    if (known?.some(({ id }) => id === notification.id) === true) return;
    show([notification, ...(known ?? [])].slice(0, SHOWN), unreadCount.value + 1);
  });
  return () => {
    isStopped = true;
    feed.close();
    latest.value = null;
    unreadCount.value = 0;
  };
}

export function show(notifications: readonly Notification[], unread: number): void {
  latest.value = notifications;
  unreadCount.value = unread;
}
