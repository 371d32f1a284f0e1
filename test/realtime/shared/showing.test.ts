import t from 'tap';
import { tokenFor } from '../../support/http/tokens.js';
import type { SocketMessage } from '../../support/realtime/messageChecker.js';
import { RealtimeBoard } from '../../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { startTestApp, WITH_THREADS } from '../../support/service/app.js';

const app = await startTestApp(t, { ...WITH_THREADS, HEARTBEAT_INTERVAL_SECONDS: '1', PRESENCE_TTL_SECONDS: '3' });

t.test('SHARE8 a state is shown to the others on the board, to those who come later, and ends with its connection', async (t) => {
  const board = await RealtimeBoard.on(app);
  const ann = await TestSharedSocket.enter(app.url, board.owner);
  const bob = await TestSharedSocket.enter(app.url, board.member);
  const phone = await TestSharedSocket.enter(app.url, board.owner);
  for (const socket of [ann, bob, phone]) await socket.subscribe(board.id);
  ann.tell({ type: 'state', board_id: board.id, state: { card: 7 } });
  const { connection_id, ...seen } = await bob.find('state');
  t.strictSame(seen, { type: 'state', board_id: board.id, user_id: board.owner.id, state: { card: 7 } });

  const late = await TestSharedSocket.enter(app.url, board.member);
  await late.subscribe(board.id);
  t.strictSame(await late.find('state'), { ...seen, connection_id });
  t.equal(late.messages[1]?.type, 'subscribed', 'after it');

  const from = bob.messages.length;
  ann.tell({ type: 'state', board_id: board.id, state: null });
  t.match(await bob.find('state', from), { connection_id, state: null }, 'taken back');
  ann.tell({ type: 'state', board_id: board.id, state: 'again' });
  await bob.find(({ state }) => state === 'again');
  await ann.close();
  t.match(
    await bob.find(({ type, state }) => type === 'state' && state === null, from + 2),
    { connection_id },
    'the user is still here by another connection',
  );
  t.notOk(bob.messages.some(({ type }) => type === 'user_left'));
});

t.test('SHARE8 a state survives heartbeats and is not shown on other boards or to sockets of one board', async (t) => {
  const board = await RealtimeBoard.on(app);
  const other = await RealtimeBoard.on(app);
  const ann = await TestSharedSocket.enter(app.url, board.owner);
  const plain = await board.join(board.member);
  const stranger = await TestSharedSocket.enter(app.url, other.owner);
  await Promise.all([ann.subscribe(board.id), stranger.subscribe(other.id)]);
  ann.tell({ type: 'state', board_id: board.id, state: 1 });
  await ann.find('state');
  await Promise.all([ann.ping(1), ann.ping(2), ann.ping(3)]);
  const late = await TestSharedSocket.enter(app.url, board.member);
  await late.subscribe(board.id);
  await late.find('state');
  t.notOk([...plain.messages, ...stranger.messages].some(({ type }) => type === 'state'));
});

t.test('SHARE10 a signal goes to the others on the board and is kept nowhere', async (t) => {
  const board = await RealtimeBoard.on(app);
  const ann = await TestSharedSocket.enter(app.url, board.owner);
  const bob = await TestSharedSocket.enter(app.url, board.member);
  const plain = await board.join(board.member);
  for (const socket of [ann, bob]) await socket.subscribe(board.id);
  const seq = await board.seq();
  await bob.find(({ type, user_id }) => type === 'user_joined' && user_id === board.member.id);
  ann.tell({ type: 'signal', board_id: board.id, data: { x: 1, text: 'é"' } });
  const { connection_id, ...signal } = await bob.find('signal');
  t.type(connection_id, 'number');
  t.strictSame(signal, { type: 'signal', board_id: board.id, user_id: board.owner.id, data: { x: 1, text: 'é"' } });
  await board.addLabel('after');
  await Promise.all([ann.find('label.created'), plain.find('label.created')]);
  t.notOk(
    [...ann.messages, ...plain.messages].some(({ type }) => type === 'signal'),
    'not to the sender, nor to sockets of one board',
  );
  t.equal(await board.seq(), seq + 1);
});

t.test('SESS15 a token is renewed on the open socket; another user’s is refused', async (t) => {
  const board = await RealtimeBoard.on(app);
  const short = { token: await tokenFor(app.config, board.member, 3) };
  const socket = await TestSharedSocket.enter(app.url, short);
  const left = await TestSharedSocket.enter(app.url, short);
  await socket.subscribe(board.id);
  t.match(await socket.refused({ type: 'auth', token: board.owner.token }), { code: 'forbidden' });
  t.match(await socket.refused({ type: 'auth', token: 'nonsense' }), { code: 'unauthenticated' });
  const [before, from] = [expiryIn(socket.messages[0]), socket.messages.length];
  socket.tell({ type: 'auth', token: board.member.token });
  t.ok(expiryIn(await socket.find('authenticated', from)) > before, 'later than before');
  t.match(await left.closed, { code: 1008, reason: /expired/ }, 'the other was not renewed');
  await board.addLabel('on');
  await socket.find('label.created');
});

function expiryIn(message: SocketMessage | undefined): number {
  return Date.parse(String(message?.['expires_at']));
}
