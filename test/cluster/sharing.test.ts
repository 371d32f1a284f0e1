import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { get } from 'node:http';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { packagePath } from '../../src/paths.js';
import { first, SHARDS, TestCluster, type InstanceView } from '../support/cluster/cluster.js';
import { addCard, boardOwnedBy, newBoard, readBoard, titlesOn } from '../support/cluster/clusterBoard.js';
import { temporaryFolder } from '../support/store/folder.js';
import { freePort } from '../support/service/ports.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { changeUser } from '../support/service/operator.js';
import { skipWithout } from '../support/service/programs.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { TestSocket } from '../support/realtime/socket.js';
import { logIn, newRegistration, newUser, register } from '../support/http/users.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('CLUSTER10 to CLUSTER19', skip);

interface Imported {
  readonly board: { readonly id: string };
}

const cluster = await TestCluster.start(t, 3);
const [a, b, c] = cluster.instances;
if (a === undefined || b === undefined || c === undefined) throw new Error('three were started');
const ann = await newUser(a.api);

t.test('PLACE1 instances find each other and spread the partitions evenly', async (t) => {
  const views = await Promise.all(cluster.instances.map((instance) => cluster.overview(instance)));
  for (const view of views) {
    t.strictSame(view.map(({ owns }) => owns.length).sort(), [3, 3, 3], 'nine partitions for three');
    t.strictSame(new Set(view.map(({ pid }) => pid)), new Set(cluster.instances.map(({ pid }) => pid)));
  }
  const ownersIn = (view: readonly InstanceView[]): Map<string, string> =>
    new Map(view.flatMap(({ id, owns }) => owns.map((partition): [string, string] => [partition, id])));
  t.strictSame(new Set(views.map((view) => JSON.stringify([...ownersIn(view)].sort()))).size, 1, 'all agree');
  t.strictSame(
    views.map((view) => view[0]?.pid),
    cluster.instances.map(({ pid }) => pid),
    'the answering instance comes first',
  );
});

t.test('CLUSTER11 any instance serves any request and sees the changes of other instances at once', async (t) => {
  for (const through of cluster.instances) {
    const board = await newBoard(through, ann);
    for (const other of cluster.instances) {
      t.equal(await addCard(other, ann, board, `by ${other.pid}`), 201);
      const { body } = await other.api.request<Array<{ id: string }>>('GET', '/boards', { token: ann.token });
      t.ok(
        body.some(({ id }) => id === board.id),
        'it is in the list of boards',
      );
    }
    const boards = await Promise.all(cluster.instances.map((other) => readBoard(other, ann, board)));
    t.strictSame(boards[1], boards[0]);
    t.strictSame(boards[2], boards[0]);
    t.equal((await titlesOn(through, ann, board)).length, 3);
  }
});

t.test('CLUSTER11 any instance imports and exports any board', async (t) => {
  const board = await boardOwnedBy(cluster, b, ann);
  t.equal(await addCard(a, ann, board, 'carried'), 201);
  const { body: json } = await c.api.request<object>('GET', `/boards/${board.id}/export`, { token: ann.token });
  for (let n = 0; n < 12; n += 1) {
    const through = cluster.instances[n % 3] ?? a;
    const { status, body } = await through.api.request<Imported>('POST', '/boards/import', { token: ann.token, json });
    t.equal(status, 201);
    t.strictSame(await titlesOn(a, ann, { id: body.board.id, columnId: '' }), ['carried']);
  }
});

t.test('CLUSTER11 answers larger than a NATS message pass through another instance', async (t) => {
  const board = await boardOwnedBy(cluster, b, ann);
  const description = 'x'.repeat(10_000);
  const path = `/boards/${board.id}/columns/${board.columnId}/cards`;
  const cards = Array.from({ length: 150 }, (_, n) => ({ title: `card ${n}`, description }));
  const made = await Promise.all(cards.map((json) => a.api.request('POST', path, { token: ann.token, json })));
  t.ok(made.every(({ status }) => status === 201));
  const through = await readBoard(a, ann, board);
  t.ok(JSON.stringify(through).length > 1_500_000);
  t.strictSame(through, await readBoard(b, ann, board));
});

