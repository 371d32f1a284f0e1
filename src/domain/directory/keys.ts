/** Personal API keys. */
import { MAX_KEYS_PER_USER, type StoredKey } from '../account/apiKey.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { DirectoryHandlersOf } from './handler.js';
import { requireUser } from './names.js';
import type { DirectoryRows } from './rows.js';

export const keyHandlers: DirectoryHandlersOf<'key'> = {
  'key.create': {
    effect: 'idempotent',
    run(rows, { now, ...key }) {
      const user = requireUser(rows, key.user_id);
      if (!user.is_active) throw new AppError('forbidden', 'The user is deactivated');
      if (key.scopes.includes('admin') && !user.is_superuser) {
        throw new AppError('forbidden', 'Only superusers can have the scope "admin"');
      }
      if (rows.get('api_key', { id: key.id }) !== null) return { value: true };
      const own = keysOf(rows, key.user_id);
      const expired = own.filter(({ expires_at }) => expires_at !== null && expires_at <= now);
      removeKeys(rows, expired);
      if (own.length - expired.length >= MAX_KEYS_PER_USER) {
        throw new AppError('limit', `A user has at most ${MAX_KEYS_PER_USER} API keys; revoke one first`);
      }
      rows.write({ op: 'key.put', key: { ...key, created_at: now, last_used: null } });
      return { value: true };
    },
  },
  'key.find': {
    effect: 'read',
    run: (rows, { hashes }) => ({
      value: hashes.map((token_hash) => {
        const found = rows.get('api_key', { token_hash });
        if (found === null) return null;
        const { id, user_id, scopes, board_ids, expires_at } = found;
        return { id, user_id, scopes, board_ids, expires_at };
      }),
    }),
  },
  'key.list': {
    effect: 'read',
    run: (rows, { user_id }) => ({ value: keysOf(rows, user_id).map(({ token_hash: _secret, ...key }) => key) }),
  },
  'key.remove': {
    effect: 'write',
    run(rows, { user_id, id }) {
      const key = rows.get('api_key', { id });
      if (key?.user_id !== user_id) return { value: false, isRefused: true };
      removeKeys(rows, [key]);
      return { value: true, sessions: { kind: 'ended', user_id, ids: [id], revoked_at: null } };
    },
  },
};

/** Oldest first, also expired ones. */
export function keysOf(rows: DirectoryRows, user_id: Uuid): StoredKey[] {
  return rows.list('api_key', { user_id }, { order: ['created_at', 'id'] });
}

/** Returns the ids of the user's keys, which are gone. */
export function endKeys(rows: DirectoryRows, userId: Uuid): Uuid[] {
  return removeKeys(rows, keysOf(rows, userId));
}

/** Of the keys among the ids, those that were not used since `latest`. */
export function noteUsedKeys(rows: DirectoryRows, ids: readonly Uuid[], now: string, latest: string): void {
  const used = ids.filter((id) => {
    const key = rows.get('api_key', { id });
    return key !== null && (key.last_used ?? '') <= latest;
  });
  if (used.length > 0) rows.write({ op: 'key.used', ids: used, at: now });
}

function removeKeys(rows: DirectoryRows, keys: readonly StoredKey[]): Uuid[] {
  const ids = keys.map(({ id }) => id);
  if (ids.length > 0) rows.write({ op: 'key.remove', ids });
  return ids;
}
