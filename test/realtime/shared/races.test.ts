import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Connection, Joined } from '../../../src/domain/ports/presence.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { Deferred } from '../../../src/flow/deferred.js';
import { newUser } from '../../support/http/users.js';
import { frame, RawSocket } from '../../support/realtime/rawSocket.js';
import { RealtimeBoard, range } from '../../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { startSocketEdge } from '../../support/realtime/socketEdge.js';
import { sharedApp } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';
import { until } from '../../support/until.js';

const app = await sharedApp();

t.test('SHARE16 while a board is being followed the client shows nothing there, and may leave', async (t) => {
  const joins: Array<{ readonly connection: Connection; readonly answer: Deferred<Joined> }> = [];
  const left: Connection[] = [];
  const shown: Connection[] = [];
  const { url } = await startSocketEdge(t, async (id) => ({ id, username: 'ann' }) as PublicUser, {
    presence: {
      join: (connection) => {
        const answer = new Deferred<Joined>();
        joins.push({ connection, answer });
        return answer.promise;
      },
      leave: (connection) => left.push(connection),
      setState: async (connection) => void shown.push(connection),
    },
  });
  const socket = await TestSharedSocket.enter(url, { token: randomUUID() });
  const board_id = randomUUID();
  const admit = (index: number): void => joins[index]?.answer.resolve({ ok: true, epoch: '0', seq: 7, attendance: { online: [], states: [] } });
  socket.tell({ type: 'subscribe', board_id });
  for (const type of ['state', 'signal']) {
    t.match(await socket.refused({ type, board_id, state: 1, data: 1 }), { code: 'not_found', board_id, detail: /Not yet/ });
  }
  t.match(await socket.refused({ type: 'subscribe', board_id }), { code: 'invalid', detail: /Already/ });
  socket.tell({ type: 'unsubscribe', board_id });
  t.match(await socket.find('unsubscribed'), { board_id, code: 1000 });
  t.match(await socket.refused({ type: 'unsubscribe', board_id }), { code: 'not_found' });

  socket.tell({ type: 'subscribe', board_id });
  await socket.handled();
  t.strictSame([joins.length, left.length], [2, 0]);
  admit(0);
  await socket.handled();
  t.strictSame(left, [joins[0]?.connection], 'its connection is given up when the answer comes');
  t.notSame(joins[1]?.connection.id, joins[0]?.connection.id, 'and is not that of the next time');
  t.notOk(
    socket.messages.some(({ type }) => type === 'subscribed'),
    'the next time is not confirmed by it',
  );
  admit(1);
  t.match(await socket.find('subscribed'), { seq: 7 });
  socket.tell({ type: 'state', board_id, state: 1 });
  await socket.handled();
  t.match(shown, [{ id: joins[1]?.connection.id, state: '1' }]);

  socket.tell({ type: 'unsubscribe', board_id });
  await socket.handled();
  t.equal(left[1]?.id, joins[1]?.connection.id);
  socket.tell({ type: 'subscribe', board_id });
  await socket.handled();
  await socket.close();
  admit(2);
  await (await TestSharedSocket.enter(url, { token: randomUUID() })).handled();
  t.equal(left[2]?.id, joins[2]?.connection.id, 'a socket that closed meanwhile leaves as well');
});

t.test('PRES1 a board that is followed and left again and again is present exactly while it is followed', async (t) => {
  const board = await RealtimeBoard.on(app);
  const witness = await TestSharedSocket.enter(app.url, board.owner);
  await witness.subscribe(board.id);
  const socket = await RawSocket.open(app.url, `/ws?token=${board.member.token}`);
  const messages = ['subscribe', 'state', 'unsubscribe', 'subscribe', 'unsubscribe', 'subscribe', 'unsubscribe', 'unsubscribe'];
  const text = (type: string): string => JSON.stringify({ type, board_id: board.id, ...(type === 'state' ? { state: 1 } : {}) });
  // In one write, so that each overtakes the answers to those before it.
  socket.write(Buffer.concat(range(1, 20).flatMap(() => messages.map((type) => frame(text(type))))));
  const user = await newUser(app.api);
  await board.invite(user);
  const last = await TestSharedSocket.enter(app.url, user);
  await last.subscribe(board.id);
  await witness.find(({ type, user_id }) => type === 'user_joined' && user_id === user.id);
  await until(async () => !(await board.online()).includes(board.member.id));
  const late = await TestSharedSocket.enter(app.url, user);
  t.match(await late.subscribe(board.id), { online_users: [{ user_id: board.owner.id }, { user_id: user.id }] });
  await late.handled();
  t.notOk(
    late.messages.some(({ type }) => type === 'state'),
    'no state is left of it',
  );
  socket.send(text('subscribe'));
  t.ok(await socket.receives('"subscribed"'));
  await board.addLabel('news');
  t.ok(await socket.receives('label.created'));
  socket.destroy();
  const about = (): unknown[] => witness.messages.filter(({ user_id }) => user_id === board.member.id);
  await witness.find(() => about().length > 0 && (about().at(-1) as { type: string }).type === 'user_left');
});

t.test('WS8 a removed member is gone from the board with its state, and a deactivated user from every socket', async (t) => {
  const board = await RealtimeBoard.on(app);
  const other = await RealtimeBoard.on(app);
  const user = await newUser(app.api);
  for (const each of [board, other]) await each.invite(user);
  const witness = await TestSharedSocket.enter(app.url, board.owner);
  await witness.subscribe(board.id);
  const [one, two] = [await TestSharedSocket.enter(app.url, user), await TestSharedSocket.enter(app.url, user)];
  for (const socket of [one, two]) {
    for (const { id } of [board, other]) await socket.subscribe(id);
    socket.tell({ type: 'state', board_id: board.id, state: 'here' });
  }
  await witness.find(() => witness.messages.filter(({ state }) => state === 'here').length === 2);
  await board.do(`DELETE /boards/${board.id}/members/${user.id}`);
  for (const socket of [one, two]) t.match(await socket.find('unsubscribed'), { board_id: board.id, code: 1008, reason: /member/ });
  await witness.find(({ type, user_id }) => type === 'user_left' && user_id === user.id);
  const late = await TestSharedSocket.enter(app.url, board.member);
  t.match(await late.subscribe(board.id), { online_users: [{ user_id: board.owner.id }, { user_id: board.member.id }] });
  await late.handled();
  t.notOk(late.messages.some(({ type }) => type === 'state'));
  for (const type of ['state', 'signal', 'unsubscribe']) {
    t.match(await one.refused({ type, board_id: board.id, state: 1, data: 1 }), { code: 'not_found' });
  }
  await other.addLabel('goes on');
  await one.find(({ type, board_id }) => type === 'label.created' && board_id === other.id);

  await changeUser(app.config.dataDir, user.id, { is_active: false });
  for (const socket of [one, two]) t.match(await socket.closed, { code: 1008, reason: /deactivated/ });
  t.match(await (await TestSharedSocket.openShared(app.url, { token: user.token })).closed, { code: 1008 });
});
