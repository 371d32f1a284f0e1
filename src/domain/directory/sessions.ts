/** Logins that stay. */
import {
  LAST_SEEN_MS,
  MAX_ENDED_PER_USER,
  MAX_SESSIONS_PER_USER,
  ROTATION_GRACE_MS,
  type EndReason,
  type LiveSessions,
  type Session,
  type SessionMessage,
} from '../account/session.js';
import type { User } from '../account/user.js';
import type { RefreshedSession } from '../commands/directoryCommands.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import type { DirectoryHandlersOf } from './handler.js';
import { noteUsedKeys, keysOf } from './keys.js';
import { findUser, requireUser } from './names.js';
import type { DirectoryRows } from './rows.js';

/** With each new session, up to this many expired ones go. */
const SWEEP_SESSIONS = 16;

export const sessionHandlers: DirectoryHandlersOf<'session'> = {
  'session.create': {
    effect: 'idempotent',
    run(rows, { revoked_at, now, ...fields }) {
      const user = findUser(rows, fields.user_id);
      if (user?.is_active !== true || user.revoked_at !== revoked_at) {
        throw new AppError('unauthenticated', 'The account was changed meanwhile. Log in again.');
      }
      if (rows.get('session', { id: fields.id }) !== null) return { value: true };
      removeSessions(rows, idsOf(rows.list('session', {}, { order: ['expires_at', 'id'], upTo: now, limit: SWEEP_SESSIONS })));
      const others = sessionsOf(rows, user.id);
      const ended = idsOf(others.slice(0, Math.max(0, others.length + 1 - MAX_SESSIONS_PER_USER)));
      removeSessions(rows, ended);
      keepReason(rows, user.id, ended, 'limit', now);
      rows.write({ op: 'session.put', session: { ...fields, generation: 1, created_at: now, refreshed_at: now, last_seen: now } });
      return { value: true, ...(ended.length === 0 ? {} : { sessions: endedMessage(user.id, ended, null) }) };
    },
  },
  'session.refresh': {
    // Repeated, it is answered with the generation that it made.
    effect: 'idempotent',
    run(rows, { id, generation, now }) {
      const session = rows.get('session', { id });
      if (session === null || session.expires_at <= now) return { value: null };
      const { user_id, expires_at } = session;
      // A generation after the current one is one that a restored file has forgotten.
      if (generation >= session.generation) {
        const renewed = { ...session, generation: generation + 1, refreshed_at: now, last_seen: now };
        rows.write({ op: 'session.put', session: renewed });
        return { value: toRefreshed(renewed), sessions: { kind: 'renewed', user_id, session: { id, refreshed_at: now, expires_at } } };
      }
      const isRecent = Date.parse(now) - Date.parse(session.refreshed_at) <= ROTATION_GRACE_MS;
      if (generation === session.generation - 1 && isRecent) return { value: toRefreshed(session) };
      // The token was used before: another person may have it.
      removeSessions(rows, [id]);
      keepReason(rows, user_id, [id], 'reused', now);
      return { value: null, sessions: endedMessage(user_id, [id], null) };
    },
  },
  'session.endReason': {
    effect: 'read',
    run(rows, { id, now }) {
      const session = rows.get('session', { id });
      if (session !== null && session.expires_at <= now) return { value: 'expired' };
      return { value: rows.get('ended_session', { id })?.reason ?? null };
    },
  },
  'session.list': {
    effect: 'read',
    run: (rows, { user_id, now }) => ({ value: sessionsOf(rows, user_id).filter(({ expires_at }) => expires_at > now) }),
  },
  'session.end': {
    effect: 'idempotent',
    run(rows, { user_id, id, ended_at }) {
      const ended = endSessions(rows, user_id, (each) => each === id);
      if (ended_at !== undefined) keepReason(rows, user_id, ended, 'ended', ended_at);
      return { value: true, ...(ended.length === 0 ? {} : { sessions: endedMessage(user_id, ended, null) }) };
    },
  },
  'session.endOthers': {
    effect: 'idempotent',
    run(rows, { user_id, keep, now }) {
      if (keep !== null) return { value: true, sessions: endOthers(rows, requireUser(rows, user_id), keep, now, 'ended') };
      const ended = endSessions(rows, user_id, () => true);
      keepReason(rows, user_id, ended, 'ended', now);
      return { value: true, sessions: endedMessage(user_id, ended, null) };
    },
  },
  'session.seen': {
    effect: 'idempotent',
    run(rows, { ids, now }) {
      const latest = new Date(Date.parse(now) - LAST_SEEN_MS).toISOString();
      const seen = ids.filter((id) => (rows.get('session', { id })?.last_seen ?? now) <= latest);
      if (seen.length > 0) rows.write({ op: 'session.seen', ids: seen, at: now });
      noteUsedKeys(rows, ids, now, latest);
      return { value: true };
    },
  },
  'session.live': { effect: 'read', run: (rows, { user_ids }) => ({ value: user_ids.map((id) => liveOf(rows, id, findUser(rows, id))) }) },
};

