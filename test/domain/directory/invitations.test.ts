import type { Test } from 'tap';
import { onBoth, type OpenDirectory } from '../../support/store/directories.js';
import type { DirectoryCommand, DirectoryCommands } from '../../../src/domain/commands/directoryCommands.js';
import { IdSource } from '../../../src/domain/ids.js';

const ids = new IdSource();
const NOW = '2030-01-01T00:00:00.000Z';
const root: DirectoryCommands['user.create']['input'] = {
  id: ids.fresh(),
  email: 'root@example.org',
  username: 'root',
  hashed_password: 'hash',
  firstname: null,
  lastname: null,
  is_superuser: true,
  now: NOW,
};
const link = (token_hash: string, expires_at: string): DirectoryCommands['invitation.create']['input'] => ({
  id: ids.fresh(),
  token_hash,
  created_by: root.id,
  created_at: NOW,
  expires_at,
  max_uses: 1,
  uses: 0,
  board_id: null,
  role: null,
});

function setUp(t: Test, open: OpenDirectory) {
  const directory = open(t);
  const run = (command: DirectoryCommand): unknown => directory.runNow([command])[0];
  run({ op: 'user.create', input: root });
  return { directory, run };
}

onBoth('REG6 an invitation is valid until it expires; expired ones make room, and a user has at most 200', async (t, open) => {
  const { run } = setUp(t, open);
  run({ op: 'invitation.create', input: link('short', '2030-01-01T01:00:00.000Z') });
  const find = (now: string): unknown => run({ op: 'invitation.find', input: { token_hash: 'short', now } });
  t.match(find('2030-01-01T00:59:59.999Z'), { ok: true, value: { token_hash: 'short' } });
  t.match(find('2030-01-01T01:00:00.000Z'), { ok: true, value: null });
  t.match(run({ op: 'invitation.use', input: { token_hash: 'short', now: '2030-01-01T01:00:00.000Z' } }), {
    ok: false,
    error: { code: 'forbidden' },
  });
  for (let n = 1; n < 200; n += 1) t.match(run({ op: 'invitation.create', input: link(`link ${n}`, '2031-01-01T00:00:00.000Z') }), { ok: true });
  const one = link('one more', '2031-01-01T00:00:00.000Z');
  t.match(run({ op: 'invitation.create', input: one }), { ok: false, error: { code: 'limit' } });
  const later = { ...one, created_at: '2030-01-02T00:00:00.000Z' };
  t.match(run({ op: 'invitation.create', input: later }), { ok: true }, 'the short one has expired');
});

onBoth('TOTP11 while a program without invitations must be able to read the commits, none is made, used or revoked', async (t, open) => {
  const { directory, run } = setUp(t, open);
  const made = link('old', '2031-01-01T00:00:00.000Z');
  run({ op: 'invitation.create', input: made });
  const { number } = directory;
  directory.writeFor(10);
  const refused = { ok: false, error: { code: 'unavailable' } };
  t.match(run({ op: 'invitation.create', input: link('new', '2031-01-01T00:00:00.000Z') }), refused);
  t.match(run({ op: 'invitation.use', input: { token_hash: 'old', now: NOW } }), refused);
  t.match(run({ op: 'invitation.remove', input: { id: made.id, created_by: null } }), refused);
  t.equal(directory.number, number, 'nothing was written');
  directory.writeFor(11);
  t.match(run({ op: 'invitation.use', input: { token_hash: 'old', now: NOW } }), { ok: true });
});

onBoth('REG10 a use is counted once for a user, who keeps it until they leave the board', async (t, open) => {
  const { run } = setUp(t, open);
  const board_id = ids.fresh();
  const [ann, ben] = ['ann', 'ben'].map((name) => ({ ...root, id: ids.fresh(), email: `${name}@example.org`, username: name, is_superuser: false }));
  if (ann === undefined || ben === undefined) throw new Error('there are two');
  for (const input of [ann, ben]) run({ op: 'user.create', input });
  const once = { ...link('once', '2031-01-01T00:00:00.000Z'), board_id, role: 'member' as const };
  run({ op: 'invitation.create', input: once });
  const use = (user_id: string): unknown => run({ op: 'invitation.use', input: { token_hash: 'once', now: NOW, user_id } });
  const find = (user_id?: string): unknown =>
    run({ op: 'invitation.find', input: { token_hash: 'once', now: NOW, ...(user_id === undefined ? {} : { user_id }) } });
  const change = (user: typeof ann, version: number, isMember: boolean): unknown => {
    const profile = { ...user, is_active: true, is_verified: false };
    return run({ op: 'membership.apply', input: { board_id, version, members: [{ user_id: user.id, profile: isMember ? profile : null }] } });
  };
  const forbidden = { ok: false, error: { code: 'forbidden' } };
  change(ann, 1, true);
  change(ann, 2, false);
  t.match(use(ann.id), { ok: true, value: true }, 'also by a user who left before');
  t.match(use(ann.id), { ok: true, value: false }, 'not counted again');
  t.match(find(ann.id), { value: { uses: 1 } }, 'it is reserved');
  t.match([find(), find(ben.id)], [{ value: null }, { value: null }], 'and used up for others');
  t.match(use(ben.id), forbidden);
  change(ann, 3, true);
  t.match(use(ann.id), { ok: true, value: false });
  change(ann, 4, false);
  t.match([find(ann.id), use(ann.id)], [{ value: null }, forbidden], 'it does not bring back who was removed');
  const many = { ...link('many', '2031-01-01T00:00:00.000Z'), board_id, role: 'member' as const, max_uses: 5 };
  run({ op: 'invitation.create', input: many });
  const cat = { ...ann, id: ids.fresh(), email: 'cat@example.org', username: 'cat', invitation: 'many' };
  t.match(run({ op: 'user.create', input: cat }), { ok: true });
  t.match(
    run({ op: 'invitation.use', input: { token_hash: 'many', now: NOW, user_id: cat.id } }),
    { value: false },
    'a registration counts as the use',
  );
  t.match(run({ op: 'invitation.list', input: { created_by: root.id, limit: 9, offset: 0 } }), { value: [{ uses: 1 }, { uses: 1 }] });
});
