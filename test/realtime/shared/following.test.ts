import { randomUUID } from 'node:crypto';
import t from 'tap';
import { newUser } from '../../support/http/users.js';
import { RealtimeBoard, range } from '../../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { sharedApp } from '../../support/service/app.js';

const app = await sharedApp();

t.test('SHARE1 one socket follows several boards, each from its own number, and every message names its board', async (t) => {
  const one = await RealtimeBoard.on(app);
  const two = await RealtimeBoard.on(app);
  await two.invite(one.member);
  for (const name of ['a', 'b', 'c']) await one.addLabel(name);
  const [first, second] = [await one.seq(), await two.seq()];
  const socket = await TestSharedSocket.enter(app.url, one.member);
  const online_users = [{ user_id: one.member.id, username: one.member.username }];
  t.strictSame(await socket.subscribe(one.id, first - 2), { type: 'subscribed', board_id: one.id, epoch: '0', seq: first, online_users });
  t.strictSame(await socket.subscribe(two.id), { type: 'subscribed', board_id: two.id, epoch: '0', seq: second, online_users });
  await one.addLabel('d');
  await two.addLabel('e');
  await two.addLabel('f');
  await socket.find(({ type, board_id, seq }) => type === 'label.created' && board_id === two.id && seq === second + 2);
  t.strictSame(socket.seqs(one.id), range(first - 1, first + 1), 'missed, then live');
  t.strictSame(socket.seqs(two.id), range(second + 1, second + 2), 'without since only live');
  const { board_id, ...event } = socket.messages.find(({ seq }) => seq === first + 1) ?? { type: '' };
  const page = await one.do<{ events: unknown[] }>(`GET /boards/${one.id}/events?since=${first}`);
  t.strictSame([event], page.events, 'the same as over HTTP');
});

t.test('SHARE1 a board that is no longer followed sends nothing, and can be followed again without a gap', async (t) => {
  const board = await RealtimeBoard.on(app);
  const socket = await TestSharedSocket.enter(app.url, board.member);
  await socket.subscribe(board.id);
  const seq = await board.seq();
  for (const round of range(1, 5)) {
    await board.addLabel(`before ${round}`);
    await socket.find(({ type, seq: number }) => type === 'label.created' && number === seq + 2 * round - 1);
    const from = socket.messages.length;
    socket.tell({ type: 'unsubscribe', board_id: board.id });
    t.match(await socket.find('unsubscribed', from), { board_id: board.id, code: 1000 });
    await board.addLabel(`away ${round}`);
    t.strictSame(await board.online(), [], 'and is not present');
    t.match(await socket.subscribe(board.id, seq + 2 * round - 1), { type: 'subscribed', seq: seq + 2 * round });
    await socket.find(({ type, seq: number }) => type === 'label.created' && number === seq + 2 * round);
    t.strictSame(await board.online(), [board.member.id], 'present again, although the end of the last time came just before');
  }
  t.strictSame(socket.seqs(board.id), range(seq + 1, seq + 10));
});

t.test('SHARE3 a board is refused with the code of a socket, and the others go on', async (t) => {
  const board = await RealtimeBoard.on(app);
  const foreign = await RealtimeBoard.on(app);
  const socket = await TestSharedSocket.enter(app.url, board.member);
  await socket.subscribe(board.id);
  t.match(await socket.subscribe(foreign.id), { type: 'unsubscribed', code: 1008, reason: /member/ });
  t.match(await socket.subscribe(randomUUID()), { type: 'unsubscribed', code: 1008, reason: /not found/i });
  await foreign.invite(board.member);
  t.match(await socket.subscribe(foreign.id), { type: 'subscribed' }, 'once invited');
  const from = socket.messages.length;
  await foreign.do(`DELETE /boards/${foreign.id}/members/${board.member.id}`);
  t.match(await socket.find('unsubscribed', from), { board_id: foreign.id, code: 1008 }, 'and removed again');
  const gone = await RealtimeBoard.on(app);
  await gone.invite(board.member);
  await socket.subscribe(gone.id);
  await gone.do(`DELETE /boards/${gone.id}`);
  t.match(await socket.find(({ type, board_id }) => type === 'unsubscribed' && board_id === gone.id), { code: 4410 });
  const last = socket.about(gone.id).findIndex(({ type }) => type === 'unsubscribed');
  t.match(socket.about(gone.id)[last - 1], { type: 'board.deleted' }, 'after its last event');
  await board.addLabel('still here');
  await socket.find('label.created');
});

t.test('SHARE3 positions that are not kept, or of another epoch, are a resync of that board alone', async (t) => {
  const board = await RealtimeBoard.on(app);
  const socket = await TestSharedSocket.enter(app.url, board.member);
  const seq = await board.seq();
  for (const since of [seq + 1, 'abc-1']) {
    const from = socket.messages.length;
    t.match(await socket.subscribe(board.id, since), { type: 'subscribed', epoch: '0', seq });
    t.strictSame(await socket.find('resync', from), { type: 'resync', board_id: board.id, epoch: '0', seq });
    socket.tell({ type: 'unsubscribe', board_id: board.id });
    await socket.find('unsubscribed', from);
  }
});

t.test('SHARE5 messages that are sent before the server has accepted the token are carried out afterwards', async (t) => {
  const board = await RealtimeBoard.on(app);
  const socket = await TestSharedSocket.openShared(app.url, { token: board.member.token });
  socket.tell({ type: 'subscribe', board_id: board.id });
  t.match(await socket.message(0), { type: 'authenticated' });
  t.match(await socket.message(1), { type: 'subscribed', board_id: board.id });
});

t.test('WS2 a socket without a valid token is closed with 1008', async (t) => {
  for (const token of [null, 'nonsense']) {
    const socket = await TestSharedSocket.openShared(app.url, { token });
    t.match(await socket.closed, { code: 1008 });
  }
  const user = await newUser(app.api);
  const under = await TestSharedSocket.enter(app.url, user, { prefix: '/api' });
  t.match(under.messages, [{ type: 'authenticated', expires_at: /^\d{4}-.*Z$/ }], 'also under /api');
});

t.test('WS5 clients of one board and of several get the same events, and see each other', async (t) => {
  const board = await RealtimeBoard.on(app);
  const plain = await board.join(board.owner);
  const shared = await TestSharedSocket.enter(app.url, board.member);
  t.match(await shared.subscribe(board.id), { online_users: [{ user_id: board.owner.id }, { user_id: board.member.id }] });
  t.match(await plain.find(({ user_id }) => user_id === board.member.id), { type: 'user_joined' });
  const late = await board.join(board.owner);
  t.strictSame(await shared.find(({ type, user_id }) => type === 'user_joined' && user_id === board.owner.id), {
    board_id: board.id,
    type: 'user_joined',
    user_id: board.owner.id,
    username: board.owner.username,
  });
  await Promise.all([plain.close(), late.close()]);
  t.match(await shared.find('user_left'), { board_id: board.id, user_id: board.owner.id });
  const witness = await board.join(board.owner);
  await shared.close();
  t.match(await witness.find('user_left'), { user_id: board.member.id }, 'the end of the socket is the end of every board on it');
});
