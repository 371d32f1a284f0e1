/** The handlers of the commands about API keys. Called within a transaction. */
import { AppError } from '../../../domain/errors.js';
import type { DirectoryHandlers } from './directoryAnswer.js';
import { endedMessage } from './sessionHandlers.js';
import type { DirectoryTables } from '../tables/tables.js';

type ApiKeyHandlers = Pick<DirectoryHandlers, 'key.create' | 'key.find' | 'key.list' | 'key.remove'>;

export function apiKeyHandlers({ users, keys }: DirectoryTables): ApiKeyHandlers {
  return {
    'key.create': ({ now, ...key }) => {
      const user = users.require(key.user_id);
      if (!user.is_active) throw new AppError('forbidden', 'The user is deactivated');
      if (key.scopes.includes('admin') && !user.is_superuser) {
        throw new AppError('forbidden', 'Only superusers can have the scope "admin"');
      }
      keys.create({ ...key, created_at: now, last_used: null });
      return { value: true };
    },
    'key.find': ({ hashes }) => ({ value: hashes.map((hash) => keys.find(hash)) }),
    'key.list': ({ user_id }) => ({ value: keys.of(user_id) }),
    'key.remove': ({ user_id, id }) => {
      if (!keys.idsOf(user_id).includes(id)) return { value: false, isRefused: true };
      keys.removeAll([id]);
      return { value: true, sessions: endedMessage(user_id, [id], null) };
    },
  };
}
