import t, { type Test } from 'tap';
import { first, pause, TestCluster } from '../support/cluster/cluster.js';
import { addCard, boardOwnedBy, titlesOn, type ClusterBoard } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { changeUser } from '../support/service/operator.js';
import { skipWithout } from '../support/service/programs.js';
import { TestSocket } from '../support/realtime/socket.js';
import { newUser } from '../support/http/users.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('CLUSTER40 to CLUSTER45', skip);

const cluster = await TestCluster.start(t, 2);
const [a, b] = [first(cluster.instances), first(cluster.instances.slice(1))];
const { nats } = cluster;
const ann = await newUser(a.api);
const [boardOfA, boardOfB] = [await boardOwnedBy(cluster, a, ann), await boardOwnedBy(cluster, b, ann)];
// Both have Ann in their cache from here on.
for (const { api } of [a, b]) await api.request('GET', '/auth/me', { token: ann.token });

async function health(url: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${url}/health`);
  return { status: response.status, body: await response.json() };
}

async function isCutOff(url: string): Promise<boolean> {
  return ((await health(url)).body as { pubsub: string }).pubsub === 'disconnected';
}

async function postCard(url: string, board: ClusterBoard, title: string): Promise<Response> {
  return fetch(`${url}/boards/${board.id}/columns/${board.columnId}/cards`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ann.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  });
}

function titlesHeardBy(socket: TestSocket): string[] {
  return socket.events.map(({ data }) => (data as { title: string }).title);
}

/** With NATS away by `cut` and back by `restore`. */
function outage(how: string, cut: () => unknown, restore: () => unknown): (t: Test) => Promise<void> {
  return async (t) => {
    const join = (url: string, board: ClusterBoard, since?: 'latest') => TestSocket.join(url, board.id, ann, since === undefined ? {} : { since });
    const local = await join(a.url, boardOfA);
    const foreign = await Promise.all([join(b.url, boardOfA, 'latest'), join(b.url, boardOfA)]);
    const before = (await titlesOn(a, ann, boardOfA)).length;
    await addCard(a, ann, boardOfA, `${how}: before`);
    const warnings = [a, b].map((instance) => instance.warnings.filter((line) => line.includes('NATS')).length);

    await cut();
    await until(async () => (await isCutOff(a.url)) && (await isCutOff(b.url)));
    for (const { url } of [a, b]) {
      t.match(await health(url), {
        status: 200,
        body: { status: 'degraded', database: 'connected', pubsub: 'disconnected' },
      });
    }
    const written = [];
    for (let n = 0; n < 20; n += 1) {
      written.push(`${how}: meanwhile ${n}`);
      t.equal((await postCard(a.url, boardOfA, `${how}: meanwhile ${n}`)).status, 201);
    }
    t.equal((await postCard(b.url, boardOfB, `${how}: on the other side`)).status, 201);
    await local.find(() => local.events.length === 21);
    t.strictSame(titlesHeardBy(local), [`${how}: before`, ...written], 'local sockets get events');
    const refused = await postCard(b.url, boardOfA, `${how}: refused`);
    t.equal(refused.status, 503);
    t.equal(refused.headers.get('retry-after'), '1');

    await restore();
    await until(async () => !(await isCutOff(a.url)) && !(await isCutOff(b.url)));
    await until(async () => (await postCard(b.url, boardOfA, `${how}: after`)).status === 201);
    const expected = [`${how}: before`, ...written, `${how}: after`];
    for (const socket of foreign) {
      await socket.find(() => socket.events.length >= expected.length);
      t.strictSame(titlesHeardBy(socket), expected, 'sockets elsewhere have missed nothing, in order');
    }
    t.strictSame((await titlesOn(b, ann, boardOfA)).slice(before), expected);
    for (const [index, instance] of [a, b].entries()) {
      const lines = instance.warnings.filter((line) => line.includes('NATS'));
      t.equal(lines.length, (warnings[index] ?? 0) + 1, 'one line in the log');
    }
    await Promise.all([local, ...foreign].map((socket) => socket.close()));
    await cluster.evenlySpread();
  };
}

t.test(
  'CLUSTER40 with NATS gone each instance serves its own boards, and all recovers when NATS restarts',
  outage(
    'gone',
    () => nats.kill(),
    () => nats.start(),
  ),
);

t.test(
  'CLUSTER40 with NATS frozen each instance serves its own boards, and all recovers when it resumes',
  outage(
    'frozen',
    () => nats.freeze(),
    () => nats.resume(),
  ),
);

t.test(
  'CLUSTER40 with NATS frozen each instance serves its own boards, and all recovers when another takes its place',
  outage(
    'replaced',
    () => nats.freeze(),
    () => nats.kill().then(() => nats.start()),
  ),
);

t.test('CLUSTER40 a NATS that comes and goes loses and reorders nothing for any client', async (t) => {
  const sockets = await Promise.all([
    TestSocket.join(b.url, boardOfA.id, ann, { since: 'latest', unchecked: true }),
    TestSocket.join(b.url, boardOfA.id, ann, { unchecked: true }),
    TestSocket.join(a.url, boardOfA.id, ann, { since: 'latest', unchecked: true }),
  ]);
  const written: string[] = [];
  let flapping = true;
  const writing = (async () => {
    for (let n = 0; flapping; n += 1) {
      const { status } = await postCard(a.url, boardOfA, `flap ${n}`);
      if (status !== 201) t.fail(`a change to an own board was answered with ${status}`);
      written.push(`flap ${n}`);
      await pause(5);
    }
  })();
  for (let n = 0; n < 4; n += 1) {
    await nats.kill();
    await pause(150);
    await nats.start();
    await pause(n * 300);
  }
  flapping = false;
  await writing;
  for (const socket of sockets) {
    await socket.find(() => socket.events.length >= written.length);
    t.strictSame(titlesHeardBy(socket), written);
    await socket.close();
  }
  await cluster.evenlySpread();
});

t.test('CLUSTER24 a member who was removed while NATS was away is disconnected when it returns', async (t) => {
  const [bob, eve] = [await newUser(a.api), await newUser(a.api)];
  const overview = await cluster.overview();
  const [home, away] = overview.find(({ owns }) => owns.includes('directory'))?.pid === a.pid ? [a, b] : [b, a];
  const board = home === a ? boardOfA : boardOfB;
  for (const { id: user_id } of [bob, eve]) {
    await home.api.request('POST', `/boards/${board.id}/invite`, { token: ann.token, json: { user_id } });
  }
  const [removed, deactivated] = [await TestSocket.join(away.url, board.id, bob), await TestSocket.join(away.url, board.id, eve)];
  await nats.kill();
  await until(async () => (await isCutOff(a.url)) && (await isCutOff(b.url)));
  const path = `/boards/${board.id}/members/${bob.id}`;
  t.equal((await home.api.request('DELETE', path, { token: ann.token })).status, 204);
  await changeUser(cluster.dataDir, eve.id, { is_active: false });
  await nats.start();
  t.match(await removed.closed, { code: 1008 });
  t.match(await deactivated.closed, { code: 1008 });
});

t.test('CLUSTER24 a board that was deleted while NATS was away closes its sockets when it returns', async (t) => {
  const board = await boardOwnedBy(cluster, a, ann);
  const socket = await TestSocket.join(b.url, board.id, ann);
  await nats.kill();
  await until(async () => (await isCutOff(a.url)) && (await isCutOff(b.url)));
  t.equal((await a.api.request('DELETE', `/boards/${board.id}`, { token: ann.token })).status, 204);
  await nats.start();
  t.match(await socket.closed, { code: 4410 });
  await cluster.evenlySpread();
});

t.test('CLUSTER40 instances that start without NATS serve what they can, and share when it appears', async (t) => {
  await nats.kill();
  const alone = await TestCluster.prepare(t, { NATS_URL: nats.url });
  const one = await alone.add();
  const eve = await newUser(one.api);
  const board = await boardOwnedBy(alone, one, eve);
  t.equal(await addCard(one, eve, board, 'alone'), 201);
  await nats.start();
  const two = await alone.add();
  await alone.evenlySpread();
  t.strictSame(await titlesOn(two, eve, board), ['alone']);
  t.equal((await alone.overview(first(alone.running))).length, 2);
});
