import t from 'tap';
import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { AppError } from '../../src/domain/errors.js';
import { JoinLimiter } from '../../src/realtime/entry/connectionLimits.js';
import { startTestApp, WITH_THREADS, type TestApp } from '../support/service/app.js';
import { changeUser } from '../support/service/operator.js';
import { RealtimeBoard, range } from '../support/realtime/realtimeBoard.js';
import { TestSocket } from '../support/realtime/socket.js';
import { startSocketEdge } from '../support/realtime/socketEdge.js';
import { newUser } from '../support/http/users.js';
import { publicUser } from '../support/publicUser.js';

const USER = publicUser('ann');

const app = await startTestApp(t, WITH_THREADS);

t.test('WS8 a connection closes with 1008 when its token expires', async (t) => {
  const board = await RealtimeBoard.on(app);
  const { member } = board;
  const lasting = await board.join(member);
  const expiresAt = Math.floor(Date.now() / 1000) + 2;
  const short = await board.join(member, { token: await tokenUntil(board.app, member.id, expiresAt) });
  const { code, reason } = await short.closed;
  t.equal(code, 1008, reason);
  t.ok(Date.now() >= expiresAt * 1000, 'not before');
  await board.addLabel('still there');
  t.match(await lasting.find('label.created'), { data: { name: 'still there' } }, 'only that connection');
});

t.test('WS8 a user who leaves or is removed from a board is disconnected from it with 1008', async (t) => {
  const board = await RealtimeBoard.on(app);
  const other = await RealtimeBoard.on(board.app);
  const { owner, member } = board;
  const leaver = await newUser(board.app.api);
  await other.invite(member);
  await board.invite(leaver);
  const sockets = await Promise.all([board.join(member), board.join(member, { since: 'latest' })]);
  const leaving = await board.join(leaver);
  const witness = await board.join(owner);
  const elsewhere = await other.join(member);

  await board.do(`DELETE /boards/${board.id}/members/${member.id}`);
  for (const socket of sockets) {
    t.match(await socket.closed, { code: 1008, reason: /no longer a member/i });
    t.match(
      socket.messages.find(({ type }) => type === 'board.member_removed'),
      { data: { user_id: member.id } },
    );
  }
  t.match(await witness.find('user_left'), { user_id: member.id });
  await board.do(`DELETE /boards/${board.id}/members/${leaver.id}`, { token: leaver.token });
  t.equal((await leaving.closed).code, 1008);
  t.match(await witness.find(({ type, user_id }) => type === 'user_left' && user_id === leaver.id), {});
  await other.addLabel('elsewhere');
  t.match(await elsewhere.find('label.created'), { data: { name: 'elsewhere' } }, 'other boards stay');
});

t.test('WS8 a deactivated user is disconnected everywhere with 1008', async (t) => {
  const board = await RealtimeBoard.on(app);
  const other = await RealtimeBoard.on(board.app);
  await other.invite(board.member);
  const sockets = [await board.join(board.member), await other.join(board.member, { since: 0 })];
  const witness = await board.join(board.owner);
  await changeUser(board.app.config.dataDir, board.member.id, { is_active: false });
  for (const socket of sockets) t.match(await socket.closed, { code: 1008, reason: /deactivated/ });
  t.match(await witness.find('user_left'), { user_id: board.member.id });
  t.equal((await (await board.open({ token: board.member.token })).closed).code, 1008, 'and cannot come back');
});

t.test('WS8 a user who is deactivated while connecting is not admitted', async (t) => {
  // The message arrives between the first check of the user and the registration of the socket, when no session exists.
  let looks = 0;
  const { url } = await startSocketEdge(t, async () => {
    looks += 1;
    if (looks > 1) throw new AppError('unauthenticated', 'The user is unknown or deactivated');
    return USER;
  });
  const socket = await TestSocket.open(url, randomUUID(), { token: 'any' });
  t.match(await socket.closed, { code: 1008, reason: /deactivated/ });
});

