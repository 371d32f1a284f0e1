/** The contract of the rows of the directory, for both implementations. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { DirectoryRows } from '../../../src/domain/directory/rows.js';
import type { DirectoryRowTypes, DirectoryWrite } from '../../../src/domain/directory/tables.js';
import { openDirectory } from '../../../src/store/directory/directory.js';
import { DirectoryTables } from '../../../src/store/directory/directoryTables.js';
import { DIRECTORY_FILE } from '../../../src/store/folder/dataFolder.js';
import { Journal } from '../../../src/store/transactions/transactions.js';
import { MemoryRows } from '../../support/store/memoryDirectory.js';
import { Sqlite } from '../../../src/store/sqlite/sqlite.js';

interface Opened {
  readonly rows: DirectoryRows;
  /** The names of the writes since the last call. */
  readonly noted: () => string[];
}

const OPEN: Readonly<Record<string, (t: Test) => Opened>> = {
  'in memory': () => {
    const rows = new MemoryRows();
    return { rows, noted: () => rows.noted.splice(0).map(({ op }) => op) };
  },
  'in a file': (t) => {
    const dataDir = t.testdir();
    openDirectory({ dataDir, durability: 'normal', onError: (error) => void t.error(error) }).close();
    const db = new Sqlite(join(dataDir, DIRECTORY_FILE));
    t.teardown(() => db.close());
    db.exec('BEGIN');
    const journal = new Journal<DirectoryWrite>();
    return { rows: new DirectoryTables(db, journal), noted: () => journal.take().map(({ op }) => op) };
  },
};

const spent = (hash: string, expires_at: string): DirectoryWrite & { op: 'token.put' } => ({ op: 'token.put', hash, expires_at });
const member = (user_id: string, board_id: string, position: number | null): DirectoryWrite & { op: 'membership.put' } => ({
  op: 'membership.put',
  membership: { user_id, board_id, version: 1, position },
});
const key: DirectoryRowTypes['api_key'] = {
  id: 'k',
  user_id: 'ann',
  token_hash: 'hash',
  name: 'nightly',
  prefix: 'swb_',
  scopes: ['read', 'write'],
  board_ids: null,
  created_at: '1',
  expires_at: null,
  last_used: null,
};
const user: DirectoryRowTypes['user'] = {
  id: 'ann',
  email: 'Ann@example.org',
  username: 'Ann',
  hashed_password: 'hash',
  firstname: null,
  lastname: null,
  is_active: true,
  is_verified: false,
  is_superuser: false,
  created_at: '1',
  updated_at: '1',
  revoked_at: null,
  email_key: 'ann@example.org',
  username_key: 'ann',
};

for (const [place, open] of Object.entries(OPEN)) {
  t.test(`rows ${place} are read by their values, and as they were written`, async (t) => {
    const { rows } = open(t);
    const { email_key, username_key, ...fields } = user;
    rows.write({ op: 'user.insert', user: fields, email_key, username_key });
    rows.write({ op: 'key.put', key });
    t.strictSame(rows.get('user', { email_key: 'ann@example.org' }), user, 'flags');
    t.strictSame(rows.get('user', { id: 'ann', is_active: true, revoked_at: null }), user, 'several values, one of them null');
    t.equal(rows.get('user', { is_active: false }), null);
    t.equal(rows.get('user', { id: 'ben' }), null);
    t.strictSame(rows.get('api_key', { id: 'k' }), key, 'lists, and null for none');
    rows.write({ op: 'key.put', key: { ...key, board_ids: [] } });
    t.strictSame(rows.get('api_key', { expires_at: null })?.board_ids, []);
    t.throws(() => rows.write({ op: 'user.insert', user: fields, email_key: 'other', username_key: 'other' }), 'a user is never replaced');
    const { is_active: _active, ...others } = fields;
    rows.write({ op: 'user.update', user: { ...others, is_active: false, email: 'new@example.org' } });
    t.strictSame(rows.get('user', { id: 'ann' }), { ...user, is_active: false }, 'an update leaves the names');
    const { revoked_at: _revoked, ...older } = fields;
    rows.write({ op: 'user.update', user: { ...older, later_field: 1 } as never });
    t.strictSame(rows.get('user', { id: 'ann' }), user, 'of an older or a newer program');
  });

  t.test(`rows ${place} are listed in order, within bounds, in pages`, async (t) => {
    const { rows } = open(t);
    for (const write of [spent('c', '2'), spent('a', '2'), spent('b', '1'), spent('d', '3')]) rows.write(write);
    const hashes = (page: Parameters<typeof rows.list<'spent_token'>>[2], where = {}): string => {
      return rows
        .list('spent_token', where, page)
        .map(({ hash }) => hash)
        .join('');
    };
    const order = ['expires_at', 'hash'] as const;
    t.equal(hashes({ order }), 'bacd');
    t.equal(hashes({ order, isFalling: true }), 'dacb', 'the first column falls, the others do not');
    t.equal(hashes({ order, upTo: '2' }), 'bac', 'up to a value, with it');
    t.equal(hashes({ order, upTo: '2', limit: 2 }), 'ba');
    t.equal(hashes({ order, limit: 2, offset: 1 }), 'ac');
    t.equal(hashes({ order }, { expires_at: '2' }), 'ac');
    t.equal(rows.count('spent_token', {}), 4);
    t.equal(rows.count('spent_token', { expires_at: '2' }), 2);
    for (const write of [member('ann', 'x', 2), member('ann', 'y', null), member('ann', 'z', 1)]) rows.write(write);
    const boards = (page: object): string[] => {
      return rows.list('membership', { user_id: 'ann' }, { order: ['position'], ...page }).map(({ board_id }) => board_id);
    };
    t.strictSame(boards({}), ['y', 'z', 'x'], 'null comes first');
    t.strictSame(boards({ isFalling: true }), ['x', 'z', 'y']);
    t.strictSame(boards({ after: 0 }), ['z', 'x'], 'and is after nothing');
    t.strictSame(boards({ after: 1 }), ['x']);
  });

  t.test(`a write to rows ${place} is noted if it changed one`, async (t) => {
    const { rows, noted } = open(t);
    const reserve = { op: 'created.add', board_id: 'x', user_id: 'ann', at: '1' } as const;
    for (const at of ['1', '2']) rows.write({ ...reserve, at });
    t.strictSame(noted(), ['created.add'], 'the second is there already');
    t.equal(rows.get('created_board', { board_id: 'x' })?.reserved_at, '1');
    for (const write of [member('ann', 'x', 1), member('ben', 'x', 1), member('ann', 'y', 2)]) rows.write(write);
    for (let times = 0; times < 2; times += 1) rows.write({ op: 'board.delete', board_id: 'x' });
    t.strictSame(noted(), ['membership.put', 'membership.put', 'membership.put', 'board.delete']);
    t.strictSame(rows.list('membership', {}, { order: ['board_id'] }).length, 1, 'all members of the board are gone');
    rows.write({ op: 'session.remove', ids: ['none'] });
    rows.write({ op: 'session.seen', ids: ['none'], at: '1' });
    t.strictSame(noted(), []);
    rows.write({ op: 'pending.add', id: 1, user_id: 'ann' });
    rows.write({ op: 'pending.add', id: 2, user_id: 'ann' });
    t.strictSame(rows.list('pending_profile', {}, { order: ['id'] }), [{ id: 2, user_id: 'ann' }], 'a user has one entry');
    rows.write({ op: 'pending.remove', id: 2 });
    t.equal(rows.latestPendingId(), 2, 'whose id is never used again');
  });
}