t.test('CLUSTER11 files of ten megabytes pass through instances that do not own the board', async (t) => {
  const board = await boardOwnedBy(cluster, b, ann);
  t.equal(await addCard(b, ann, board, 'with a file'), 201);
  const [card] = ((await readBoard(b, ann, board)) as { columns: [{ cards: [{ id: string }] }] }).columns[0].cards;
  const content = randomBytes(10 * 1024 * 1024);
  const form = new FormData();
  form.append('file', new Blob([content]), 'large.bin');
  const path = `/cards/${card.id}/attachments`;
  const { status, body } = await a.api.request<{ id: string }>('POST', path, { token: ann.token, body: form });
  t.equal(status, 201);
  for (const instance of cluster.instances) {
    const file = await instance.api.request<Uint8Array>('GET', `/attachments/${body.id}`, { token: ann.token });
    t.ok(content.equals(file.body), `through ${instance.pid}`);
  }
});

t.test('CLUSTER13 a socket on any instance gets every event and presence message, in one order', async (t) => {
  const board = await boardOwnedBy(cluster, b, ann);
  const users = await Promise.all(cluster.instances.map(({ api }) => newUser(api)));
  for (const { id: user_id } of users) {
    await a.api.request('POST', `/boards/${board.id}/invite`, { token: ann.token, json: { user_id } });
  }
  const sockets = [];
  for (const [index, user] of users.entries()) {
    sockets.push(await TestSocket.join(cluster.instances[index]?.url ?? '', board.id, user, { since: 'latest' }));
  }
  const titles = Array.from({ length: 60 }, (_, n) => `card ${n}`);
  const through = (n: number) => cluster.instances[n % 3] ?? a;
  await Promise.all(titles.map((title, n) => addCard(through(n), ann, board, title)));
  const received = await Promise.all(
    sockets.map(async (socket) => {
      await socket.find(() => socket.events.length === titles.length);
      return socket.events.map(({ seq, data }) => [seq, (data as { title: string }).title]);
    }),
  );
  t.strictSame(received[1], received[0]);
  t.strictSame(received[2], received[0]);
  t.strictSame(received[0]?.map(([, title]) => title).sort(), [...titles].sort());
  const presences = await Promise.all(
    cluster.instances.map(async ({ api }) => {
      const { body } = await api.request('GET', `/ws/boards/${board.id}/presence`, { token: ann.token });
      return (body as { online_users: Array<{ user_id: string }> }).online_users.map(({ user_id }) => user_id);
    }),
  );
  for (const presence of presences)
    t.strictSame(
      presence,
      users.map(({ id }) => id),
    );
  const [leaving, ...staying] = sockets;
  await leaving?.close();
  const isItsEnd = ({ type, user_id }: { type: string; user_id?: unknown }): boolean => type === 'user_left' && user_id === users[0]?.id;
  await Promise.all(staying.map((socket) => socket.find(isItsEnd)));
  await Promise.all(staying.map((socket) => socket.close()));
});

t.test('an instance subscribes only to boards for which it has sockets', async (t) => {
  const [quiet, watched] = [await boardOwnedBy(cluster, b, ann), await boardOwnedBy(cluster, b, ann)];
  const socket = await TestSocket.join(a.url, watched.id, ann);
  const subscribed = async (): Promise<string[]> => (await cluster.nats.subjects()).filter((subject) => subject.includes('.board.'));
  // Those of earlier tests end when their sockets are found closed.
  await until(async () => (await subscribed()).every((subject) => subject.split('.').at(-2) === watched.id));
  t.equal((await subscribed()).length, 1);
  t.notOk((await subscribed()).some((subject) => subject.includes(quiet.id)));
  await socket.close();
  await until(async () => (await subscribed()).length === 0);
});

t.test('CLUSTER15 accounts are the same on every instance, at once', async (t) => {
  const registration = await register(a.api, newRegistration({ firstname: 'Eve' }));
  const token = await logIn(c.api, registration.email, registration.password);
  for (const { api } of cluster.instances) {
    t.match((await api.request('GET', '/auth/me', { token })).body, { id: registration.id, firstname: 'Eve' });
    const json = newRegistration({ email: registration.email });
    t.equal((await api.request('POST', '/auth/register', { json })).status, 409);
  }
  const board = await boardOwnedBy(cluster, c, { ...ann, token });
  t.equal((await b.api.request('PATCH', '/auth/me', { token, json: { firstname: 'Eva' } })).status, 200);
  for (const { api } of cluster.instances) {
    await until(async () => {
      const me = await api.request<{ firstname: string }>('GET', '/auth/me', { token });
      return me.body.firstname === 'Eva';
    });
    await until(async () => {
      const { body } = await api.request('GET', `/boards/${board.id}/members`, { token });
      return (body as Array<{ user: { firstname: string } }>)[0]?.user.firstname === 'Eva';
    });
  }
});

