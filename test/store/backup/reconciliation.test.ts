import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import t from 'tap';
import { backUp } from '../../../src/store/backup/backup.js';
import { restore } from '../../../src/store/backup/backupRestore.js';
import { MOVE_KEY } from '../../../src/domain/board/moves/movesOnDisk.js';
import { boardKeyOf, IdSource, shardOf } from '../../../src/domain/ids.js';
import { closeAll, differencesOfMoves, takeCut } from '../../../src/store/backup/consistentCut.js';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { listDataFiles } from '../../../src/store/folder/dataFolder.js';
import { Api } from '../../support/http/api.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
import type { BoardJson } from '../../support/board/boardSnapshot.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { copyDatabase, query, sql } from '../../support/store/sqlFile.js';
import { logIn, newUser, type TestUser } from '../../support/http/users.js';
import { until } from '../../support/until.js';

const SETTINGS = { SHARDS: '1', DURABILITY: 'normal' } as const;

t.test('BACKUP1 a directory that is ahead of the boards in a backup is reconciled with them', async (t) => {
  const before = await startTestApp(t, SETTINGS);
  const [ann, bob] = [await newUser(before.api), await newUser(before.api)];
  const plans = await newBoard(before, ann, 'Plans');
  const doomed = await newBoard(before, ann, 'To be deleted');
  const shared = await newBoard(before, ann, 'Shared');
  await send(before, ann, `POST /boards/${shared}/invite`, { user_id: bob.id });
  const [trashed, restored] = [await newBoard(before, ann, 'In the trash'), await newBoard(before, ann, 'Restored late')];
  for (const board of [trashed, restored]) await send(before, ann, `DELETE /boards/${board}`);

  // The state a backup finds if everything below happens between its copies of the shard and of the directory.
  const skewed = await temporaryFolder(t);
  await membershipsDelivered(before.config.dataDir);
  copyDatabase(join(before.config.dataDir, 'shard-00.sqlite'), join(skewed, 'shard-00.sqlite'));
  const late = await newBoard(before, ann, 'Created late');
  await send(before, ann, `DELETE /boards/${doomed}`);
  await send(before, ann, `POST /boards/${restored}/restore`);
  await send(before, ann, `DELETE /boards/${shared}/members/${bob.id}`);
  await send(before, ann, `POST /boards/${plans}/invite`, { user_id: bob.id });
  await send(before, ann, 'PATCH /auth/me', { firstname: 'Renamed' });
  await profilesDelivered(before.config.dataDir);
  copyDatabase(join(before.config.dataDir, 'directory.sqlite'), join(skewed, 'directory.sqlite'));
  await before.close();

  const { problems } = await checkFolder(skewed);
  for (const expected of [
    new RegExp(`has board ${doomed} of .* as deleted`),
    new RegExp(`${bob.id} is a member of board ${shared} .* but not in the directory`),
    new RegExp(`takes ${bob.id} for a member of board ${plans}`),
    new RegExp(`lists the board ${late}, which does not exist`),
    new RegExp(`a change of ${bob.id} on board ${shared} .* from the future`),
    new RegExp(`board ${plans} of .* has an outdated profile of ${ann.id}`),
  ]) {
    t.ok(
      problems.some((problem) => expected.test(problem)),
      String(expected),
    );
  }

  const [target, dataDir] = [join(await temporaryFolder(t), 'backup'), join(await temporaryFolder(t), 'data')];
  await backUp({ dataDir: skewed, target, program: 'test' });
  t.strictSame((await checkFolder(target)).problems, []);
  await restore({ source: target, dataDir });
  const after = await startTestApp(t, { ...SETTINGS, DATA_DIR: dataDir });

  t.strictSame(await boardsOf(after.api, ann), [plans, doomed, shared], 'the boards of the backup, in their old order');
  t.strictSame(await boardsOf(after.api, bob), [shared]);
  const { boards } = await send<{ boards: { id: string }[] }>(after, ann, 'GET /me/trash');
  t.strictSame(boards.map(({ id }) => id).sort(), [trashed, restored].sort(), 'the trash of the backup');
  t.match(await send(after, ann, `POST /boards/${restored}/restore`), { title: 'Restored late' });
  await send(after, ann, `DELETE /boards/${restored}`);
  await profilesDelivered(dataDir);
  const { members } = await send<BoardJson>(after, ann, `GET /boards/${plans}`);
  t.match(members, [{ user: { firstname: 'Renamed' } }], 'the board has the new name');
  await send(after, ann, `POST /boards/${plans}/invite`, { user_id: bob.id });
  await send(after, ann, `DELETE /boards/${shared}/members/${bob.id}`);
  t.strictSame(await boardsOf(after.api, bob), [plans], 'a later change does not count as an old one');
  await send(after, ann, `DELETE /boards/${doomed}`);
  t.strictSame(await boardsOf(after.api, ann), [plans, shared]);
  await after.close();
  t.strictSame((await checkFolder(dataDir)).problems, []);
});

