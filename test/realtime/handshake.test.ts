import t from 'tap';
import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { changeUser } from '../support/service/operator.js';
import { logLines } from '../support/service/logLines.js';
import { RealtimeBoard } from '../support/realtime/realtimeBoard.js';
import { startTestApp } from '../support/service/app.js';
import { TestSocket } from '../support/realtime/socket.js';
import { newUser } from '../support/http/users.js';

const shared = await startTestApp(t);

t.test('WS1 a member connects with a token, at the root and under /api', async (t) => {
  const board = await RealtimeBoard.on(shared);
  for (const prefix of ['', '/api']) {
    const socket = await board.join(board.member, { prefix });
    const labelId = await board.addLabel(`announced at ${prefix}/`);
    const { data } = await socket.find('label.created');
    t.match(data, { id: labelId }, `events arrive at ${prefix}/`);
    await socket.close();
  }
});

t.test('WS2 a connection without access is upgraded and closed with 1008', async (t) => {
  const board = await RealtimeBoard.on(shared);
  const { app, owner } = board;
  const stranger = await newUser(app.api);
  const inactive = await newUser(app.api);
  await board.invite(inactive);

  const now = Math.floor(Date.now() / 1000);
  const signed = (claims: { aud?: string[]; exp?: number; sub?: string }, secret = app.config.jwtSecret) =>
    new SignJWT({ sub: owner.id, aud: [app.config.jwtAudience], iat: now, exp: now + 60, ...claims })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(new TextEncoder().encode(secret));
  const witness = await board.join(owner, { token: await signed({}) });
  await changeUser(app.config.dataDir, inactive.id, { is_active: false });
  await witness.find('board.updated');

  const refused: Record<string, { boardId?: string; token?: string | null; since?: string }> = {
    'no token': { token: null },
    'an empty token': { token: '' },
    garbage: { token: 'garbage' },
    'a token of the right form that we did not sign': { token: await signed({}, 'x'.repeat(40)) },
    'an expired token': { token: await signed({ exp: now - 1 }) },
    'a token for another audience': { token: await signed({ aud: ['elsewhere'] }) },
    'a token of a user who does not exist': { token: await signed({ sub: randomUUID() }) },
    'a token of a deactivated user': { token: inactive.token },
    'a stranger to the board': { token: stranger.token },
    'an unknown board': { boardId: randomUUID() },
    'a malformed board id': { boardId: 'not-a-board' },
    'a since that is not a number': { since: 'yesterday' },
    'a negative since': { since: '-1' },
    'an empty since': { since: '' },
  };
  for (const [name, { boardId = board.id, token = owner.token, since }] of Object.entries(refused)) {
    const socket = await TestSocket.open(app.url, boardId, { token, ...(since === undefined ? {} : { since }) });
    const { code, reason } = await socket.closed;
    t.equal(code, 1008, `${name}: ${reason}`);
    t.not(reason, '', `${name}: the reason is given`);
    t.strictSame(socket.messages, [], `${name}: no message is sent`);
  }
  t.strictSame(await board.online(), [owner.id], 'none of them was present');
  t.strictSame(
    witness.messages.map(({ type }) => type),
    ['user_joined', 'board.updated'],
    'they were not announced',
  );
});

t.test('WS19 messages are compressed only if the setting says so, and decode to the same text', async (t) => {
  for (const [setting, extension] of [
    ['off', ''],
    ['on', 'permessage-deflate'],
  ] as const) {
    const board = await RealtimeBoard.start(t, { WS_COMPRESSION: setting });
    const socket = await board.join(board.member, { compression: true });
    t.equal(socket.extensions(), extension, `WS_COMPRESSION=${setting}`);
    const names = ['a', 'b', 'c'].map((mark) => `round and ${'round and '.repeat(20)}${mark}`);
    for (const name of names) await board.addLabel(name);
    await socket.message(names.length);
    t.strictSame(
      socket.events.map(({ data }) => (data as { name: string }).name),
      names,
      'what comes live',
    );
    const late = await board.join(board.owner, { compression: true, since: 0 });
    const replayed = late.events.map(({ seq: _seq, ...event }) => event);
    t.strictSame(replayed.slice(-names.length), socket.events, 'what is replayed');
  }
});

t.test('LOG1 no log line contains a token', async (t) => {
  const { log, text } = logLines();
  const board = await RealtimeBoard.start(t, { LOG_LEVEL: 'trace' }, log);
  const stranger = await newUser(board.app.api);
  await (await board.join(board.member)).close();
  const refused = await board.open({ token: stranger.token });
  t.equal((await refused.closed).code, 1008);
  await board.app.api.request('GET', `/ws/boards/${board.id}?token=${board.owner.token}`);
  await board.app.close();
  t.match(text(), /serving/, 'the log is there');
  for (const { token } of [board.owner, board.member, stranger]) {
    const [, , signature = ''] = token.split('.');
    t.notOk(text().includes(signature), 'without the token');
  }
});
