import t from 'tap';
import { newUser } from '../../support/http/users.js';
import { RealtimeBoard, range } from '../../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { sharedApp } from '../../support/service/app.js';

const app = await sharedApp();

async function boardsOf(token: string): Promise<string[]> {
  const { body } = await app.api.request<Array<{ id: string }>>('GET', '/boards', { token });
  return body.map(({ id }) => id);
}

t.test('FEED1 a socket without any board hears of invitations, removals and deletions, when the list has changed', async (t) => {
  const board = await RealtimeBoard.on(app);
  const user = await newUser(app.api);
  const socket = await TestSharedSocket.enter(app.url, user);
  const bystander = await TestSharedSocket.enter(app.url, await newUser(app.api));
  await board.invite(user);
  t.strictSame(await socket.find('user.board_added'), { type: 'user.board_added', board_id: board.id });
  t.strictSame(await boardsOf(user.token), [board.id], 'the list has it');
  await board.do(`DELETE /boards/${board.id}/members/${user.id}`);
  t.strictSame(await socket.find('user.board_removed'), { type: 'user.board_removed', board_id: board.id });
  t.strictSame(await boardsOf(user.token), []);
  const from = socket.messages.length;
  await board.invite(user);
  await socket.find('user.board_added', from);
  await board.do(`DELETE /boards/${board.id}`);
  t.match(await socket.find('user.board_removed', from), { board_id: board.id }, 'deleted');
  const { body } = await app.api.request<{ id: string }>('POST', '/boards', { token: user.token, json: { title: 'Own' } });
  t.match(await socket.find(({ board_id }) => board_id === body.id), { type: 'user.board_added' }, 'an own board');
  t.strictSame(
    bystander.messages.map(({ type }) => type),
    ['authenticated'],
    'nobody else hears of it',
  );
});

t.test('FEED2 a change of what the list shows is told to every member, and other changes are not', async (t) => {
  const board = await RealtimeBoard.on(app);
  const quiet = await RealtimeBoard.on(app);
  const socket = await TestSharedSocket.enter(app.url, board.member);
  const column = await quiet.addColumn();
  await quiet.addCard(column);
  await board.do(`PATCH /boards/${board.id}`, { json: { title: 'Renamed' } });
  t.strictSame(await socket.find(({ title }) => title === 'Renamed'), { type: 'user.board_changed', board_id: board.id, title: 'Renamed' });
  t.notOk(socket.messages.some(({ board_id }) => board_id === quiet.id));
});

t.test('FEED2 a board tells at most one change a second, and the last one always', async (t) => {
  const board = await RealtimeBoard.on(app);
  const socket = await TestSharedSocket.enter(app.url, board.member);
  await Promise.all(range(1, 50).map((n) => board.do(`PATCH /boards/${board.id}`, { json: { title: `Title ${n}` } })));
  const { title } = await board.do<{ title: string }>(`PATCH /boards/${board.id}`, { json: { title: 'Last' } });
  await socket.find((message) => message['title'] === title);
  t.ok(socket.messages.length <= 6, `${socket.messages.length} messages for 51 changes`);
});

t.test('FEED1 several sockets of a user get the feed, and a closed one no longer', async (t) => {
  const board = await RealtimeBoard.on(app);
  const user = await newUser(app.api);
  const [one, two, gone] = await Promise.all(range(1, 3).map(() => TestSharedSocket.enter(app.url, user)));
  await gone?.close();
  await board.invite(user);
  for (const socket of [one, two]) t.match(await socket?.find('user.board_added'), { board_id: board.id });
  t.equal(gone?.messages.length, 1);
});

t.test('FEED1 nothing is told of a board after its removal', async (t) => {
  const board = await RealtimeBoard.on(app);
  const socket = await TestSharedSocket.enter(app.url, board.member);
  for (const n of range(1, 3)) await board.do(`PATCH /boards/${board.id}`, { json: { title: `Title ${n}` } });
  await board.do(`DELETE /boards/${board.id}`);
  await socket.find('user.board_removed');
  // A change of another board that waited as long.
  const other = await RealtimeBoard.on(app);
  const witness = await TestSharedSocket.enter(app.url, other.member);
  for (const n of range(1, 3)) await other.do(`PATCH /boards/${other.id}`, { json: { title: `Title ${n}` } });
  await witness.find(({ title }) => title === 'Title 3');
  t.equal(socket.messages.at(-1)?.type, 'user.board_removed');
});
