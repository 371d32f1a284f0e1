import { join } from 'node:path';
import t from 'tap';
import { backUp } from '../../../src/store/backup/backup.js';
import { restore } from '../../../src/store/backup/backupRestore.js';
import { checkFolder } from '../../../src/store/check/checkFolder.js';
import { Api } from '../../support/http/api.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
import type { BoardJson } from '../../support/board/boardSnapshot.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { copyDatabase, query } from '../../support/store/sqlFile.js';
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

  // The state a backup finds if everything below happens between its copies of the shard and of the directory.
  const skewed = await temporaryFolder(t);
  await membershipsDelivered(before.config.dataDir);
  copyDatabase(join(before.config.dataDir, 'shard-00.sqlite'), join(skewed, 'shard-00.sqlite'));
  const late = await newBoard(before, ann, 'Created late');
  await send(before, ann, `DELETE /boards/${doomed}`);
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
