import { join } from 'node:path';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { DirectoryClient } from '../../src/partitions/partitions.js';
import type { Notice, OutboxEntry } from '../../src/partitions/messages.js';
import { ThreadClient } from '../../src/partitions/thread/threadClient.js';
import type { OpenPartition } from '../../src/partitions/thread/threadServer.js';
import type { Bus } from '../../src/bus/bus.js';
import { LocalBus } from '../../src/bus/localBus.js';
import type { Environment, SettledConfig } from '../../src/settings/config.js';
import { startDataServices, type DataServices } from '../../src/dataServices.js';
import { isLarge, type BoardEvent } from '../../src/domain/events.js';
import { IdSource, type Uuid } from '../../src/domain/ids.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { prepareFolder } from '../../src/store/folder/prepareFolder.js';
import { storeSource } from '../../src/storeThread.js';
import { startTestApp, testConfig, type TestApp } from '../support/service/app.js';
import { temporaryFolder } from '../support/store/folder.js';
import { query, sql } from '../support/store/sqlFile.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { until } from '../support/until.js';

const ids = new IdSource();
const log = pino({ level: 'silent' });
const NOW = '2030-01-01T00:00:00.000Z';

/** The directory and one shard, without a relay between them. */
async function openPartitions(t: Test, config: SettledConfig): Promise<{ thread: ThreadClient; notices: Notice[] }> {
  const notices: Notice[] = [];
  const { id: folder } = await prepareFolder(config);
  const settings = { ...config, folder, replicated: null };
  const directory = await storeSource({ kind: 'directory', settings });
  const shards = await storeSource({ kind: 'shards', settings });
  const open: OpenPartition = (name, host) => (name === 'directory' ? directory : shards).open(name, host);
  const thread = ThreadClient.inline(
    { ...shards, open },
    {
      log,
      onNotice: (notice) => void notices.push(notice),
      onLost: (error) => t.fail(String(error)),
    },
  );
  t.teardown(() => thread.close());
  await thread.open('directory');
  await thread.open('shard 0');
  return { thread, notices };
}

/** The outbox entries that partitions published, when they opened and with their commits. */
function pushedBy(notices: readonly Notice[]): OutboxEntry[] {
  return notices.flatMap((notice) => {
    if (notice.kind === 'outbox') return [notice.entry];
    return notice.kind === 'outbox.page' ? notice.entries : [];
  });
}

/** Directory and boards as in the service, without the network: a test can act between the two. */
async function startServices(t: Test, settings: Environment): Promise<DataServices & { bus: LocalBus }> {
  const bus = new LocalBus();
  const built: Array<() => unknown> = [];
  t.teardown(async () => {
    for (const end of built.reverse()) await end();
  });
  const config = testConfig({ DATA_DIR: await temporaryFolder(t), ...settings });
  const services = await startDataServices({
    config,
    folder: (await prepareFolder(config)).id,
    bus,
    peers: null,
    replication: null,
    log,
    describe: () => ({ id: 'alone', host: '', pid: 0, url: '', version: '', startedAt: NOW, sockets: 0 }),
    room: { hasRoom: () => true, room: () => Promise.resolve() },
    built,
  });
  return { ...services, bus };
}

async function boardsOf({ api }: TestApp, { token }: TestUser): Promise<Uuid[]> {
  const { body } = await api.request<{ id: Uuid }[]>('GET', '/boards', { token });
  return body.map(({ id }) => id);
}

async function createBoard({ api }: TestApp, { token }: TestUser): Promise<Uuid> {
  return (await api.request<{ id: Uuid }>('POST', '/boards', { token, json: { title: 'Plans' } })).body.id;
}

async function addUser(directory: DirectoryClient, username: string): Promise<PublicUser> {
  const names = { email: `${username}@example.org`, username, firstname: username, lastname: null };
  const rest = { id: ids.fresh(), hashed_password: 'none', is_superuser: false, now: NOW };
  return directory.ask('user.create', { ...names, ...rest });
}

