import { join } from 'node:path';
import Database from 'better-sqlite3';
import t from 'tap';
import {
  DIRECTORY_EFFECTS,
  type DirectoryCommand,
  type DirectoryCommands,
  type DirectoryOperation,
} from '../../src/domain/commands/directoryCommands.js';
import { IdSource } from '../../src/domain/ids.js';
import { openDirectory } from '../../src/store/directory/directory.js';

const NOW = '2030-01-01T00:00:00.000Z';
const ids = new IdSource();
const [ann, ben, board, newBoard] = [ids.fresh(), ids.fresh(), ids.fresh(), ids.fresh()];

const userNamed = (id: string, username: string): DirectoryCommands['user.create']['input'] => ({
  id,
  email: `${username}@example.org`,
  username,
  hashed_password: `hash of ${username}`,
  firstname: null,
  lastname: null,
  is_superuser: false,
  now: NOW,
});
const { hashed_password: _hash, now: _now, ...annsFields } = userNamed(ann, 'ann');
const profile = { ...annsFields, is_active: true, is_verified: false };

/** Ann is on a board, which has yet to learn her new name, and has granted a membership today. */
const BEFORE: readonly DirectoryCommand[] = [
  { op: 'user.create', input: userNamed(ann, 'ann') },
  { op: 'board.reserve', input: { user_id: ann, board_id: board, max: 2, now: NOW } },
  { op: 'membership.apply', input: { board_id: board, version: 1, members: [{ user_id: ann, profile }] } },
  { op: 'user.update', input: { id: ann, now: NOW, changes: { firstname: 'Ann' } } },
  { op: 'grant.reserve', input: { user_id: ann, wanted: 1, max: 5, now: NOW } },
];

/** Each leads to something there. The type makes sure that none is missing. */
const INPUTS: { readonly [Op in DirectoryOperation]: DirectoryCommands[Op]['input'] } = {
  'user.create': userNamed(ben, 'ben'),
  'user.get': { id: ann },
  'user.findForLogin': { login: 'ann' },
  'user.findByEmail': { emails: ['ann@example.org'] },
  'user.getWithHash': { id: ann },
  'user.search': { search: 'ann', limit: 5, offset: 0 },
  'user.update': { id: ann, now: NOW, changes: { firstname: 'Anna' } },
  'user.inactive': { ids: [ann, ben] },
  'user.missing': { ids: [ann, ben] },
  'membership.apply': { board_id: board, version: 2, members: 'none left' },
  'membership.list': { user_id: ann },
  // The last that she may have: it must not count against itself.
  'board.reserve': { user_id: ann, board_id: newBoard, max: 2, now: NOW },
  'board.release': { board_id: board },
  'grant.reserve': { user_id: ann, wanted: 1, max: 5, now: NOW },
  'grant.release': { user_id: ann, count: 1, now: NOW },
  'profile.pending': { after: 0, limit: 5 },
  'profile.isPending': { user_id: ann },
  'profile.delivered': { id: 1 },
  stats: {},
  'health.check': {},
};

/** Every row of every table. */
function contentOf(dataDir: string): string {
  const db = new Database(join(dataDir, 'directory.sqlite'), { readonly: true });
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all();
  const rows = tables.map((table) => [table, db.prepare(`SELECT * FROM "${table}"`).all()]);
  db.close();
  return JSON.stringify(rows);
}

for (const op of Object.keys(DIRECTORY_EFFECTS) as DirectoryOperation[]) {
  const effect = DIRECTORY_EFFECTS[op];
  t.test(`EFFECT2 ${op} is ${effect === 'idempotent' ? 'idempotent' : `a ${effect}`}, as declared`, async (t) => {
    const dataDir = t.testdir();
    const errors: unknown[] = [];
    const directory = openDirectory({ dataDir, durability: 'normal', onError: (error) => errors.push(error) });
    t.teardown(() => directory.close());
    t.ok(directory.run(BEFORE).every(({ ok }) => ok));
    const command = { op, input: INPUTS[op] } as DirectoryCommand;
    const run = (): unknown => directory.run([command])[0];
    const before = contentOf(dataDir);
    const first = run();
    t.match(first, { ok: true });
    const after = contentOf(dataDir);
    t.equal(before === after, effect === 'read', 'a read alone changes nothing');
    t.strictSame(errors, []);
    if (effect === 'write') return;
    t.strictSame(run(), first, 'the same answer');
    t.equal(contentOf(dataDir), after, 'and no other change');
  });
}
