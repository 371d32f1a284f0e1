import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { DirectoryCommand, DirectoryCommands, DirectoryOperation } from '../../../src/domain/commands/directoryCommands.js';
import { IdSource, type Uuid } from '../../../src/domain/ids.js';
import { deletedUser, type PublicUser } from '../../../src/domain/account/user.js';
import { DIRECTORY_TABLES } from '../../../src/domain/directory/tables.js';
import type { DirectoryOutcome } from '../../support/store/memoryDirectory.js';
import { onBoth, openInFile, type OpenDirectory } from '../../support/store/directories.js';

const ids = new IdSource();
const NOW = '2030-01-01T00:00:00.000Z';
const LATER = '2030-01-01T00:01:00.000Z';

function setUp(t: Test, open: OpenDirectory) {
  const dataDir = t.testdir();
  const directory = open(t, { dataDir });
  const run = <Op extends DirectoryOperation>(op: Op, input: DirectoryCommands[Op]['input']): DirectoryOutcome => {
    const [outcome] = directory.runNow([{ op, input } as unknown as DirectoryCommand]);
    if (outcome === undefined) throw new Error('no outcome');
    return outcome;
  };
  const newUser = (username: string): Uuid => {
    const id = ids.fresh();
    const names = { email: `${username}@example.org`, username, firstname: `First ${username}`, lastname: null };
    const outcome = run('user.create', { id, ...names, hashed_password: `hash of ${username}`, is_superuser: false, now: NOW });
    if (!outcome.ok) throw new Error(outcome.error.detail);
    return id;
  };
  const joins = (user: Uuid, board_id = ids.fresh(), version = 1): Uuid => {
    const found = run('user.get', { id: user });
    const profile = ((found.ok && found.value) || { ...deletedUser(user), email: 'old@example.org' }) as PublicUser;
    run('membership.apply', { board_id, version, members: [{ user_id: user, profile }] });
    return board_id;
  };
  return { dataDir, directory, run, newUser, joins };
}

onBoth('DEL1 a deleted user is found by nothing, and their sessions end in the same commit', async (t, open) => {
  const { run, newUser, directory } = setUp(t, open);
  const [ann, ben] = [newUser('ann'), newUser('ben')];
  const session = { id: ids.fresh(), user_id: ann, device: '', address: '', expires_at: '2031-01-01T00:00:00.000Z' };
  run('session.create', { ...session, revoked_at: null, now: NOW });
  const { number } = directory;
  t.match(run('user.delete', { id: ann, heir_id: null, now: LATER }), {
    ok: true,
    changed: { id: ann, is_active: false },
    sessions: { kind: 'ended', user_id: ann, ids: [session.id] },
  });
  t.equal(directory.number, number + 1);
  const nothing = { ok: true, value: null };
  t.match(run('user.get', { id: ann }), nothing);
  t.match(run('user.getWithHash', { id: ann }), nothing);
  t.match(run('user.findForLogin', { login: 'ann@example.org' }), nothing);
  t.match(run('user.findByEmail', { emails: ['ann@example.org'] }), { value: [null] });
  t.strictSame(run('user.search', { search: null, limit: 9, offset: 0 }), {
    ok: true,
    value: [(run('user.get', { id: ben }) as { value: unknown }).value],
  });
  t.match(run('session.list', { user_id: ann, now: NOW }), { value: [] });
  t.match(run('session.refresh', { id: session.id, generation: 1, now: LATER }), nothing);
  t.match(run('user.inactive', { ids: [ann, ben] }), { value: [ann] });
  t.match(run('stats', {}), { value: { users: 1 } });
  t.match(run('user.update', { id: ann, now: LATER, changes: { is_active: true } }), { error: { code: 'not_found' } });
});

onBoth('DEL2 the boards can only go to an active user who is somebody else', async (t, open) => {
  const { run, newUser } = setUp(t, open);
  const [ann, ben] = [newUser('ann'), newUser('ben')];
  run('user.update', { id: ben, now: NOW, changes: { is_active: false } });
  for (const heir_id of [ann, ben, ids.fresh()]) {
    t.match(run('user.delete', { id: ann, heir_id, now: LATER }), { ok: false, error: { code: 'conflict' } });
  }
  t.match(run('user.delete', { id: ids.fresh(), heir_id: null, now: LATER }), { error: { code: 'not_found' } });
  t.match(run('user.get', { id: ann }), { value: { id: ann } }, 'nothing was done');
});

onBoth('DEL1 the deletion is found by the names of the user until every board was visited', async (t, open) => {
  const { run, newUser, joins } = setUp(t, open);
  const [ann, ben] = [newUser('ann'), newUser('ben')];
  const board = joins(ann);
  const left = joins(ann);
  run('membership.apply', { board_id: left, version: 2, members: [{ user_id: ann, profile: null }] });
  const deleted = run('user.delete', { id: ann, heir_id: ben, now: LATER });
  t.match(deleted, { added: [{ user: deletedUser(ann) }] });
  const pending = { value: { id: ann, heir: { id: ben }, isPending: true, board_ids: [board, left].sort() } };
  for (const login of ['ann', 'ANN@example.org']) t.match(run('user.deletion', { user: login, by: 'login' }), pending);
  t.match(run('user.delete', { id: ann, heir_id: null, now: LATER }), { ok: true }, 'it may be repeated');
  t.match(run('user.deletion', { user: ann, by: 'id' }), pending, 'and keeps its heir');
  const again = run('outbox.push', { after: 0 });
  const entry = again.ok ? again.undelivered?.rows[0] : undefined;
  t.match(entry, { user: deletedUser(ann) });
  run('outbox.delivered', { id: entry?.id ?? 0 });
  t.match(run('user.deletion', { user: 'ann', by: 'login' }), { value: null });
  t.match(run('user.deletion', { user: ann, by: 'id' }), { value: { isPending: false } });
});

