import { join } from 'node:path';
import t, { type Test } from 'tap';
import { backUp } from '../../src/store/backup/backup.js';
import { restore } from '../../src/store/backup/backupRestore.js';
import { DIRECTORY_FILE, listDataFiles } from '../../src/store/folder/dataFolder.js';
import { checkCopy, follow, newPerson, shareBoard, until } from '../client/people.js';
import { startRelay } from '../client/relay.js';
import { Api } from '../support/http/api.js';
import { newUser } from '../support/http/users.js';
import { TestSocket } from '../support/realtime/socket.js';
import { startTestApp } from '../support/service/app.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { query } from '../support/store/sqlFile.js';

const ETAG = /^"([0-9a-z]{1,8})-(\d+)"$/;

async function restored(t: Test, source: string): Promise<string> {
  const dataDir = join(await temporaryFolder(t), 'restored');
  await restore({ source, dataDir });
  return dataDir;
}

/** A backup of a board at event 2, whose original went on to event 4. */
async function abandonedHistory(t: Test) {
  const dataDir = await temporaryFolder(t);
  const app = await startTestApp(t, { DATA_DIR: dataDir });
  const api = await Api.connect(app.url);
  const user = await newUser(api);
  const send = async (method: string, path: string, json: object): Promise<string> =>
    (await api.request<{ id: string }>(method, path, { token: user.token, json })).body.id;
  const board = await send('POST', '/boards', { title: 'Before' });
  for (const title of ['one', 'two']) await send('PATCH', `/boards/${board}`, { title });
  const backup = join(await temporaryFolder(t), 'backup');
  await backUp({ dataDir, target: backup, program: 'test' });
  for (const title of ['three', 'four']) await send('PATCH', `/boards/${board}`, { title });
  await app.close();
  return { backup, user, board };
}

t.test('EPOCH1 after a restore a number from before is not valid, however many events follow', async (t) => {
  const { backup, user, board } = await abandonedHistory(t);
  const { url } = await startTestApp(t, { DATA_DIR: await restored(t, backup) });
  const api = await Api.connect(url);
  const { token } = user;
  const get = (headers: Record<string, string> = {}) => api.request('GET', `/boards/${board}`, { token, headers });
  const page = async (since: string) => (await api.request<{ events: object[] }>('GET', `/boards/${board}/events?since=${since}`, { token })).body;

  for (const title of ['another three', 'another four', 'another five']) {
    await api.request('PATCH', `/boards/${board}`, { token, json: { title } });
  }
  t.equal((await get({ 'if-none-match': '"5"' })).status, 200, 'a bare number is of the first epoch');
  const tag = (await get()).headers.get('etag') ?? '';
  const [, epoch = '', seq] = ETAG.exec(tag) ?? [];
  t.equal(seq, '5', `${tag} has the number`);
  t.equal((await get({ 'if-none-match': `"4", ${tag}` })).status, 304);
  t.equal((await get({ 'if-none-match': `"other-5"` })).status, 200);

  t.match(await page('4'), { events: [], seq: 5, epoch, resync: true });
  t.match(await page(`other-4`), { events: [], seq: 5, epoch, resync: true });
  t.match(await page(`${epoch}-4`), { events: [{ seq: 5, epoch, data: { title: 'another five' } }], seq: 5, epoch, resync: false });
  const bad = await api.request('GET', `/boards/${board}/events?since=Not-5`, { token });
  t.equal(bad.status, 422);

  const socket = await TestSocket.join(url, board, user, { since: 4 });
  t.match(await socket.find(({ type }) => type === 'resync'), { seq: 5, epoch });
  await api.request('PATCH', `/boards/${board}`, { token, json: { title: 'six' } });
  t.match(await socket.find(({ type }) => type === 'board.updated'), { seq: 6, epoch });
  await socket.close();
  const known = await TestSocket.join(url, board, user, { since: `${epoch}-5` });
  t.match(await known.find(({ type }) => type === 'board.updated'), { seq: 6, epoch });
  await known.close();

  const later = (await api.request<{ id: string }>('POST', '/boards', { token, json: { title: 'New' } })).body.id;
  const created = await api.request('GET', `/boards/${later}`, { token });
  t.match(created.headers.get('etag'), /^"\d+"$/, 'a board that is created after the cut begins at the first epoch');
});

