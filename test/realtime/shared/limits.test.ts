import { randomUUID } from 'node:crypto';
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import {
  FOLLOWING_RATE,
  MAX_BOARDS_PER_SOCKET,
  MAX_BOARDS_PER_USER,
  MAX_SHARED_MESSAGES_PER_SECOND,
  MAX_STATES_PER_SOCKET,
  MEAN_BOARDS_PER_SOCKET,
  RENEWAL_RATE,
  SIGNAL_RATE,
  STATE_RATE,
} from '../../../src/api/socketLimits.js';
import type { Environment } from '../../../src/settings/config.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { Deferred } from '../../../src/flow/deferred.js';
import { range } from '../../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { startSocketEdge } from '../../support/realtime/socketEdge.js';

const ANN = randomUUID();
const BOB = randomUUID();
const PONG = '{"type":"pong"}';

interface Edge {
  /** A socket of this user. */
  enter(userId?: string): Promise<TestSharedSocket>;
  passSeconds(seconds: number): void;
}

/** The WebSocket edge with a manual clock. The token of a user is the user's id. */
async function startEdge(t: Test, settings: Environment = {}): Promise<Edge> {
  mock.timers.enable({ apis: ['setInterval'] });
  t.teardown(() => mock.timers.reset());
  let now = 0;
  const identify = async (id: unknown): Promise<PublicUser> => ({ id, username: 'someone' }) as PublicUser;
  const { url } = await startSocketEdge(t, identify, { settings, monotonic: () => now });
  return {
    enter: (token = ANN) => TestSharedSocket.enter(url, { token }),
    passSeconds: (seconds) => {
      now += seconds * 1000;
      mock.timers.tick(seconds * 1000);
    },
  };
}

/** Follows this many boards, which takes some seconds of the manual clock. */
async function followMany(edge: Edge, socket: TestSharedSocket, count: number): Promise<string[]> {
  const ids = range(1, count).map(() => randomUUID() as string);
  await Promise.all(ids.map((id) => socket.subscribe(id)));
  edge.passSeconds(FOLLOWING_RATE.burst / FOLLOWING_RATE.perSecond);
  return ids;
}

t.test('SHARE19 a socket follows at most 500 boards, and all sockets of a user 2,000; leaving makes room', async (t) => {
  const edge = await startEdge(t);
  const sockets = await Promise.all(range(1, MAX_BOARDS_PER_USER / MAX_BOARDS_PER_SOCKET).map(() => edge.enter()));
  const ids: string[][] = [];
  for (const socket of sockets) ids.push(await followMany(edge, socket, MAX_BOARDS_PER_SOCKET));
  const [first] = sockets;
  const board_id = randomUUID();
  t.match(await first?.refused({ type: 'subscribe', board_id }), { code: 'limit', board_id, detail: /A socket follows at most 500 boards/ });
  const fifth = await edge.enter();
  t.match(await fifth.refused({ type: 'subscribe', board_id }), { code: 'limit', board_id, detail: /at most 2000 boards/ });
  t.match(await (await edge.enter(BOB)).subscribe(board_id), { type: 'subscribed' }, 'another user may');
  first?.tell({ type: 'unsubscribe', board_id: ids[0]?.[0] });
  await first?.find('unsubscribed');
  t.match(await fifth.subscribe(board_id), { type: 'subscribed' });
  t.match(await first?.refused({ type: 'subscribe', board_id }), { detail: /at most 2000/ });
  await sockets[1]?.close();
  t.match(await first?.subscribe(board_id), { type: 'subscribed' }, 'a closed socket makes room as well');
});

t.test('SHARE19 all sockets of an instance follow a bounded number of boards', async (t) => {
  const edge = await startEdge(t, { MAX_SOCKETS: '5', MAX_SOCKETS_PER_USER: '5' });
  const [annsSocket, bobsSocket] = [await edge.enter(), await edge.enter(BOB)];
  await followMany(edge, annsSocket, 2 * MEAN_BOARDS_PER_SOCKET);
  const [board_id] = await followMany(edge, bobsSocket, 3 * MEAN_BOARDS_PER_SOCKET);
  const one = { type: 'subscribe', board_id: randomUUID() };
  for (const socket of [annsSocket, bobsSocket])
    t.match(await socket.refused(one), { code: 'too_many', retry_after: 1, detail: /at most 100 boards/ });
  bobsSocket.tell({ type: 'unsubscribe', board_id });
  await bobsSocket.handled();
  t.match(await annsSocket.subscribe(one.board_id), { type: 'subscribed' });
});

t.test('SHARE19 states are limited to some boards of a socket; null and the end of a subscription make room', async (t) => {
  const edge = await startEdge(t);
  const socket = await edge.enter();
  const ids = await followMany(edge, socket, MAX_STATES_PER_SOCKET + 2);
  const [first, second] = ids;
  const [beyond = '', further = ''] = ids.slice(MAX_STATES_PER_SOCKET);
  const show = (board_id: string | undefined, state: unknown = 1): void => socket.tell({ type: 'state', board_id, state });
  for (const id of ids.slice(0, MAX_STATES_PER_SOCKET)) show(id);
  await socket.handled();
  edge.passSeconds(10);
  t.match(await socket.refused({ type: 'state', board_id: beyond, state: 1 }), { code: 'limit', board_id: beyond, detail: /at most 20 boards/ });
  show(first, 2);
  show(first, null);
  show(beyond);
  socket.tell({ type: 'unsubscribe', board_id: second });
  await socket.find('unsubscribed');
  show(further);
  show(beyond, null);
  show(beyond);
  t.match(await socket.refused({ type: 'state', board_id: first, state: 1 }), { code: 'limit', board_id: first });
  t.equal(socket.messages.filter(({ type }) => type === 'error').length, 2, 'the others were accepted');
});