t.test('BOARD51 a caller with the answer to a membership change finds it in the list of boards', async (t) => {
  const app = await startTestApp(t, { SHARDS: '3' });
  const [owner, guest] = [await newUser(app.api), await newUser(app.api)];
  for (let round = 0; round < 10; round += 1) {
    const board = await createBoard(app, owner);
    t.ok((await boardsOf(app, owner)).includes(board), 'created');
    await app.api.request('POST', `/boards/${board}/invite`, { token: owner.token, json: { user_id: guest.id } });
    t.ok((await boardsOf(app, guest)).includes(board), 'invited');
    if (round % 2 === 0) {
      await app.api.request('DELETE', `/boards/${board}/members/${guest.id}`, { token: owner.token });
      t.notOk((await boardsOf(app, guest)).includes(board), 'removed');
    } else {
      await app.api.request('DELETE', `/boards/${board}`, { token: owner.token });
      t.notOk((await boardsOf(app, guest)).includes(board), 'deleted');
      t.notOk((await boardsOf(app, owner)).includes(board), 'deleted for its owner too');
    }
  }
});

t.test('OUTBOX10 memberships not delivered when the service ended are delivered later', async (t) => {
  const settings = { DATA_DIR: await temporaryFolder(t), SHARDS: '1' };
  const app = await startTestApp(t, settings);
  const [owner, guest] = [await newUser(app.api), await newUser(app.api)];
  const [left, deleted] = [await createBoard(app, owner), await createBoard(app, owner)];
  await app.api.request('POST', `/boards/${left}/invite`, { token: owner.token, json: { user_id: guest.id } });
  await app.close();

  const { thread } = await openPartitions(t, testConfig(settings));
  const created = ids.fresh();
  const commands = [
    { op: 'board.create', target: created, input: { title: 'New', description: null, creator: owner.user } },
    { op: 'member.add', target: created, input: { user_id: guest.id, user: guest.user } },
    { op: 'member.remove', target: left, input: { user_id: guest.id } },
    { op: 'board.delete', target: deleted, input: {} },
  ] as const;
  for (const { op, target, input } of commands) {
    const caller = { user_id: owner.id };
    const reply = await thread.ask('shard 0', { kind: 'board', command: { op, target, input, caller } });
    t.match(reply, { outcome: { ok: true }, outboxId: Number }, `${op} is stored`);
  }
  const known = await thread.ask('directory', { op: 'membership.list', input: { user_id: guest.id } });
  t.strictSame(known, [left], 'and is not in the directory yet');
  await thread.close();
  const restarted = await openPartitions(t, testConfig(settings));
  t.match(
    pushedBy(restarted.notices),
    [1, 2, 3, 4].map((n) => ({ source: 'shard 0', id: n + 3 })),
    'a restart publishes it again',
  );
  await restarted.thread.close();

  const again = await startTestApp(t, settings);
  const latest = await createBoard(again, owner);
  t.strictSame(await boardsOf(again, owner), [left, created, latest], 'a shard delivers in order: the latest came last');
  t.strictSame(await boardsOf(again, guest), [created]);
  await again.close();

  const { notices } = await openPartitions(t, testConfig(settings));
  t.strictSame(pushedBy(notices), [], 'delivered changes have left the outbox');
});

/** Resolves with the next `board.updated` of a board. */
function boardUpdated(bus: Bus, board: Uuid): Promise<BoardEvent> {
  return new Promise((resolve) => {
    bus.subscribeToBoard(board, (message) => {
      if (message.kind !== 'events') return;
      for (const event of message.events) if (event.type === 'board.updated' && !isLarge(event)) resolve(event);
    });
  });
}

async function addBoard({ boards }: DataServices, creator: PublicUser): Promise<Uuid> {
  const [target, caller] = [ids.fresh(), { user_id: creator.id }];
  await boards.ask({ op: 'board.create', caller, target, input: { title: 'Plans', description: null, creator } });
  return target;
}

t.test('MEMBER9 a changed profile reaches all boards of its user', async (t) => {
  const services = await startServices(t, { SHARDS: '2' });
  const user = await addUser(services.directory, 'ann');
  const boards = [await addBoard(services, user), await addBoard(services, user), await addBoard(services, user)];
  const updates = Promise.all(boards.map((board) => boardUpdated(services.bus, board)));
  await services.directory.ask('user.update', { id: user.id, now: NOW, changes: { firstname: 'Anna' } });
  const members = [{ user: { firstname: 'Anna' } }];
  for (const { json } of await updates) t.match(JSON.parse(json), { data: { members } });
});