t.test('BACKUP1 files between which a card moved are not copied, or the backup says so', async (t) => {
  const app = await startTestApp(t, { SHARDS: '2', DURABILITY: 'normal' });
  const { dataDir } = app.config;
  const ann = await newUser(app.api);
  const [from, to] = [await boardIn(app, ann, 0), await boardIn(app, ann, 1)];
  const { id: card } = await send<{ id: string }>(app, ann, `POST /boards/${from.id}/columns/${from.column}/cards`, { title: 'Moving' });
  const files = await listDataFiles(dataDir);
  const copy = async (names: readonly string[], folder?: string): Promise<string> => {
    const target = folder ?? (await temporaryFolder(t));
    for (const name of names) copyDatabase(join(dataDir, name), join(target, name));
    return target;
  };
  const [early, late] = ['shard-00.sqlite', 'shard-01.sqlite'];
  const twice = await copy([early]);
  const none = await copy([late]);
  const { id } = await send<{ id: string }>(app, ann, `POST /cards/${card}/move`, { board_id: to.id, column_id: to.column });
  const gone = () => query(join(dataDir, early), `SELECT 1 FROM moved WHERE state = 'gone'`);
  await until(() => gone().length === 1);
  await copy([late, 'directory.sqlite'], twice);
  await copy([early, 'directory.sqlite'], none);
  const notesOf = async (folder: string): Promise<readonly string[]> => {
    const notes: string[] = [];
    const target = join(await temporaryFolder(t), 'backup');
    await backUp({ dataDir: folder, target, program: 'test', onNote: (note) => notes.push(note) });
    return notes;
  };
  t.match(await notesOf(twice), [new RegExp(`^Card ${id} came from another board`)]);
  t.match(await notesOf(none), [new RegExp(`^Card ${id} left for the board ${to.id}`)]);
  t.strictSame(await notesOf(dataDir), []);

  // A file that is behind catches up.
  let isThere = false;
  const cut = takeCut(none, files, []).finally(() => t.ok(isThere, 'not before'));
  await setImmediate();
  isThere = true;
  sql(join(none, late), `INSERT INTO used_id (board_key, id, seq) SELECT board_key, '${id}', seq FROM board`);
  closeAll(await cut);

  // The file that has the row of the move may be of a board that is gone for good.
  const spent = await copy([late, 'directory.sqlite']);
  await copy([early], spent);
  sql(join(spent, early), 'DELETE FROM moved', `DELETE FROM board WHERE id = '${from.id}'`);
  const pinned = await takeCut(spent, files, [], 0);
  t.strictSame(differencesOfMoves(pinned.slice(0, 2).map(({ db }) => db)), [], 'which is no difference');
  closeAll(pinned);

  // A user cannot forge a note with a key.
  const headers = { 'idempotency-key': `${MOVE_KEY}${id}` };
  await app.api.request('PATCH', `/boards/${to.id}`, { token: ann.token, json: { title: 'Renamed' }, headers });
  t.strictSame(await notesOf(dataDir), []);
});

t.test('DEL3 the deletion of a user reaches boards of a restored backup that only name the user', async (t) => {
  const app = await startTestApp(t, SETTINGS);
  const { dataDir } = app.config;
  const [ann, bob] = [await newUser(app.api), await newUser(app.api)];
  const boards = [await boardIn(app, ann, 0, 1), await boardIn(app, ann, 0, 1)];
  const cards: string[] = [];
  for (const { id, column } of boards) {
    await send(app, ann, `POST /boards/${id}/invite`, { user_id: bob.id });
    const { id: card } = await send<{ id: string }>(app, ann, `POST /boards/${id}/columns/${column}/cards`, { title: 'Work' });
    await send(app, bob, `POST /cards/${card}/comments`, { body: 'Mine' });
    cards.push(card);
  }
  for (const { id } of boards) await send(app, ann, `DELETE /boards/${id}/members/${bob.id}`);
  await membershipsDelivered(dataDir);
  await app.close();
  // As on a folder whose directory was restored from before the second board had a member.
  sql(join(dataDir, 'directory.sqlite'), `DELETE FROM membership WHERE user_id = '${bob.id}' AND board_id = '${boards[1]?.id}'`);
  const [target, restored] = [join(await temporaryFolder(t), 'backup'), join(await temporaryFolder(t), 'data')];
  await backUp({ dataDir, target, program: 'test' });
  t.strictSame((await checkFolder(target)).problems, []);
  t.strictSame(
    query(join(target, 'directory.sqlite'), `SELECT board_id, position FROM membership WHERE user_id = '${bob.id}' ORDER BY board_id`),
    boards
      .map(({ id }) => id)
      .sort()
      .map((board_id) => ({ board_id, position: null })),
  );
  await restore({ source: target, dataDir: restored });
  const after = await startTestApp(t, { ...SETTINGS, DATA_DIR: restored });
  t.strictSame(await boardsOf(after.api, bob), []);
});