t.test('WS11 a deleted board sends its event and closes with 4410', async (t) => {
  const board = await RealtimeBoard.on(app);
  const other = await RealtimeBoard.on(board.app);
  const sockets = [await board.join(board.owner), await board.join(board.member, { since: 'latest' })];
  const elsewhere = await other.join(other.owner);
  await board.do(`DELETE /boards/${board.id}`);
  for (const socket of sockets) {
    t.equal((await socket.closed).code, 4410);
    t.match(socket.messages.at(-1), { type: 'board.deleted', data: { id: board.id } }, 'the event came before');
  }
  await other.addLabel('elsewhere');
  t.match(await elsewhere.find('label.created'), {}, 'other boards stay');
});

t.test('WS11 a stopping server closes every connection with 1001', async (t) => {
  const board = await RealtimeBoard.start(t);
  const sockets = [await board.join(board.owner), await board.join(board.member, { since: 0 })];
  const [codes] = await Promise.all([Promise.all(sockets.map((socket) => socket.closed)), board.app.close()]);
  t.strictSame(
    codes.map(({ code }) => code),
    [1001, 1001],
  );
});

t.test('WS11 a stopping server closes connections that are not yet admitted, or arrive later, with 1001', async (t) => {
  const { url, sockets } = await startSocketEdge(t, () => new Promise(() => undefined));
  const waiting = await TestSocket.open(url, randomUUID(), { token: 'any' });
  sockets.stop();
  t.equal((await waiting.closed).code, 1001);
  const late = await TestSocket.open(url, randomUUID(), { token: 'any' });
  t.equal((await late.closed).code, 1001);
});

t.test('WS13 sockets above the limits are closed with 1013, and admitted again when others are gone', async (t) => {
  const board = await RealtimeBoard.start(t, { MAX_SOCKETS: '3', MAX_SOCKETS_PER_USER: '2' });
  const { owner, member } = board;
  const first = await board.join(owner);
  await board.join(owner);
  const third = await board.open({ token: owner.token });
  t.strictSame(await third.closed, { code: 1013, reason: 'A user has at most 2 sockets' }, 'a third of the same user');
  await board.join(member);
  const fourth = await board.open({ token: member.token });
  t.strictSame(await fourth.closed, { code: 1013, reason: 'The server has at most 3 sockets' }, 'a fourth in all');
  await first.close();
  await board.join(member);
  t.pass('there is room again');
});

t.test('WS13 a user who reconnects too often is closed with 1013 for some seconds', async (t) => {
  const board = await RealtimeBoard.start(t, { MAX_SOCKETS_PER_USER: '10' });
  const witness = await board.join(board.owner);
  for (const _ of range(1, 20)) await (await board.join(board.member)).close();
  const refused = await board.open({ token: board.member.token });
  t.strictSame(await refused.closed, { code: 1013, reason: 'A user connects at most 20 times in 10 s' });
  await board.join(board.owner);
  const ofMember = witness.messages.filter(({ user_id }) => user_id === board.member.id);
  t.equal(ofMember.filter(({ type }) => type === 'user_joined').length, 20, 'the refused connections are not announced');

  let now = 0;
  const limiter = new JoinLimiter(100, () => now);
  const allowed = (userId: string): number => range(1, 1_000).filter(() => limiter.allow(userId)).length;
  t.strictSame([allowed('ann'), allowed('bob')], [200, 200], 'the limit is per user');
  now = 9_999;
  t.equal(allowed('ann'), 0);
  now = 10_000;
  t.equal(allowed('ann'), 200);
});

function tokenUntil({ config }: TestApp, userId: string, expiresAt: number): Promise<string> {
  return new SignJWT({ sub: userId, aud: [config.jwtAudience], iat: expiresAt - 60, exp: expiresAt })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(new TextEncoder().encode(config.jwtSecret));
}
