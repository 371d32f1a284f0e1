import type { DirectoryPort, Mailing } from '../domain/commands/directoryCommands.js';
import type { DeliveryKind } from './deliveryKind.js';

/** What concerns users, to the directory. By the ids it ignores those that it already has. `mailing`: whether the service sends mails. */
export function notificationDelivery(directory: DirectoryPort, mailing: Mailing): DeliveryKind<'notification'> {
  return {
    async *deliver({ payload }) {
      await directory.ask('notification.add', { ...payload, ...mailing });
      return 'delivered';
    },
    latestOnly: false,
    isUrgent: () => false,
    // The directory takes a page of them at a time: other commands have their turns in between.
    parallel: 2,
    patienceMs: 0,
    late: { level: 'debug', text: 'a notice is not yet delivered' },
    failed: 'notices to users could not be delivered; trying again',
  };
}