t.test('MEMBER9 a profile that changes while its user is invited reaches the board', async (t) => {
  const services = await startServices(t, { SHARDS: '1' });
  const [owner, guest] = [await addUser(services.directory, 'owner'), await addUser(services.directory, 'guest')];
  const target = await addBoard(services, owner);
  await services.directory.ask('user.update', { id: guest.id, now: NOW, changes: { firstname: 'New' } });
  const updates = boardUpdated(services.bus, target);
  const caller = { user_id: owner.id };
  // The invitation looked the guest up before that change.
  await services.boards.ask({ op: 'member.add', caller, target, input: { user_id: guest.id, user: guest } });
  t.match(JSON.parse((await updates).json), { data: { members: [{}, { user: { id: guest.id, firstname: 'New' } }] } });
});

t.test('OUTBOX10 a profile that was not delivered when the service ended is delivered later', async (t) => {
  const settings = { DATA_DIR: await temporaryFolder(t), SHARDS: '1' };
  const app = await startTestApp(t, settings);
  const [owner, guest] = [await newUser(app.api), await newUser(app.api)];
  const board = await createBoard(app, owner);
  await app.api.request('POST', `/boards/${board}/invite`, { token: owner.token, json: { user_id: guest.id } });
  await app.close();

  const { thread, notices } = await openPartitions(t, testConfig(settings));
  for (const { id } of [owner, guest]) {
    await thread.ask('directory', { op: 'user.update', input: { id, now: NOW, changes: { firstname: `new ${id}` } } });
  }
  const entries = [owner, guest].map(({ id }, index) => {
    return { source: 'directory', id: index + 1, kind: 'profile', target: id, payload: { user: { firstname: `new ${id}` } } };
  });
  t.match(pushedBy(notices), entries, 'a commit publishes its entry');
  await thread.close();
  const restarted = await openPartitions(t, testConfig(settings));
  t.match(pushedBy(restarted.notices), entries, 'a restart publishes it again');
  await restarted.thread.close();

  const again = await startTestApp(t, settings);
  const membersOf = async (): Promise<string> => JSON.stringify((await again.api.request('GET', `/boards/${board}`, { token: owner.token })).body);
  await until(async () => (await membersOf()).includes(`new ${guest.id}`));
  // Answers wait for what its user has pending, so the rows are gone after these.
  for (const { token } of [owner, guest]) {
    await again.api.request('PATCH', '/auth/me', { token, json: { lastname: 'Last' } });
  }
  t.match(await membersOf(), new RegExp(`new ${owner.id}`));
  await again.close();
  const { notices: left } = await openPartitions(t, testConfig(settings));
  t.strictSame(pushedBy(left), [], 'what was delivered has left the outbox');
});

t.test('OUTBOX10 membership changes in the form of earlier versions are delivered', async (t) => {
  const settings = { DATA_DIR: await temporaryFolder(t), SHARDS: '1' };
  const app = await startTestApp(t, settings);
  const owner = await newUser(app.api);
  await app.close();
  const { thread } = await openPartitions(t, testConfig(settings));
  const target = ids.fresh();
  const input = { title: 'New', description: null, creator: owner.user };
  await thread.ask('shard 0', { kind: 'board', command: { op: 'board.create', target, input, caller: { user_id: owner.id } } });
  await thread.close();
  const file = join(settings.DATA_DIR, 'shard-00.sqlite');
  sql(file, `UPDATE outbox SET payload = json_remove(payload, '$.kind', '$.target')`);
  t.match(query(file, 'SELECT payload FROM outbox'), [{ payload: /^\{"board_id":"[^"]+","members":\[[^\]]*\]\}$/ }]);
  const again = await startTestApp(t, settings);
  const latest = await createBoard(again, owner);
  t.strictSame(await boardsOf(again, owner), [target, latest]);
});