t.test('BACKUP1 a card that was on its way to another board arrives there after the restoration', async (t) => {
  const app = await startTestApp(t, { SHARDS: '2', DURABILITY: 'normal' });
  const { dataDir } = app.config;
  const ann = await newUser(app.api);
  const [from, to] = [await boardIn(app, ann, 0), await boardIn(app, ann, 1)];
  const { id: card } = await send<{ id: string }>(app, ann, `POST /boards/${from.id}/columns/${from.column}/cards`, { title: 'Moving' });
  await app.close();
  const new_id = new IdSource().onBoard(boardKeyOf(to.id));
  sql(
    join(dataDir, 'shard-00.sqlite'),
    `INSERT INTO moved (board_key, id, state, new_id, target_board_id, column_id, moved_by, created_at, updated_at)
     SELECT board_key, id, 'leaving', '${new_id}', '${to.id}', '${to.column}', '${ann.id}', created_at, updated_at FROM card`,
    `INSERT INTO outbox (board_key, payload)
     SELECT board_key, json_object('kind', 'cardMove', 'target', '${to.id}', 'card_id', id) FROM card`,
  );

  const [target, restored] = [join(await temporaryFolder(t), 'backup'), join(await temporaryFolder(t), 'data')];
  await backUp({ dataDir, target, program: 'test' });
  t.strictSame((await checkFolder(target)).problems, []);
  await restore({ source: target, dataDir: restored });
  const after = await startTestApp(t, { SHARDS: '2', DURABILITY: 'normal', DATA_DIR: restored });
  const token = await logIn(after.api, ann.email, ann.password);
  const found = await until(async () => {
    const { status, body } = await after.api.request<{ title: string }>('GET', `/cards/${new_id}`, { token });
    return status === 200 ? body : null;
  });
  t.match(found, { title: 'Moving' });
  await until(async () => (await after.api.request('GET', `/cards/${card}`, { token })).status === 308);
});

async function boardIn(app: TestApp, as: TestUser, shard: number, shards = 2): Promise<{ readonly id: string; readonly column: string }> {
  for (;;) {
    const id = await newBoard(app, as, `In shard ${shard}`);
    if (shardOf(boardKeyOf(id), shards) !== shard) continue;
    return { id, column: (await send<{ id: string }>(app, as, `POST /boards/${id}/columns`, { title: 'To do' })).id };
  }
}

async function newBoard(app: TestApp, as: TestUser, title: string): Promise<string> {
  return (await send<BoardJson>(app, as, 'POST /boards', { title })).id;
}

async function send<Body>({ api }: TestApp, { token }: TestUser, request: string, json?: object): Promise<Body> {
  const [method = '', path = ''] = request.split(' ');
  const { status, body } = await api.request<Body>(method, path, { token, json });
  if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

async function boardsOf(api: Api, { email, password }: TestUser): Promise<string[]> {
  const token = await logIn(api, email, password);
  return (await api.request<{ id: string }[]>('GET', '/boards', { token })).body.map(({ id }) => id);
}

/** Until the outbox is empty, the check excuses differences. */
async function membershipsDelivered(dataDir: string): Promise<void> {
  const outbox = () => query(join(dataDir, 'shard-00.sqlite'), 'SELECT * FROM outbox');
  await until(() => outbox().length === 0, outbox);
}

async function profilesDelivered(dataDir: string): Promise<void> {
  const pending = () => query(join(dataDir, 'directory.sqlite'), 'SELECT * FROM pending_profile');
  await until(() => pending().length === 0, pending);
}
