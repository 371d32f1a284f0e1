/** Sessions on several instances. */
import t from 'tap';
import { first, TestCluster } from '../support/cluster/cluster.js';
import { boardOwnedBy } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { logInPair, refresh, statusOf } from '../support/http/sessions.js';
import { newUser } from '../support/http/users.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';
import { TestSocket } from '../support/realtime/socket.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('SESS19 and SESS20', skip);

const ENDED = { code: 1008, reason: 'The session has ended' };

const cluster = await TestCluster.start(t, 2);
const [a, b] = [first(cluster.instances), first(cluster.instances.slice(1))];

t.test('SESS7 a session that ends at one instance is refused at the other, and its sockets there are closed', async (t) => {
  for (const [here, there] of [
    [a, b],
    [b, a],
  ] as const) {
    const user = await newUser(here.api);
    const board = await boardOwnedBy(cluster, here, user);
    const { access_token: token, refresh_token } = await logInPair(here.api, user);
    t.equal(await statusOf(there.api, token), 200, 'known and cached there');
    const socket = await TestSocket.join(there.url, board.id, { id: user.id, token });
    const several = await TestSharedSocket.enter(there.url, { token });
    t.equal((await here.api.request('POST', '/auth/logout', { token })).status, 200);
    t.strictSame(await Promise.all([socket.closed, several.closed]), [ENDED, ENDED]);
    t.equal(await statusOf(there.api, token), 401);
    t.equal((await refresh(there.api, refresh_token)).status, 401);
    t.equal(await statusOf(there.api, user.token), 200, 'other sessions go on');
  }
});

t.test('SESS7 a new password at one instance ends the sessions at the other', async (t) => {
  const user = await newUser(a.api);
  const other = await logInPair(b.api, user);
  const socket = await TestSharedSocket.enter(b.url, { token: other.access_token });
  const own = await TestSharedSocket.enter(b.url, { token: user.token });
  const json = { current_password: user.password, new_password: 'another one' };
  t.equal((await a.api.request('POST', '/auth/change-password', { token: user.token, json })).status, 200);
  t.match(await socket.closed, ENDED);
  t.equal(await statusOf(b.api, other.access_token), 401);
  t.equal(await statusOf(b.api, user.token), 200);
  await own.close();
});

t.test('SESS3 refreshes at two instances at the same time get the same pair', async (t) => {
  const user = await newUser(a.api);
  for (let n = 0; n < 5; n += 1) {
    const { refresh_token } = await logInPair(a.api, user);
    const answers = await Promise.all([a, b, a, b].map(({ api }) => refresh(api, refresh_token)));
    for (const { status, body } of answers) {
      t.equal(status, 200);
      t.strictSame(body, answers[0]?.body);
    }
    t.equal((await refresh(b.api, answers[0]?.body.refresh_token ?? '')).status, 200);
  }
});

t.test('SESS7 a refresh at one instance keeps sockets at the other open', async (t) => {
  const cluster = await TestCluster.start(t, 2, { JWT_LIFETIME_SECONDS: '8' });
  const [a, b] = [first(cluster.instances), first(cluster.instances.slice(1))];
  const user = await newUser(a.api);
  const [kept, lapsing] = [await logInPair(a.api, user), await logInPair(a.api, user)];
  const since = Date.now();
  const enter = (token: string) => TestSharedSocket.enter(b.url, { token });
  const [keptSocket, lapsingSocket] = [await enter(kept.access_token), await enter(lapsing.access_token)];
  await until(async () => Date.now() > since + 5_000);
  t.equal((await refresh(a.api, kept.refresh_token)).status, 200);
  t.match(await lapsingSocket.closed, { code: 1008, reason: 'The token expired' });
  keptSocket.tell({ type: 'auth', token: 'nonsense' });
  t.match(await keptSocket.find('error'), { code: 'unauthenticated' }, 'it is open and answered');
  await keptSocket.close();
});

t.test('SESS20 sessions that ended while NATS was away are found when it returns', async (t) => {
  const overview = await cluster.overview();
  const [home, away] = overview.find(({ owns }) => owns.includes('directory'))?.pid === a.pid ? [a, b] : [b, a];
  const user = await newUser(home.api);
  const { access_token: token } = await logInPair(home.api, user);
  const lasting = await logInPair(home.api, user);
  const [socket, lastingSocket] = [
    await TestSharedSocket.enter(away.url, { token }),
    await TestSharedSocket.enter(away.url, { token: lasting.access_token }),
  ];
  t.equal(await statusOf(away.api, token), 200);
  await cluster.nats.kill();
  const isCutOff = async (url: string): Promise<boolean> =>
    ((await (await fetch(`${url}/health`)).json()) as { pubsub: string }).pubsub === 'disconnected';
  await until(async () => (await isCutOff(a.url)) && (await isCutOff(b.url)));
  t.equal((await home.api.request('POST', '/auth/logout', { token })).status, 200);
  t.equal(await statusOf(home.api, token), 401);
  t.equal(await statusOf(away.api, token), 200, 'an instance that is cut off honours it');
  await cluster.nats.start();
  t.match(await socket.closed, ENDED);
  await until(async () => (await statusOf(away.api, token)) === 401);
  t.equal(await statusOf(away.api, lasting.access_token), 200);
  await lastingSocket.close();
});