t.test('CLUSTER15 a deactivated user is refused and disconnected on every instance', async (t) => {
  const eve = await newUser(a.api);
  const board = await boardOwnedBy(cluster, b, eve);
  const sockets = await Promise.all(cluster.instances.map(({ url }) => TestSocket.join(url, board.id, eve)));
  await changeUser(cluster.dataDir, eve.id, { is_active: false });
  for (const socket of sockets) t.match(await socket.closed, { code: 1008 });
  for (const { api } of cluster.instances) {
    t.equal((await api.request('GET', '/auth/me', { token: eve.token })).status, 401);
  }
});

t.test('CLUSTER16 operators see instances, partitions, owners and sockets', async (t) => {
  const board = await boardOwnedBy(cluster, b, ann);
  const socket = await TestSocket.join(c.url, board.id, ann);
  await until(async () => (await cluster.overview(a)).find(({ pid }) => pid === c.pid)?.sockets === 1);
  const { status } = await a.api.request('GET', '/admin/cluster', { token: ann.token });
  t.equal(status, 403, 'superusers only');
  const printed = await runCommand(['cluster']);
  for (const { pid, url } of cluster.instances) t.match(printed, new RegExp(`${pid} .*${url} .* (directory|shard)`));
  t.match(printed, /connected/);
  const printedJson = await runCommand(['cluster', '--json']);
  const overview = JSON.parse(printedJson) as { instances: InstanceView[]; partitions: string[] };
  t.equal(overview.partitions.length, SHARDS + 1);
  t.strictSame(new Set(overview.instances.map(({ pid }) => pid)), new Set(cluster.instances.map(({ pid }) => pid)));
  c.freeze();
  t.match(await runCommand(['cluster']), new RegExp(`${a.pid}`), 'also while one of them is frozen');
  c.resume();
  await cluster.evenlySpread();
  await socket.close();
});

t.test('CLUSTER16 if no service runs, the command says so', async (t) => {
  const folder = await temporaryFolder(t);
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: folder };
  const child = spawn(process.execPath, [packagePath('dist', 'program', 'main.js'), 'cluster'], { cwd: folder, env });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[unknown]>]);
  t.equal(code, 75);
  t.match(errors, /^switchboard: No service on .* answers\.\n$/);
});

t.test('CLUSTER19 instances may share a port', async (t) => {
  const PORT = String(await freePort());
  const twins = [await cluster.add({ PORT }), await cluster.add({ PORT })];
  await cluster.evenlySpread();
  const operator = await cluster.operator();
  const seen = new Set<number>();
  await until(async () => {
    const answer = await getOnce(`${twins[0]?.url}/admin/cluster`, operator.token);
    seen.add((JSON.parse(answer) as { instances: [InstanceView] }).instances[0].pid);
    return seen.size === 2;
  });
  t.strictSame(seen, new Set(twins.map(({ pid }) => pid)), 'both of them answer');
  for (const twin of twins) t.equal(await twin.stop(), 0);
  await cluster.evenlySpread();
});

t.test('CLUSTER18 without NATS_URL a second process on the folder refuses to start and says why', async (t) => {
  const { NATS_URL: _, ...settings } = cluster.settings as Record<string, string>;
  await t.rejects(ServiceProcess.start(settings), /cannot start: .*in use by another process.*NATS_URL/);
});

t.test('CLUSTER18 another number of shards is refused', async (t) => {
  const other = await TestCluster.prepare(t);
  await other.add();
  await first(other.running).stop();
  await t.rejects(other.add({ SHARDS: '5' }), /cannot start: .*set SHARDS=8/);
});

t.test('CLUSTER19 services on other folders share one NATS without receiving the messages of each other', async (t) => {
  const other = await TestCluster.prepare(t, { NATS_URL: cluster.nats.url });
  const stranger = await other.add();
  t.equal((await other.overview(stranger)).length, 1);
  t.equal((await cluster.overview(a)).length, 3);
  t.equal((await stranger.api.request('GET', '/auth/me', { token: ann.token })).status, 401, 'its users are its own');
});

/** Over a connection of its own. */
function getOnce(url: string, token: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { agent: false, headers: { authorization: `Bearer ${token}` } };
    get(url, options, (response) => void text(response).then(resolve, reject)).on('error', reject);
  });
}

/** As an operator types it, beside the running instances. */
async function runCommand(args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', ...cluster.settings };
  const program = packagePath('dist', 'program', 'main.js');
  const child = spawn(process.execPath, [program, ...args], { cwd: cluster.dataDir, env });
  return text(child.stdout);
}
