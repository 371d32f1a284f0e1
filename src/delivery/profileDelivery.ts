import type { DirectoryPort } from '../domain/commands/directoryCommands.js';
import { AppError } from '../domain/errors.js';
import type { Uuid } from '../domain/ids.js';
import type { BoardsPort } from '../domain/ports/boardsPort.js';
import { isSameProfile, type PublicUser } from '../domain/user.js';
import type { DeliveryKind } from './deliveryKind.js';

/** A changed profile, to the boards of its user. Boards keep no version of it: the last writer wins. */
export function profileDelivery(directory: DirectoryPort, boards: BoardsPort): DeliveryKind<'profile'> {
  const refresh = async (target: Uuid, user: PublicUser): Promise<void> => {
    const outcome = await boards.ask({ op: 'member.refresh', caller: 'system', target, input: { user } });
    // A missing board needs no refresh.
    if (!outcome.ok && outcome.error.code !== 'not_found') throw AppError.from(outcome.error);
  };
  return {
    async deliver({ payload: { user } }, isRepeated) {
      const current = async (): Promise<PublicUser> => (await directory.ask('user.get', { id: user.id })) ?? user;
      const board_ids = await directory.ask('membership.list', { user_id: user.id });
      // After the directory moved, its next owner may deliver a newer profile. A repetition must not undo that.
      for (let carried = isRepeated ? await current() : user; ; ) {
        await forEachInTurn(board_ids, (board) => refresh(board, carried));
        // This delivery may have overwritten a newer one.
        const latest = await current();
        if (isSameProfile(latest, carried)) return;
        carried = latest;
      }
    },
    latestOnly: true,
    parallel: 4,
    patienceMs: 1_000,
    late: { level: 'debug', text: 'a changed profile is answered before all boards have it' },
    failed: 'a profile could not be delivered; trying again',
  };
}

/**
 * One after another, so that a user of many boards does not wake them all at once. A failure does not stop the rest and
 * is thrown at the end.
 */
async function forEachInTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}
