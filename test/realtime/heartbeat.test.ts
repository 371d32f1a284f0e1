import t from 'tap';
import { RealtimeBoard } from '../support/realtimeBoard.js';

/** Fast, yet slow enough that a client on a busy machine answers in time. */
const FAST = { HEARTBEAT_INTERVAL_SECONDS: '0.2', PONG_TIMEOUT_SECONDS: '1.5', PRESENCE_TTL_SECONDS: '5' };

t.test('BEAT1 the server pings every client again and again, by the id of its board', async (t) => {
  const board = await RealtimeBoard.start(t, FAST);
  const sockets = [await board.join(board.owner), await board.join(board.member, { since: 'latest' })];
  for (const socket of sockets) {
    await socket.ping(2);
    for (const ping of socket.pings) t.strictSame(ping, { type: 'ping', board_id: board.id });
  }
});

t.test('BEAT2 a client that answers stays, and stays present', async (t) => {
  const board = await RealtimeBoard.start(t, FAST);
  const witness = await board.join(board.owner);
  const socket = await board.join(board.member, { pong: false });
  // Liberal in what is taken: other spellings of the same message, as text or as bytes.
  const spellings = ['{"type":"pong"}', ' { "type" : "pong", "board_id": null } ', Buffer.from('{"type":"pong"}')];
  for (const [index, spelling] of spellings.entries()) {
    await socket.ping(index);
    socket.send(spelling);
  }
  await socket.ping(spellings.length);
  t.strictSame(await board.online(), [board.owner.id, board.member.id]);
  t.notOk(witness.messages.some(({ type }) => type === 'user_left'));
});

t.test('BEAT3 a client that does not answer is closed with 4408', async (t) => {
  const board = await RealtimeBoard.start(t, FAST);
  const witness = await board.join(board.owner);
  const silent = await board.join(board.member, { pong: false });
  await silent.ping(0);
  // Whatever else a client says is no answer.
  const others = ['{"type":"ping"}', '"pong"', 'pong', '{"type":["pong"]}', '', '{"type":"card.created"}'];
  for (const text of others) silent.send(text);
  t.equal((await silent.closed).code, 4408);
  t.match(await witness.find('user_left'), { user_id: board.member.id });
  await witness.ping(witness.pings.length);
  t.pass('whoever answers goes on');
});
