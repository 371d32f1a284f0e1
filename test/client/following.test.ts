import t from 'tap';
import { createTokens } from '../../src/auth/tokens.js';
import { sharedApp, startTestApp } from '../support/service/app.js';
import { temporaryFolder } from '../support/store/folder.js';
import { HeldClock, PAUSES } from './heldClock.js';
import { anotherDevice, checkCopy, follow, newPerson, shareBoard, until } from './people.js';
import { startRelay } from './relay.js';

const SHORT_HEARTBEAT = { HEARTBEAT_INTERVAL_SECONDS: '0.1', PONG_TIMEOUT_SECONDS: '0.1' };

const { url, config } = await sharedApp();

t.test('CLIENT14 changes by others and by the client itself arrive', async (t) => {
  const [ada, bob] = [await newPerson(t, url), await newPerson(t, url)];
  const { boardId, columnId } = await shareBoard(ada, bob);
  const connection = follow(t, ada, boardId);
  const types: string[] = [];
  connection.on('event', ({ type }) => types.push(type));
  t.strictSame(await connection.ready, await ada.client.board.get({ board_id: boardId }));

  const card = await bob.client.card.create({ board_id: boardId, column_id: columnId }, { title: 'From Bob' });
  await ada.client.card.assign({ card_id: card.id }, { user_ids: [bob.id] });
  await bob.client.attachment.create({ card_id: card.id }, { name: 'file', content: 'text' });
  await checkCopy(t, connection, ada, boardId);
  t.strictSame(types, ['card.created', 'card.assigned', 'attachment.created']);

  await bob.client.auth.updateMe({ firstname: 'Robert' });
  const shownName = (): unknown => connection.board?.columns[0]?.cards[0]?.assignees[0]?.firstname;
  await until(connection, () => shownName() === 'Robert');
  t.strictSame(connection.board, await ada.client.board.get({ board_id: boardId }), 'and so does a new name');
});

t.test('CLIENT41 online users are known on every connection', async (t) => {
  const [ada, bob] = [await newPerson(t, url), await newPerson(t, url)];
  const { boardId } = await shareBoard(ada, bob);
  const first = follow(t, ada, boardId);
  await until(first, () => first.presence.length === 1);
  const second = follow(t, bob, boardId);
  const both = [ada, bob].map(({ id, username }) => ({ user_id: id, username }));
  await Promise.all([first, second].map((connection) => until(connection, () => connection.presence.length === 2)));
  t.strictSame([first.presence, second.presence], [both, both]);
  second.close();
  await until(first, () => first.presence.length === 1);
  t.strictSame(first.presence, both.slice(0, 1));
});

t.test('CLIENT19 a connection survives its heartbeats', async (t) => {
  const { url } = await startTestApp(t, SHORT_HEARTBEAT);
  const ada = await newPerson(t, url);
  const { boardId } = await shareBoard(ada);
  const connection = follow(t, ada, boardId);
  await connection.ready;
  const pings = (): number => ada.sockets.latest().received.filter(({ type }) => type === 'ping').length;
  await new Promise<void>((resolve) => {
    ada.sockets.latest().on('message', () => {
      if (pings() >= 5) resolve();
    });
  });
  t.strictSame([connection.state.kind, ada.sockets.made.length], ['live', 1]);
});

t.test('CLIENT14 nothing is lost while the service restarts', async (t) => {
  const relay = await startRelay(t);
  const settings = { DATA_DIR: await temporaryFolder(t) };
  const before = await startTestApp(t, settings);
  relay.target = before.url;
  const clock = new HeldClock(PAUSES);
  const ada = await newPerson(t, relay.url, { clock });
  const writer = anotherDevice(t, relay.url, ada);
  const { boardId, columnId } = await shareBoard(ada);
  const connection = follow(t, ada, boardId);
  const seqs: number[] = [];
  connection.on('event', ({ seq }) => seqs.push(seq));
  await connection.ready;
  const from = connection.seq;
  await writer.client.card.create({ board_id: boardId, column_id: columnId }, { title: 'Before' });
  await checkCopy(t, connection, writer, boardId);
  await before.close();
  await until(connection, () => connection.state.kind === 'waiting');
  t.match(connection.state, { reason: /^Closed with 1001/ });

  relay.target = (await startTestApp(t, settings)).url;
  for (const title of ['Between', 'and before the client is back']) {
    await writer.client.card.create({ board_id: boardId, column_id: columnId }, { title });
  }
  clock.fire();
  await checkCopy(t, connection, writer, boardId);
  t.strictSame(seqs, [from + 1, from + 2, from + 3]);
});

