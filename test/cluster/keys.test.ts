/** API keys on several instances. */
import t from 'tap';
import { first, TestCluster } from '../support/cluster/cluster.js';
import { boardOwnedBy } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { newKey } from '../support/http/keys.js';
import { statusOf } from '../support/http/sessions.js';
import { newUser } from '../support/http/users.js';
import { TestEventStream } from '../support/realtime/eventStream.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';
import { TestSocket } from '../support/realtime/socket.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('KEY10', skip);

const REVOKED = { code: 1008, reason: 'The API key was revoked' };

const cluster = await TestCluster.start(t, 2);
const [a, b] = [first(cluster.instances), first(cluster.instances.slice(1))];

t.test('KEY10 a key that is revoked at one instance is refused at the other, and its sockets there are closed', async (t) => {
  for (const [here, there] of [
    [a, b],
    [b, a],
  ] as const) {
    const user = await newUser(here.api);
    const board = await boardOwnedBy(cluster, here, user);
    const { id, key } = await newKey(here.api, user);
    const kept = await newKey(there.api, user, { board_ids: [board.id] });
    t.equal(await statusOf(there.api, key), 200, 'known and cached there');
    t.equal(await statusOf(here.api, kept.key), 200);
    const socket = await TestSocket.join(there.url, board.id, { id: user.id, token: key });
    const several = await TestSharedSocket.enter(there.url, { token: key });
    const stream = await TestEventStream.open(there.url, board.id, { token: key });
    const keptSocket = await TestSharedSocket.enter(there.url, { token: kept.key });
    t.equal((await here.api.request('DELETE', `/auth/keys/${id}`, { token: user.token })).status, 204);
    t.strictSame(await Promise.all([socket.closed, several.closed]), [REVOKED, REVOKED]);
    await stream.ended;
    t.strictSame(stream.events.at(-1)?.data, REVOKED);
    t.equal(await statusOf(there.api, key), 401);
    t.equal(await statusOf(there.api, kept.key), 200, 'other keys go on');
    t.match(await keptSocket.subscribe(board.id), { type: 'subscribed' });
    await keptSocket.close();
  }
});

t.test('KEY10 keys that were revoked while NATS was away are found when it returns', async (t) => {
  const overview = await cluster.overview();
  const [home, away] = overview.find(({ owns }) => owns.includes('directory'))?.pid === a.pid ? [a, b] : [b, a];
  const user = await newUser(home.api);
  const [revoked, kept] = [await newKey(home.api, user), await newKey(home.api, user)];
  const socket = await TestSharedSocket.enter(away.url, { token: revoked.key });
  const keptSocket = await TestSharedSocket.enter(away.url, { token: kept.key });
  await cluster.nats.kill();
  const isCutOff = async (url: string): Promise<boolean> =>
    ((await (await fetch(`${url}/health`)).json()) as { pubsub: string }).pubsub === 'disconnected';
  await until(async () => (await isCutOff(a.url)) && (await isCutOff(b.url)));
  t.equal((await home.api.request('DELETE', `/auth/keys/${revoked.id}`, { token: user.token })).status, 204);
  t.equal(await statusOf(home.api, revoked.key), 401);
  await cluster.nats.start();
  t.match(await socket.closed, REVOKED);
  await until(async () => (await statusOf(away.api, revoked.key)) === 401);
  t.equal(await statusOf(away.api, kept.key), 200);
  keptSocket.tell({ type: 'auth', token: 'nonsense' });
  t.match(await keptSocket.find('error'), { code: 'unauthenticated' }, 'it is open and answered');
  await keptSocket.close();
});
