import t from 'tap';
import { randomUUID } from 'node:crypto';
import { BoardPresence } from '../../src/shard/presence/boardPresence.js';
import type { Notice } from '../../src/partitions/messages.js';
import type { Connection } from '../../src/domain/ports/presence.js';
import { RealtimeBoard } from '../support/realtime/realtimeBoard.js';
import { newUser, type TestUser } from '../support/http/users.js';

const joined = ({ id, username }: TestUser): object => ({ type: 'user_joined', user_id: id, username });
const left = ({ id, username }: TestUser): object => ({ type: 'user_left', user_id: id, username });

t.test('PRES1 every join is sent to everyone on the board, including the user who joined', async (t) => {
  const { board, elsewhere } = await twoBoards(t);
  const { owner, member } = board;
  const first = await board.join(owner);
  const second = await board.join(member);
  const third = await board.join(owner);
  const fourth = await board.join(member, { since: 0 });
  await Promise.all([first.message(3), second.message(2), third.message(1)]);
  t.strictSame(first.messages, [joined(owner), joined(member), joined(owner), joined(member)], 'from the first on');
  t.strictSame(second.messages, [joined(member), joined(owner), joined(member)], 'nothing from before the own arrival');
  t.strictSame(third.messages, [joined(owner), joined(member)]);
  t.strictSame(fourth.messages.slice(-1), [joined(member)], 'also with numbers, after what was missed');
  t.strictSame(elsewhere.messages.length, 1, 'and to no other board');
});

t.test('PRES1 a user leaves when their last connection to the board ends', async (t) => {
  const { board } = await twoBoards(t);
  const { owner, member } = board;
  const witness = await board.join(owner);
  const tab = await board.join(member);
  const phone = await board.join(member, { since: 'latest' });
  await witness.message(2);
  await tab.close();
  await phone.close();
  await witness.message(3);
  const again = await board.join(member);
  await witness.message(4);
  t.strictSame(witness.messages.slice(1), [joined(member), joined(member), left(member), joined(member)]);
  again.terminate();
  t.strictSame(await witness.message(5), left(member), 'also when the connection breaks');
});

t.test('PRES1 presence lists each user once, in order of arrival', async (t) => {
  const { board } = await twoBoards(t);
  const { app, owner, member } = board;
  t.strictSame(await board.online(), [], 'no user at first');
  const first = await board.join(member);
  await board.join(owner);
  await board.join(member);
  t.strictSame(await board.do(`GET /ws/boards/${board.id}/presence`), {
    board_id: board.id,
    online_users: [member, owner].map(({ id, username }) => ({ user_id: id, username })),
  });
  await first.close();
  t.strictSame(await board.online(), [member.id, owner.id], 'one of two connections does not count');

  const path = (id: string): string => `/ws/boards/${id}/presence`;
  const stranger = await newUser(app.api);
  t.equal((await app.api.request('GET', path(board.id))).status, 401);
  t.equal((await app.api.request('GET', path(board.id), { token: stranger.token })).status, 200, 'any user may read it');
  t.equal((await app.api.request('GET', path(randomUUID()), { token: owner.token })).status, 404);
  const column = await board.addColumn('A');
  t.equal((await app.api.request('GET', path(column), { token: owner.token })).status, 404, 'an id of another kind');
  t.equal((await app.api.request('GET', path('x'), { token: owner.token })).status, 422);
});

t.test('PRES4 a silent connection stays present for the presence lifetime, and becomes present again when it sends', async (t) => {
  const board = await RealtimeBoard.start(t, {
    HEARTBEAT_INTERVAL_SECONDS: '0.2',
    PRESENCE_TTL_SECONDS: '2',
    PONG_TIMEOUT_SECONDS: '60',
  });
  const { owner, member } = board;
  const witness = await board.join(owner);
  const silent = await board.join(member, { pong: false });
  t.strictSame(await witness.find('user_left'), left(member));
  t.strictSame(await board.online(), [owner.id], 'a client that answers stays present');
  t.ok(silent.pings.length > 0, 'it was asked');
  const count = witness.messages.length;
  silent.answerPings();
  t.strictSame(await witness.find('user_joined', count), joined(member));
  t.strictSame(await board.online(), [owner.id, member.id]);
});

t.test('PRES4 a presence that is not refreshed expires, per connection', async (t) => {
  const presence = new BoardPresence(60_000, 0);
  const of = (user_id: string, id: number): Connection => ({ id, board_id: 'board', user_id, username: user_id });
  const [tab, phone, other] = [of('ann', 1), of('ann', 2), of('bob', 3)];
  presence.join(tab, 0);
  presence.join(other, 10_000);
  presence.join(phone, 30_000);
  t.strictSame(presence.expire(59_999), [], 'not before its time');
  t.strictSame(presence.expire(60_000), [], 'one of two connections is gone, the user is not');
  presence.refresh(other, 65_000);
  t.strictSame(presence.expire(90_000).map(said), ['user_left ann'], 'with the last connection the user is');
  t.strictSame(presence.list('board'), [{ user_id: 'bob', username: 'bob' }]);
  t.strictSame(presence.refresh(tab, 90_000).map(said), ['user_joined ann'], 'a connection that is alive after all is announced again');
  t.strictSame(presence.leave(phone), [], 'an expired connection cannot leave');
  t.strictSame(presence.leave(tab).map(said), ['user_left ann']);
  t.strictSame(presence.expire(125_000).map(said), ['user_left bob'], 'a refresh counts from its own time');
});

t.test('SHARE36 a new owner of a board adopts known connections without announcing them', async (t) => {
  const presence = new BoardPresence(60_000, 0);
  const ann: Connection = { id: 1, board_id: 'board', user_id: 'ann', username: 'ann' };
  t.strictSame(presence.refresh(ann, 59_999), []);
  t.strictSame(presence.list('board'), [{ user_id: 'ann', username: 'ann' }]);
  t.strictSame(presence.refresh({ ...ann, id: 2 }, 60_000).map(said), ['user_joined ann'], 'for one lifetime');
});

function said(notice: Notice): string {
  return notice.kind === 'board.presence' ? `${notice.message.type} ${notice.message.user_id}` : notice.kind;
}

async function twoBoards(t: Parameters<typeof RealtimeBoard.start>[0]) {
  const board = await RealtimeBoard.start(t);
  const other = await RealtimeBoard.on(board.app);
  return { board, elsewhere: await other.join(other.owner) };
}
