/** A directory in which Ada and Bob are on a board, and what concerns them is noted. */
import type { DirectoryCommand, DirectoryCommands } from '../../../src/domain/commands/directoryCommands.js';
import type { ErrorData } from '../../../src/domain/errors.js';
import { IdSource, type Uuid } from '../../../src/domain/ids.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { NotificationPlace, SentNotification } from '../../../src/domain/account/notification.js';
import type { TestDirectory } from './directories.js';

export const NOW = '2030-01-01T00:00:00.000Z';
const ids = new IdSource();

export function noticeWorld(directory: TestDirectory) {
  const run = (command: DirectoryCommand) => {
    const [outcome] = directory.runNow([command]);
    if (outcome?.ok !== true) throw new Error(JSON.stringify(outcome));
    return outcome;
  };
  const refusal = (command: DirectoryCommand): ErrorData | null => {
    const [outcome] = directory.runNow([command]);
    return outcome?.ok === false ? outcome.error : null;
  };
  const create = (username: string) => {
    const names = { email: `${username}@example.org`, username, firstname: null, lastname: null };
    const input = { id: ids.fresh(), ...names, hashed_password: 'hash', is_superuser: false, now: NOW };
    return run({ op: 'user.create', input }).value as PublicUser;
  };
  const [ada, bob, board] = [create('ada'), create('bob'), ids.fresh()];
  const joined = (user: PublicUser) => ({ user_id: user.id, profile: user });
  run({ op: 'membership.apply', input: { board_id: board, version: 1, members: [joined(ada), joined(bob)] } });
  let seconds = 0;
  return {
    ada,
    bob,
    board,
    run,
    refusal,
    leave: ({ id: user_id }: PublicUser) =>
      run({ op: 'membership.apply', input: { board_id: board, version: 2, members: [{ user_id, profile: null }] } }),
    noticeTo: ({ id: user_id }: PublicUser, fields: Partial<SentNotification> = {}): SentNotification => {
      seconds += 1;
      const about = { board_id: board, card_id: ids.fresh(), comment_id: null, actor_id: bob.id, title: 'A card', due_at: null, is_late: false };
      return {
        id: ids.fresh(),
        user_id,
        kind: 'assigned',
        created_at: new Date(Date.parse(NOW) + seconds * 1000).toISOString(),
        ...about,
        ...fields,
      };
    },
    add: (...notifications: SentNotification[]) => run({ op: 'notification.add', input: { notifications } }).messages ?? [],
    read: ({ id }: PublicUser, of: readonly Uuid[] | null) => run({ op: 'notification.read', input: { user_id: id, ids: of, now: NOW } }).value,
    list: ({ id }: PublicUser, unread = false, before: NotificationPlace | null = null, limit = 50) =>
      run({ op: 'notification.list', input: { user_id: id, unread, before, limit } }).value as DirectoryCommands['notification.list']['output'],
  };
}
