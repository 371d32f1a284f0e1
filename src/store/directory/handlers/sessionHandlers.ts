/** The handlers of the commands about sessions. Called within a transaction. */
import type { RefreshedSession } from '../../../domain/commands/directoryCommands.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import type { LiveSessions, Session, SessionMessage } from '../../../domain/account/session.js';
import type { DirectoryHandlers } from './directoryAnswer.js';
import type { DirectoryTables } from '../tables/tables.js';

type SessionHandlers = Pick<
  DirectoryHandlers,
  'session.create' | 'session.refresh' | 'session.list' | 'session.end' | 'session.endOthers' | 'session.seen' | 'session.live'
>;

export function sessionHandlers(tables: DirectoryTables): SessionHandlers {
  const { users, sessions, keys } = tables;
  return {
    'session.create': ({ revoked_at, ...session }) => {
      const user = users.get(session.user_id);
      if (user?.is_active !== true || user.revoked_at !== revoked_at) {
        throw new AppError('unauthenticated', 'The account was changed meanwhile. Log in again.');
      }
      const ended = sessions.create(session);
      return { value: true, ...(ended.length === 0 ? {} : { sessions: endedMessage(user.id, ended, null) }) };
    },
    'session.refresh': ({ id, generation, now }) => {
      const refreshing = sessions.refresh(id, generation, now);
      if (refreshing.kind === 'unknown') return { value: null };
      const { kind, session } = refreshing;
      if (kind === 'reused') return { value: null, sessions: endedMessage(session.user_id, [id], null) };
      const value = toRefreshed(session);
      if (kind === 'repeated') return { value };
      const { refreshed_at, expires_at } = session;
      return { value, sessions: { kind: 'renewed', user_id: session.user_id, session: { id, refreshed_at, expires_at } } };
    },
    'session.list': ({ user_id, now }) => ({ value: sessions.of(user_id).filter(({ expires_at }) => expires_at > now) }),
    'session.end': ({ user_id, id }) => {
      const ended = sessions.end(user_id, (each) => each === id);
      return { value: true, ...(ended.length === 0 ? {} : { sessions: endedMessage(user_id, ended, null) }) };
    },
    'session.endOthers': ({ user_id, keep, now }) => {
      const revokedAt = keep === null ? null : now;
      if (revokedAt !== null) users.revoke(users.require(user_id), revokedAt);
      return {
        value: true,
        sessions: endedMessage(
          user_id,
          sessions.end(user_id, (each) => each !== keep),
          revokedAt,
        ),
      };
    },
    'session.seen': ({ ids, now }) => {
      sessions.noteSeen(ids, now);
      keys.noteUsed(ids, now);
      return { value: true };
    },
    'session.live': ({ user_ids }) => ({ value: user_ids.map((id) => liveOf(tables, id)) }),
  };
}

export function liveOf({ users, sessions, keys }: DirectoryTables, userId: Uuid): LiveSessions {
  return { revoked_at: users.get(userId)?.revoked_at ?? null, sessions: sessions.liveOf(userId), keys: keys.idsOf(userId) };
}

export function endedMessage(user_id: Uuid, ids: readonly Uuid[], revoked_at: string | null): SessionMessage {
  return { kind: 'ended', user_id, ids, revoked_at };
}

function toRefreshed({ id, user_id, generation, refreshed_at, expires_at }: Session): RefreshedSession {
  return { id, user_id, generation, refreshed_at, expires_at };
}
