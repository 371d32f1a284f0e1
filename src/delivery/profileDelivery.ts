import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import { deletedUser, isDeletedUser, isSameProfile, type PublicUser } from '../domain/account/user.js';
import type { DeliveryKind } from './deliveryKind.js';
import { stepForEach } from './stepForEach.js';
import { eraseUser, type ErasureParts } from './userErasure.js';

/**
 * A changed profile, and when its user wants to be reminded, to the boards of the user. Boards keep no version of it: the last writer wins. A deleted user is
 * taken off the boards.
 */
export function profileDelivery(parts: ErasureParts): DeliveryKind<'profile'> {
  const { directory, boards } = parts;
  const refresh = async (target: Uuid, user: PublicUser, reminder_minutes: number | null): Promise<void> => {
    const outcome = await boards.ask({ op: 'member.refresh', caller: 'system', target, input: { user, reminder_minutes } });
    // A missing board needs no refresh.
    if (!outcome.ok && outcome.error.code !== 'not_found') throw AppError.from(outcome.error);
  };
  return {
    async *deliver({ payload: { user } }, attempt) {
      const current = async (): Promise<PublicUser> => (await directory.ask('user.get', { id: user.id })) ?? deletedUser(user.id);
      // After the directory moved, its next owner may deliver a newer profile. A repetition must not undo that.
      const carried = attempt.before === null ? user : await current();
      const reminder = (): Promise<number | null> => directory.ask('noticeSettings.reminder', { user_id: user.id });
      if (isDeletedUser(carried)) {
        yield* eraseUser(parts, user.id);
        return 'delivered';
      }
      const minutes = await reminder();
      const board_ids = await directory.ask('membership.list', { user_id: user.id });
      const visit = async function* (board: Uuid): AsyncGenerator<void> {
        await refresh(board, carried, minutes);
      };
      // Only a deletion ends this pass early. If a newer name did, a name that its user changes all the time would never
      // reach the last board.
      yield* stepForEach(board_ids, visit, () => attempt.isOvertaken);
      // This delivery may have overwritten a newer one.
      return isSameProfile(await current(), carried) && (await reminder()) === minutes ? 'delivered' : 'outdated';
    },
    latestOnly: true,
    // Only superusers and operators delete users.
    isUrgent: ({ payload: { user } }) => isDeletedUser(user),
    parallel: 4,
    patienceMs: 1_000,
    late: { level: 'debug', text: 'a changed profile is answered before all boards have it' },
    failed: 'a profile could not be delivered; trying again',
  };
}