t.test('CLIENT14 the client waits for a service that is not yet up', async (t) => {
  const relay = await startRelay(t);
  relay.target = url;
  const ada = await newPerson(t, relay.url);
  const { boardId } = await shareBoard(ada);
  relay.target = null;
  const connection = follow(t, ada, boardId);
  await until(connection, () => connection.state.kind === 'waiting');
  relay.target = url;
  t.strictSame(await connection.ready, await ada.client.board.get({ board_id: boardId }));
});

t.test('CLIENT17 a client that was away longer than events are kept reads the board again', async (t) => {
  const { url } = await startTestApp(t, { EVENT_RETENTION_COUNT: '5' });
  const clock = new HeldClock(PAUSES);
  const [ada, bob] = [await newPerson(t, url, { clock }), await newPerson(t, url)];
  const { boardId, columnId } = await shareBoard(ada, bob);
  const connection = follow(t, ada, boardId);
  await connection.ready;
  const causes: Array<number | null> = [];
  connection.on('change', ({ event }) => causes.push(event?.seq ?? null));
  ada.sockets.latest().cut();
  await until(connection, () => connection.state.kind === 'waiting');
  // The service prunes old events occasionally, not with every new one.
  for (let n = 0; n < 200; n += 1) await bob.client.column.update({ column_id: columnId }, { title: `Column ${n}` });
  clock.fire();
  await until(connection, () => connection.state.kind === 'live');
  t.strictSame(causes, [null]);
  const types = ada.sockets.latest().received.map(({ type }) => type);
  t.strictSame(types.slice(0, 3), ['authenticated', 'subscribed', 'resync']);
  await checkCopy(t, connection, ada, boardId);
  await bob.client.column.update({ column_id: columnId }, { title: 'After' });
  await checkCopy(t, connection, ada, boardId);
});

t.test('CLIENT21 the client stops when its user is removed from the board', async (t) => {
  const [ada, bob] = [await newPerson(t, url), await newPerson(t, url)];
  const { boardId } = await shareBoard(ada, bob);
  const connection = follow(t, bob, boardId);
  await connection.ready;
  await ada.client.member.remove({ board_id: boardId, user_id: bob.id });
  await until(connection, () => connection.state.kind === 'closed');
  t.match(connection.state, { cause: 'refused' });
  const again = follow(t, bob, boardId);
  await t.rejects(again.ready, { name: 'ApiError', status: 403 });
});

t.test('CLIENT21 the client stops when the board is deleted', async (t) => {
  const ada = await newPerson(t, url);
  const clock = new HeldClock(PAUSES);
  const away = anotherDevice(t, url, ada, { clock });
  const { boardId } = await shareBoard(ada);
  const [present, absent] = [follow(t, ada, boardId), follow(t, away, boardId)];
  await Promise.all([present.ready, absent.ready]);
  away.sockets.latest().cut();
  await until(absent, () => absent.state.kind === 'waiting');
  await ada.client.board.delete({ board_id: boardId });
  await until(present, () => present.state.kind === 'closed');
  t.match(present.state, { cause: 'board deleted' });
  clock.fire();
  await until(absent, () => absent.state.kind === 'closed');
  t.match(absent.state, { cause: 'refused', reason: 'Board not found' });
});

t.test('CLIENT21 the client stops when the token expires', async (t) => {
  const ada = await newPerson(t, url);
  const { boardId } = await shareBoard(ada);
  const { jwtSecret: secret, jwtAlgorithm: algorithm, jwtAudience: audience } = config;
  ada.client.token = await createTokens({ secret, algorithm, audience, lifetimeSeconds: 2 }).issue(ada.id);
  const connection = follow(t, ada, boardId);
  await connection.ready;
  await until(connection, () => connection.state.kind === 'closed');
  t.match(connection.state, { cause: 'refused', reason: 'The token expired' });
});
