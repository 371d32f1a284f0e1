/**
 * Data folders as released programs left them. `node dist/test/support/store/upgradeFixture.js` adds the one of the current
 * schema; do so before the release that brings the schema, and never change a folder afterwards.
 */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApp } from '../../../src/app.js';
import { packagePath } from '../../../src/paths.js';
import { currentSchema, listDataFiles } from '../../../src/store/folder/dataFolder.js';
import { RECORD_FILE } from '../../../src/store/folder/record/folderRecord.js';
import { Api } from '../http/api.js';
import { testConfig } from '../service/app.js';
import type { BoardJson, CardJson, ChecklistJson, ColumnJson, CommentJson, ItemJson, LabelJson } from '../board/boardSnapshot.js';
import { fileForm } from '../board/populatedBoard.js';
import { logIn, newUser, type TestUser } from '../http/users.js';

export const FIXTURES = packagePath('test', 'fixtures');
export const EXPECTED_FILE = 'expected.json';
export const FIXTURE_SHARDS = '1';

export const PASSWORD = 'kept for the upgrade tests';
const USERNAMES = ['ann', 'bob'] as const;

/** The folder of the schema that this program writes. */
export function currentFixture(): string {
  return join(FIXTURES, `data-directory${currentSchema('directory')}-shard${currentSchema('shard')}`);
}

/** Everything that the API shows of the fixture's users and boards, including attachments. */
export async function readEverything(api: Api): Promise<unknown> {
  const people = await Promise.all(USERNAMES.map((username) => readPerson(api, username)));
  return Object.fromEntries(people.map((person, index) => [USERNAMES[index], person]));
}

async function readPerson(api: Api, username: string): Promise<unknown> {
  const token = await logIn(api, username, PASSWORD);
  const get = async <Body>(path: string): Promise<Body> => (await api.request<Body>('GET', path, { token })).body;
  const list = await get<{ id: string }[]>('/boards');
  const boards = await Promise.all(
    list.map(async ({ id }) => {
      const board = await get<BoardJson>(`/boards/${id}`);
      const attachments = board.columns.flatMap(({ cards }) => cards.flatMap((card) => card.attachments));
      const commented = board.columns.flatMap(({ cards }) => cards.filter(({ comment_count }) => comment_count > 0));
      const contents = attachments.map(async ({ id: attachment }) => {
        return Buffer.from(await get<Uint8Array>(`/attachments/${attachment}`)).toString('base64');
      });
      return {
        board,
        contents: await Promise.all(contents),
        rules: await get(`/boards/${id}/automations`),
        events: await get(`/boards/${id}/events?since=0`),
        labelStats: await get(`/boards/${id}/labels/stats`),
        activity: await get(`/boards/${id}/activity?limit=200`),
        comments: await Promise.all(commented.map(({ id: card }) => get(`/cards/${card}/comments`))),
      };
    }),
  );
  return { me: await get('/auth/me'), notifications: await get('/me/notifications'), list, boards };
}