t.test('EPOCH1 two restores of one backup have different epochs', async (t) => {
  const { backup } = await abandonedHistory(t);
  const epochs: string[] = [];
  for (let n = 0; n < 2; n += 1) {
    const dataDir = await restored(t, backup);
    for (const { name } of await listDataFiles(dataDir)) {
      if (name === DIRECTORY_FILE) continue;
      const boards = query<{ epoch: string }>(join(dataDir, name), 'SELECT epoch FROM board');
      epochs.push(...boards.map(({ epoch }) => epoch));
    }
  }
  t.equal(epochs.length, 2);
  t.not(epochs[0], epochs[1]);
  t.ok(epochs.every((epoch) => /^[0-9a-z]{1,8}$/.test(epoch) && epoch !== '0'));
});

t.test('EPOCH1 a client that was connected before a restore follows the board after it', async (t) => {
  const dataDir = await temporaryFolder(t);
  const before = await startTestApp(t, { DATA_DIR: dataDir });
  const relay = await startRelay(t);
  relay.target = before.url;
  const ada = await newPerson(t, relay.url);
  const { boardId } = await shareBoard(ada);
  const connection = follow(t, ada, boardId);
  await connection.ready;
  await ada.client.board.update({ board_id: boardId }, { title: 'one' });
  const backup = join(await temporaryFolder(t), 'backup');
  await backUp({ dataDir, target: backup, program: 'test' });
  for (const title of ['lost', 'lost too']) await ada.client.board.update({ board_id: boardId }, { title });
  await until(connection, () => connection.board?.title === 'lost too');
  const { seq } = connection;
  await before.close();

  const after = await startTestApp(t, { DATA_DIR: await restored(t, backup) });
  relay.target = after.url;
  for (const title of ['other', 'other too']) await ada.client.board.update({ board_id: boardId }, { title });
  await until(connection, () => connection.state.kind === 'live' && connection.board?.title === 'other too');
  t.equal(connection.seq, seq, 'at the same number as before');
  await ada.client.board.update({ board_id: boardId }, { title: 'goes on' });
  await checkCopy(t, connection, ada, boardId);
});

for (const { durability, isCut } of [
  { durability: 'normal', isCut: true },
  { durability: 'full', isCut: false },
]) {
  t.test(`EPOCH4 with DURABILITY=${durability} a kill ${isCut ? 'begins a new epoch' : 'and a stop keep the epoch'}`, async (t) => {
    const dataDir = await temporaryFolder(t);
    const settings = { DATA_DIR: dataDir, DURABILITY: durability, JWT_SECRET: 'x'.repeat(40), SHARDS: '1', SHARD_THREADS: '1' };
    const start = async (): Promise<ServiceProcess> => {
      const service = await ServiceProcess.start(settings);
      t.teardown(() => service.kill());
      return service;
    };
    let service = await start();
    const user = await newUser(await Api.connect(service.url));
    const create = { token: user.token, json: { title: 'Kept' } };
    const { id } = (await (await Api.connect(service.url)).request<{ id: string }>('POST', '/boards', create)).body;
    const tagOf = async (): Promise<string> =>
      (await (await Api.connect(service.url)).request('GET', `/boards/${id}`, { token: user.token })).headers.get('etag') ?? '';
    t.equal(await tagOf(), '"0"', 'the first epoch is not written');
    await service.stop();
    service = await start();
    t.equal(await tagOf(), '"0"', 'a clean stop cuts nothing');
    await service.kill();
    // A kill loses nothing that the kernel has; a power cut might.
    service = await start();
    t.match(await tagOf(), isCut ? /^"[0-9a-z]{1,8}-0"$/ : /^"0"$/);
  });
}
