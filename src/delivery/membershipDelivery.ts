import type { DirectoryPort, Mailing } from '../domain/commands/directoryCommands.js';
import type { DeliveryKind } from './deliveryKind.js';

/** Users who joined or left a board, to the directory. It ignores changes that it already has. */
export function membershipDelivery(directory: DirectoryPort, mailing: Mailing): DeliveryKind<'membership'> {
  return {
    async *deliver({ id, payload }) {
      await directory.ask('membership.apply', { ...payload, ...mailing, version: id });
      return 'delivered';
    },
    latestOnly: false,
    isUrgent: () => false,
    // One for each shard.
    parallel: Infinity,
    patienceMs: 2_000,
    late: { level: 'warn', text: 'a change is answered before the directory has it' },
    failed: 'a membership could not be delivered; trying again',
  };
}