/** One of everything, and some of it deleted again. */
async function fillBoards(api: Api): Promise<void> {
  const [ann, bob] = await Promise.all(
    USERNAMES.map((username) => newUser(api, { username, email: `${username}@example.org`, password: PASSWORD, firstname: username })),
  );
  if (ann === undefined || bob === undefined) throw new Error('a user is missing');
  let requests = 0;
  const send = async <Body>(as: TestUser, request: string, json?: object): Promise<Body> => {
    const [method = '', path = ''] = request.split(' ');
    requests += 1;
    const headers = { 'idempotency-key': `request-${requests}` };
    const { status, body } = await api.request<Body>(method, path, { token: as.token, json, headers });
    if (status >= 300) throw new Error(`${request} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const { id: board } = await send<BoardJson>(ann, 'POST /boards', { title: 'Plans', description: 'of ours', color: 'teal', icon: '🚀' });
  await send(ann, `POST /boards/${board}/invite`, { user_id: bob.id });
  const todo = await send<ColumnJson>(ann, `POST /boards/${board}/columns`, { title: 'To do' });
  const done = await send<ColumnJson>(bob, `POST /boards/${board}/columns`, { title: 'Done', is_done_column: true });
  const label = await send<LabelJson>(ann, `POST /boards/${board}/labels`, { name: 'urgent', color: 'red' });
  const cards = `POST /boards/${board}/columns/${todo.id}/cards`;
  const card = await send<CardJson>(ann, cards, { title: 'First', description: 'with everything' });
  const second = await send<CardJson>(bob, cards, { title: 'Second', position: 0 });
  const gone = await send<CardJson>(bob, cards, { title: 'Gone' });
  await send(ann, `POST /cards/${card.id}/labels/${label.id}`);
  await send(ann, `PUT /cards/${card.id}/assignees`, { user_ids: [bob.id] });
  const checklist = await send<ChecklistJson>(ann, `POST /cards/${card.id}/checklists`, { title: 'Steps' });
  const item = await send<ItemJson>(ann, `POST /checklists/${checklist.id}/items`, { content: 'Begin' });
  await send(bob, `PATCH /items/${item.id}`, { is_done: true });
  await send(ann, `PUT /items/${item.id}/assignees`, { user_ids: [ann.id] });
  const upload = { token: ann.token, body: fileForm('What the file said.') };
  await api.request('POST', `/cards/${card.id}/attachments`, upload);
  await send(ann, `POST /boards/${board}/automations`, {
    name: 'When done',
    trigger_type: 'CARD_MOVED',
    trigger_column_id: done.id,
    action_type: 'ASSIGN_MEMBER',
    action_user_id: ann.id,
  });
  await send(bob, `POST /cards/${second.id}/move`, { column_id: done.id });
  const remark = await send<CommentJson>(bob, `POST /cards/${card.id}/comments`, { body: 'For @ann: **when**?' });
  await send(bob, `PATCH /comments/${remark.id}`, { body: 'For @ann: **how**?' });
  await api.request('POST', `/comments/${remark.id}/attachments`, { token: bob.token, body: fileForm('What the remark is about.') });
  const withdrawn = await send<CommentJson>(ann, `POST /cards/${card.id}/comments`, { body: 'Withdrawn' });
  await send(ann, `DELETE /comments/${withdrawn.id}`);
  await send(ann, `POST /cards/${gone.id}/comments`, { body: 'Gone with its card' });
  await send(ann, `DELETE /cards/${gone.id}`);
  const left = await send<BoardJson>(bob, 'POST /boards', { title: 'Alone' });
  await send(bob, `POST /boards/${left.id}/invite`, { user_id: ann.id });
  await send(bob, `DELETE /boards/${left.id}/members/${ann.id}`);
  const deleted = await send<BoardJson>(ann, 'POST /boards', { title: 'Deleted' });
  await send(ann, `DELETE /boards/${deleted.id}`);
  await send(ann, `PATCH /cards/${card.id}`, { due_at: '2098-01-02', reminder_minutes: 60 });
  await send(ann, `PUT /boards/${board}/star`);
  await send(ann, `PUT /boards/${board}/watch`);
  await send(ann, 'PATCH /auth/me', { lastname: 'of the fixture', language: 'de', time_zone: 'Europe/Vienna' });
}

async function makeFixture(folder: string): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'switchboard-'));
  try {
    const app = await startApp(testConfig({ DATA_DIR: dataDir, SHARDS: FIXTURE_SHARDS }));
    const api = await Api.connect(app.url);
    await fillBoards(api);
    const expected = await readEverything(api);
    await app.close();
    await mkdir(folder);
    const files = (await listDataFiles(dataDir)).map(({ name }) => name);
    for (const name of [RECORD_FILE, ...files]) await copyFile(join(dataDir, name), join(folder, name));
    await writeFile(join(folder, EXPECTED_FILE), `${JSON.stringify(expected, null, 2)}\n`);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const isProgram = process.argv[1] === packagePath('dist', 'test', 'support', 'store', 'upgradeFixture.js');
if (isProgram) await makeFixture(currentFixture());
