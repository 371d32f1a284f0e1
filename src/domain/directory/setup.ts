/** The first superuser: made once, by a person who can read the data folder of an instance. */
import { timingSafeEqual } from 'node:crypto';
import { alreadySetUp, NOT_SET_UP, withToken, wrongSetupToken, type Setup } from '../account/setup.js';
import { toPublicUser } from '../account/user.js';
import type { DirectoryHandlersOf } from './handler.js';
import { addUser, newUser } from './names.js';
import type { DirectoryRows } from './rows.js';
import { SETUP_ROW } from './tables.js';

export const setupHandlers: DirectoryHandlersOf<'setup'> = {
  'setup.offer': {
    effect: 'idempotent',
    run(rows, { token_hash, now }) {
      if (stateOf(rows) === 'done') {
        closeSetup(rows, now);
        return { value: 'done' };
      }
      const before = setupOf(rows);
      const after = withToken(before, token_hash);
      if (after !== before) rows.write({ op: 'setup.put', setup: after });
      return { value: 'open' };
    },
  },
  'setup.read': {
    effect: 'read',
    run: (rows) => ({ value: { state: stateOf(rows), has_users: rows.list('user', {}, { order: ['id'], limit: 1 }).length > 0 } }),
  },
  'setup.check': {
    effect: 'read',
    run(rows, { token_hash }) {
      requireToken(rows, token_hash);
      return { value: true };
    },
  },
  'setup.create': {
    effect: 'write',
    run(rows, { token_hash, ...fields }) {
      requireToken(rows, token_hash);
      closeSetup(rows, fields.now);
      const user = newUser({ ...fields, is_superuser: true, is_verified: false });
      addUser(rows, user);
      return { value: toPublicUser(user) };
    },
  },
};

/** Nothing is set up from here on. Also called before a superuser goes, in a folder that was never asked. */
export function closeSetup(rows: DirectoryRows, now: string): void {
  if (setupOf(rows).kind === 'open') rows.write({ op: 'setup.put', setup: { kind: 'done', at: now } });
}

function stateOf(rows: DirectoryRows): Setup['kind'] {
  return rows.hasSuperuser() ? 'done' : setupOf(rows).kind;
}

function setupOf(rows: DirectoryRows): Setup {
  const row = rows.get('setup', { id: SETUP_ROW });
  if (row === null) return NOT_SET_UP;
  return row.done_at === null ? { kind: 'open', token_hashes: row.token_hashes } : { kind: 'done', at: row.done_at };
}

/** A null hash: the instance answers for the caller. */
function requireToken(rows: DirectoryRows, hash: string | null): void {
  const setup = setupOf(rows);
  if (setup.kind === 'done' || rows.hasSuperuser()) throw alreadySetUp();
  if (hash !== null && !setup.token_hashes.some((known) => isEqual(known, hash))) throw wrongSetupToken();
}

function isEqual(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