t.test('SHARE21 each kind of message has a rate for all sockets of a user; a refusal says when it is allowed again', async (t) => {
  const edge = await startEdge(t);
  const [one, two, other] = [await edge.enter(), await edge.enter(), await edge.enter(BOB)];
  const board_id = randomUUID();
  for (const socket of [one, two, other]) await socket.subscribe(board_id);
  edge.passSeconds(60);
  const kinds = {
    subscribe: { rate: FOLLOWING_RATE, message: () => ({ type: 'subscribe', board_id: randomUUID() }) },
    state: { rate: STATE_RATE, message: () => ({ type: 'state', board_id, state: randomUUID() }) },
    signal: { rate: SIGNAL_RATE, message: () => ({ type: 'signal', board_id, data: 1 }) },
    auth: { rate: RENEWAL_RATE, message: () => ({ type: 'auth', token: ANN }) },
  };
  for (const [kind, { rate, message }] of Object.entries(kinds)) {
    const errors = (socket: TestSharedSocket): number => socket.messages.filter(({ type }) => type === 'error').length;
    const before = [one, two].map(errors);
    for (const n of range(1, rate.burst)) (n % 2 === 0 ? one : two).tell(message());
    for (const socket of [one, two]) await socket.handled();
    t.strictSame([one, two].map(errors), before, `${kind}: ${rate.burst} at once`);
    const refusal = await one.refused(message());
    t.match(refusal, { code: 'too_many', retry_after: Math.ceil(1000 / rate.perSecond) / 1000 });
    t.match(await two.refused(message()), { code: 'too_many' }, 'on either socket');
    edge.passSeconds(Number(refusal['retry_after']));
    two.tell(message());
    await two.handled();
    t.match(await one.refused(message()), { code: 'too_many' }, 'one more after that time');
    other.tell({ ...message(), ...(kind === 'auth' ? { token: BOB } : {}) });
    await other.handled();
    t.equal(errors(other), 0, 'another user has a rate of their own');
    edge.passSeconds(60);
  }
});

t.test('SHARE21 a user who sends too many messages a second is closed with 1008 on every socket that sends, and nobody else', async (t) => {
  const edge = await startEdge(t);
  const [one, two, silent, other] = [await edge.enter(), await edge.enter(), await edge.enter(), await edge.enter(BOB)];
  for (const _second of range(1, 3)) {
    for (const _ of range(2, MAX_SHARED_MESSAGES_PER_SECOND / 2)) for (const socket of [one, two]) socket.send(PONG);
    for (const socket of [one, two]) await socket.handled();
    edge.passSeconds(1);
  }
  for (const _ of range(2, MAX_SHARED_MESSAGES_PER_SECOND)) one.send(PONG);
  await one.handled();
  for (const socket of [two, one]) {
    socket.send(PONG);
    t.match(await socket.closed, { code: 1008, reason: /at most 1000 a second/ });
  }
  t.match((await (await edge.enter(BOB)).subscribe(randomUUID())).type, 'subscribed');
  edge.passSeconds(1);
  for (const socket of [silent, other]) await socket.handled();
});

t.test('SHARE5 messages before the user is identified are kept up to a bound, then carried out in order', async (t) => {
  const users = new Deferred<PublicUser>();
  const { url } = await startSocketEdge(t, () => users.promise);
  const ids = range(1, MAX_BOARDS_PER_SOCKET).map(() => randomUUID() as string);
  const early = await TestSharedSocket.openShared(url, { token: ANN });
  for (const board_id of ids) early.tell({ type: 'subscribe', board_id });
  const eager = await TestSharedSocket.openShared(url, { token: ANN });
  for (const _ of range(0, MAX_BOARDS_PER_SOCKET + 10)) eager.send('x');
  t.match(await eager.closed, { code: 1008, reason: /before the user was identified/ }, 'too many');
  const long = await TestSharedSocket.openShared(url, { token: ANN });
  for (const _ of range(0, 16)) long.send('x'.repeat(4 * 1024));
  t.match(await long.closed, { code: 1008, reason: /before the user was identified/ }, 'too long');
  const many = await Promise.all(range(0, 256).map(() => TestSharedSocket.openShared(url, { token: ANN })));
  for (const socket of many) for (const _ of range(1, 16)) socket.send('x'.repeat(4 * 1024 - 1));
  t.match(await Promise.race(many.map(({ closed }) => closed)), { code: 1008 }, 'too much of all clients');
  await Promise.all(many.map((socket) => socket.close()));
  const later = await TestSharedSocket.openShared(url, { token: ANN });
  later.tell({ type: 'unsubscribe', board_id: ids[0] });
  users.resolve({ id: ANN, username: 'ann' } as PublicUser);
  t.match(await early.message(0), { type: 'authenticated' });
  await early.find(({ board_id }) => board_id === ids.at(-1));
  t.strictSame(
    early.messages.filter(({ type }) => type === 'subscribed').map(({ board_id }) => board_id),
    ids,
  );
  t.match(await later.find('error'), { code: 'not_found' }, 'and there is room again for others');
});
