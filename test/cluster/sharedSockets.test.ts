import t, { type Test } from 'tap';
import { CardWriter } from '../support/board/cardWriter.js';
import { first, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { boardOwnedBy, type ClusterBoard } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { range } from '../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('CLUSTER13 and SHARE36', skip);

const cluster = await TestCluster.start(t, 3, { HEARTBEAT_INTERVAL_SECONDS: '1', PRESENCE_TTL_SECONDS: '6' });
const [ann, bob, eve] = await Promise.all([1, 2, 3].map(() => newUser(first(cluster.running).api)));
if (ann === undefined || bob === undefined || eve === undefined) throw new Error('there are three');

async function sharedBoard(owner: Instance): Promise<ClusterBoard> {
  const board = await boardOwnedBy(cluster, owner, ann as TestUser);
  for (const user of [bob, eve]) await invite(owner, board, user as TestUser);
  return board;
}

async function invite({ api }: Instance, { id }: ClusterBoard, { id: user_id }: TestUser): Promise<void> {
  await api.request('POST', `/boards/${id}/invite`, { token: (ann as TestUser).token, json: { user_id } });
}

async function rename({ api }: Instance, { id }: ClusterBoard, title: string): Promise<void> {
  await api.request('PATCH', `/boards/${id}`, { token: (ann as TestUser).token, json: { title } });
}

async function enter({ url }: Instance, user: TestUser, boards: readonly ClusterBoard[]): Promise<TestSharedSocket> {
  const socket = await TestSharedSocket.enter(url, user, { unchecked: true });
  await Promise.all(boards.map(({ id }) => socket.subscribe(id, 'latest')));
  return socket;
}

/** What the client knows of a board: the users online, and the states, each once. */
function known(socket: TestSharedSocket, { id }: ClusterBoard): { readonly online: unknown[]; readonly states: unknown[] } {
  const online = new Set<unknown>();
  const states = new Map<unknown, { readonly user_id: unknown; readonly state: unknown }>();
  for (const { type, user_id, connection_id, state, online_users } of socket.about(id)) {
    if (type === 'subscribed') for (const each of online_users as Array<{ user_id: string }>) online.add(each.user_id);
    if (type === 'user_joined') online.add(user_id);
    if (type === 'state' && state !== null) states.set(connection_id, { user_id, state });
    if (type === 'state' && state === null) states.delete(connection_id);
    if (type !== 'user_left') continue;
    online.delete(user_id);
    for (const [connection, each] of [...states]) if (each.user_id === user_id) states.delete(connection);
  }
  return { online: [...online].sort(), states: [...states.values()].map(({ state }) => state).sort() };
}

/** Resolves when the client knows exactly these users and states. */
async function knows(socket: TestSharedSocket, board: ClusterBoard, users: readonly TestUser[], states: readonly unknown[]): Promise<void> {
  const expected = JSON.stringify({ online: users.map(({ id }) => id).sort(), states: [...states].sort() });
  const seen = (): string => JSON.stringify(known(socket, board));
  await until(
    () => seen() === expected,
    () => ({ expected, seen: seen() }),
  );
}

/** Every number once, from the first to the last. */
function checkNumbers(t: Test, socket: TestSharedSocket, { id }: ClusterBoard, last: number): void {
  const numbers = socket.seqs(id).map(Number);
  t.strictSame(numbers, range(numbers[0] ?? last, last), 'no gap, no repetition');
}

async function seqOf({ api }: Instance, { id }: ClusterBoard): Promise<number> {
  const { headers } = await api.request('GET', `/boards/${id}`, { token: (ann as TestUser).token });
  return Number(JSON.parse(headers.get('etag') ?? '0'));
}

t.test('CLUSTER13 events, presence, states, signals and feeds reach shared sockets of every instance', async (t) => {
  const [a, b, c] = cluster.running as [Instance, Instance, Instance];
  const boards = [await sharedBoard(a), await sharedBoard(b)];
  const [annsSocket, bobsSocket] = [await enter(a, ann, boards), await enter(b, bob, boards)];
  for (const [index, board] of boards.entries()) {
    annsSocket.tell({ type: 'state', board_id: board.id, state: `ann ${index}` });
    bobsSocket.tell({ type: 'state', board_id: board.id, state: `bob ${index}` });
    const states = [`ann ${index}`, `bob ${index}`];
    for (const socket of [annsSocket, bobsSocket]) await knows(socket, board, [ann, bob], states);
    const evesSocket = await enter(c, eve, [board]);
    await knows(evesSocket, board, [ann, bob, eve], states);
    for (const socket of [annsSocket, bobsSocket]) await knows(socket, board, [ann, bob, eve], states);
    for (const [sender, receivers] of [
      [annsSocket, [bobsSocket, evesSocket]],
      [evesSocket, [annsSocket, bobsSocket]],
    ] as const) {
      const data = `signal ${index} ${sender === annsSocket ? 'of ann' : 'of eve'}`;
      sender.tell({ type: 'signal', board_id: board.id, data });
      for (const receiver of receivers) t.match(await receiver.find((message) => message['data'] === data), { board_id: board.id });
    }
    await evesSocket.close();
    for (const socket of [annsSocket, bobsSocket]) await knows(socket, board, [ann, bob], states);
    await bobsSocket.find(({ type, board_id }) => type === 'user_left' && board_id === board.id);
  }
  const signals = [annsSocket, bobsSocket].map((socket) => socket.messages.filter(({ type }) => type === 'signal').length);
  t.strictSame(signals, [2, 4], 'each signal once, and none to its sender');

  const later = await boardOwnedBy(cluster, a, ann);
  await invite(c, later, bob);
  await bobsSocket.find(({ type, board_id }) => type === 'user.board_added' && board_id === later.id);
  await rename(b, later, 'Renamed');
  await bobsSocket.find(({ type, board_id, title }) => type === 'user.board_changed' && board_id === later.id && title === 'Renamed');
  await Promise.all([annsSocket, bobsSocket].map((socket) => socket.close()));
});

t.test('SHARE36 when the owner of boards dies or hands them over, shared sockets miss nothing, and newcomers know every state', async (t) => {
  const victim = await instanceWithoutDirectory();
  const [one, two] = cluster.others(victim) as [Instance, Instance];
  const boards = [...(await Promise.all([1, 2, 3].map(() => sharedBoard(victim)))), await sharedBoard(one), await sharedBoard(two)];
  const [annsSocket, bobsSocket, evesSocket] = [await enter(one, ann, boards), await enter(two, bob, boards), await enter(victim, eve, boards)];
  for (const [socket, state] of [
    [annsSocket, 'ann'],
    [bobsSocket, 'bob'],
    [evesSocket, 'eve'],
  ] as const) {
    for (const { id: board_id } of boards) socket.tell({ type: 'state', board_id, state });
  }
  for (const board of boards) await knows(annsSocket, board, [ann, bob, eve], ['ann', 'bob', 'eve']);
  const writer = new CardWriter({ name: 'around a kill', user: ann, boards, pick: () => one, parallel: 5, pace: 2 });
  const more = async (): Promise<void> => {
    const before = writer.acknowledged.length;
    await until(async () => writer.acknowledged.length > before + 50);
  };
  await more();
  await victim.kill();
  await more();
  // At once, while the new owners still learn the connections.
  const newcomers = [await enter(two, bob, boards), await enter(one, ann, boards)];
  for (const socket of [annsSocket, bobsSocket, ...newcomers]) {
    for (const board of boards) await knows(socket, board, [ann, bob], ['ann', 'bob']);
  }
  const added = await cluster.add();
  await cluster.evenlySpread();
  newcomers.push(await enter(added, eve, boards));
  await more();
  await writer.stop();
  for (const socket of [annsSocket, bobsSocket, ...newcomers]) {
    for (const board of boards) {
      await knows(socket, board, [ann, bob, eve], ['ann', 'bob']);
      const last = await seqOf(one, board);
      await socket.find(({ board_id, seq, type }) => board_id === board.id && type.includes('.') && seq === last);
      checkNumbers(t, socket, board, last);
    }
    t.notOk(
      socket.messages.some(({ type }) => ['unsubscribed', 'error', 'resync'].includes(type)),
      'and nothing else happened to it',
    );
  }
  const [board] = boards;
  if (board === undefined) throw new Error('there are five');
  await rename(added, board, 'After it all');
  for (const socket of [annsSocket, ...newcomers]) await socket.find(({ type, title }) => type === 'user.board_changed' && title === 'After it all');
  await Promise.all([annsSocket, bobsSocket, ...newcomers].map((socket) => socket.close()));
});

t.test('CLUSTER13 presence and states that changed while NATS was away are the same everywhere when it returns', async (t) => {
  const [a, b] = cluster.running as [Instance, Instance];
  const board = await sharedBoard(a);
  const [annsSocket, bobsSocket] = [await enter(a, ann, [board]), await enter(b, bob, [board])];
  const evesSocket = await enter(a, eve, [board]);
  const show = (socket: TestSharedSocket, state: unknown): void => socket.tell({ type: 'state', board_id: board.id, state });
  show(annsSocket, 'ann');
  show(bobsSocket, 'bob');
  show(evesSocket, 'eve');
  await knows(bobsSocket, board, [ann, bob, eve], ['ann', 'bob', 'eve']);
  await cluster.nats.kill();
  await until(async () => (await isCutOff(a)) && (await isCutOff(b)));
  show(annsSocket, 'ann again');
  show(bobsSocket, 'bob again');
  await evesSocket.close();
  await annsSocket.find(({ type, user_id }) => type === 'user_left' && user_id === eve.id);
  await bobsSocket.handled();
  await cluster.nats.start();
  for (const socket of [annsSocket, bobsSocket]) await knows(socket, board, [ann, bob], ['ann again', 'bob again']);
  const late = await enter(b, eve, [board]);
  for (const socket of [late, annsSocket, bobsSocket]) await knows(socket, board, [ann, bob, eve], ['ann again', 'bob again']);
  t.strictSame(known(late, board), known(annsSocket, board), 'newcomers know the same');
  await Promise.all([annsSocket, bobsSocket, late].map((socket) => socket.close()));
});

async function isCutOff({ url }: Instance): Promise<boolean> {
  const { pubsub } = (await (await fetch(`${url}/health`)).json()) as { pubsub: string };
  return pubsub === 'disconnected';
}

async function instanceWithoutDirectory(): Promise<Instance> {
  const { pid } = await until(async () => (await cluster.overview()).find(({ owns }) => !owns.includes('directory')));
  return first(cluster.running.filter((each) => each.pid === pid));
}