/** `user`: who has the id, if anybody. */
export function liveOf(rows: DirectoryRows, userId: Uuid, user: User | null): LiveSessions {
  const sessions = sessionsOf(rows, userId).map(({ id, refreshed_at, expires_at }) => ({ id, refreshed_at, expires_at }));
  return { revoked_at: user?.revoked_at ?? null, sessions, keys: idsOf(keysOf(rows, userId)) };
}

export function endedMessage(user_id: Uuid, ids: readonly Uuid[], revoked_at: string | null): Extract<SessionMessage, { kind: 'ended' }> {
  return { kind: 'ended', user_id, ids, revoked_at };
}

/** Of the sessions that the user has. Returns the ids of those that ended. */
export function endSessions(rows: DirectoryRows, userId: Uuid, isMeant: (id: Uuid) => boolean): Uuid[] {
  const ids = idsOf(sessionsOf(rows, userId)).filter(isMeant);
  removeSessions(rows, ids);
  return ids;
}

/** After a change of what proves who the user is. Also tokens without a session end. */
export function endOthers(rows: DirectoryRows, user: User, keep: Uuid | null, now: string, reason: EndReason): SessionMessage {
  if (user.revoked_at !== now) rows.write({ op: 'user.update', user: { ...user, revoked_at: now } });
  const ended = endSessions(rows, user.id, (each) => each !== keep);
  keepReason(rows, user.id, ended, reason, now);
  return endedMessage(user.id, ended, now);
}

/** For `session.endReason`. */
export function keepReason(rows: DirectoryRows, user_id: Uuid, ids: readonly Uuid[], reason: EndReason, ended_at: string): void {
  if (ids.length === 0) return;
  rows.write({ op: 'ended.put', sessions: ids.map((id) => ({ id, user_id, reason, ended_at })) });
  const known = rows.list('ended_session', { user_id }, { order: ['ended_at', 'id'] });
  const surplus = idsOf(known.slice(0, Math.max(0, known.length - MAX_ENDED_PER_USER)));
  if (surplus.length > 0) rows.write({ op: 'ended.remove', ids: surplus });
}

/** The user is deleted. */
export function forgetReasons(rows: DirectoryRows, user_id: Uuid): void {
  const ids = idsOf(rows.list('ended_session', { user_id }, { order: ['ended_at', 'id'] }));
  if (ids.length > 0) rows.write({ op: 'ended.remove', ids });
}

/** Oldest first, without regard to their expiry. */
function sessionsOf(rows: DirectoryRows, user_id: Uuid): Session[] {
  return rows.list('session', { user_id }, { order: ['created_at', 'id'] });
}

function removeSessions(rows: DirectoryRows, ids: readonly Uuid[]): void {
  if (ids.length > 0) rows.write({ op: 'session.remove', ids });
}

function idsOf(records: ReadonlyArray<{ readonly id: Uuid }>): Uuid[] {
  return records.map(({ id }) => id);
}

function toRefreshed({ id, user_id, generation, refreshed_at, expires_at }: Session): RefreshedSession {
  return { id, user_id, generation, refreshed_at, expires_at };
}