onBoth('DEL3 a board that adds a deleted user late is visited again', async (t, open) => {
  const { run, newUser, joins } = setUp(t, open);
  const ann = newUser('ann');
  run('user.delete', { id: ann, heir_id: null, now: LATER });
  t.match(run('user.deletion', { user: ann, by: 'id' }), { value: { isPending: false } });
  const board = joins(ann);
  t.match(run('user.deletion', { user: ann, by: 'id' }), { value: { isPending: true, board_ids: [board] } });
});

onBoth('DEL1 the invitations of a deleted user are revoked, and they make no more', async (t, open) => {
  const { run, newUser } = setUp(t, open);
  const ann = newUser('ann');
  const invitation = {
    id: ids.fresh(),
    token_hash: 'a hash',
    created_by: ann,
    created_at: NOW,
    expires_at: '2031-01-01T00:00:00.000Z',
    max_uses: 5,
    uses: 0,
    board_id: ids.fresh(),
    role: 'member',
  } as const;
  run('invitation.create', invitation);
  t.match(run('invitation.find', { token_hash: 'a hash', now: NOW }), { value: { id: invitation.id } });
  run('user.delete', { id: ann, heir_id: null, now: LATER });
  t.match(run('invitation.list', { created_by: null, limit: 9, offset: 0 }), { value: [] });
  t.match(run('invitation.find', { token_hash: 'a hash', now: NOW }), { value: null });
  t.match(run('invitation.create', { ...invitation, id: ids.fresh() }), { error: { code: 'not_found' } });
});

t.test('DEL1 no name, address or hash of a deleted user stays in the file of the directory', async (t) => {
  const { dataDir, directory, run, newUser, joins } = setUp(t, openInFile);
  const ann = newUser('ann-of-the-test');
  newUser('somebody');
  joins(ann);
  const request = { scope: 'a fingerprint', key: 'k', fingerprint: 'a fingerprint', now: NOW };
  run('once', { ...request, command: { op: 'user.update', input: { id: ann, now: NOW, changes: { lastname: 'ann-of-the-test too' } } } });
  const entry = {
    at: NOW,
    kind: 'login',
    subject_id: null,
    subject: null,
    address: 'ann-of-the-test.example',
    device: 'ann-of-the-test',
    details: {},
  } as const;
  const byAnn = { ...entry, id: ids.fresh(), user_id: ann, username: 'ann-of-the-test' };
  const aboutAnn = {
    ...entry,
    id: ids.fresh(),
    user_id: null,
    username: null,
    subject_id: ann,
    subject: 'ann-of-the-test',
    address: null,
    device: null,
  };
  run('audit.add', { entries: [byAnn, aboutAnn] });
  t.match(filesWith(dataDir, 'ann-of-the-test').length > 0, true, 'the text is found before');
  const deleted = run('user.delete', { id: ann, heir_id: null, now: LATER });
  run('audit.add', {
    entries: [
      { ...byAnn, id: ids.fresh() },
      { ...aboutAnn, id: ids.fresh() },
    ],
  });
  t.match(run('once.find', request), { value: null }, 'no kept answer shows the user');
  run('outbox.delivered', { id: deleted.ok ? (deleted.added?.[0]?.id ?? 0) : 0 });
  directory.close();
  t.strictSame(filesWith(dataDir, 'ann-of-the-test'), []);
});

function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
}

onBoth('TOTP11 while a program without deletions must be able to read the commits, nobody is deleted', async (t, open) => {
  const { directory, run, newUser } = setUp(t, open);
  const ann = newUser('ann');
  const { number } = directory;
  directory.writeFor(DIRECTORY_TABLES.deleted_user.since - 1);
  t.match(run('user.delete', { id: ann, heir_id: null, now: LATER }), { ok: false, error: { code: 'unavailable' } });
  t.equal(directory.number, number);
  directory.writeFor(DIRECTORY_TABLES.deleted_user.since);
  t.match(run('user.delete', { id: ann, heir_id: null, now: LATER }), { ok: true });
});

onBoth('DEL4 nobody can register with the name or the address that deleted users are shown with', async (t, open) => {
  const { run } = setUp(t, open);
  const { email, username } = deletedUser(ids.fresh());
  const rest = { hashed_password: 'hash', firstname: null, lastname: null, is_superuser: false, now: NOW };
  for (const names of [
    { email, username: 'x' },
    { email: 'x@example.org', username: username.toUpperCase() },
  ]) {
    t.match(run('user.create', { id: ids.fresh(), ...names, ...rest }), { ok: false, error: { code: 'conflict' } });
  }
});
