import type { Notification } from '../../client/index.js';
import { attempt } from '../state/notices.js';
import { client } from '../state/session.js';
import { say } from '../words/catalogue.js';
import { latest, show, unreadCount } from './notifications.js';

/** Without ids all. Shown at once, and again as it was if it is refused. */
export async function markAsRead(ids?: readonly string[]): Promise<void> {
  const [before, count] = [latest.value, unreadCount.value];
  const read_at = new Date().toISOString();
  const isMeant = ({ id, read_at: known }: Notification): boolean => known === null && (ids === undefined || ids.includes(id));
  const marked = before?.filter(isMeant).length ?? 0;
  if (before !== null) latest.value = before.map((each) => (isMeant(each) ? { ...each, read_at } : each));
  unreadCount.value = ids === undefined ? 0 : Math.max(0, count - marked);
  const isDone = await attempt(say('bell.notMarked'), async () => {
    const { unread } = await client.notification.read(ids === undefined ? {} : { ids: [...ids] });
    unreadCount.value = unread;
  });
  if (!isDone && before !== null) show(before, count);
}
