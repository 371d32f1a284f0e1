import t from 'tap';
import { OPCODE, RawSocket } from '../support/realtime/rawSocket.js';
import { RealtimeBoard } from '../support/realtime/realtimeBoard.js';
import { startTestApp } from '../support/service/app.js';

/** Fast, yet slow enough that a client on a busy machine answers in time. */
const PONG_TIMEOUT_SECONDS = 1.5;
const FAST = { HEARTBEAT_INTERVAL_SECONDS: '0.2', PONG_TIMEOUT_SECONDS: String(PONG_TIMEOUT_SECONDS), PRESENCE_TTL_SECONDS: '5' };

const app = await startTestApp(t, FAST);

t.test('BEAT1 the server pings every client repeatedly, with the id of its board', async (t) => {
  const board = await RealtimeBoard.on(app);
  const sockets = [await board.join(board.owner), await board.join(board.member, { since: 'latest' })];
  for (const socket of sockets) {
    await socket.ping(2);
    for (const ping of socket.pings) t.strictSame(ping, { type: 'ping', board_id: board.id });
  }
});

t.test('BEAT1 a client that answers stays connected and present', async (t) => {
  const board = await RealtimeBoard.on(app);
  const witness = await board.join(board.owner);
  const socket = await board.join(board.member, { pong: false });
  // Other spellings of the same message, as text or as bytes, are accepted.
  const spellings = ['{"type":"pong"}', ' { "type" : "pong", "board_id": null } ', Buffer.from('{"type":"pong"}')];
  for (const [index, spelling] of spellings.entries()) {
    await socket.ping(index);
    socket.send(spelling);
  }
  await socket.ping(spellings.length);
  t.strictSame(await board.online(), [board.owner.id, board.member.id]);
  t.notOk(witness.messages.some(({ type }) => type === 'user_left'));
});

t.test('BEAT1 a client that does not answer is closed with 4408', async (t) => {
  const board = await RealtimeBoard.on(app);
  const witness = await board.join(board.owner);
  const silent = await board.join(board.member, { pong: false });
  await silent.ping(0);
  // No other message counts as an answer.
  const others = ['{"type":"ping"}', '"pong"', 'pong', '{"type":["pong"]}', '', '{"type":"card.created"}'];
  for (const text of others) silent.send(text);
  t.equal((await silent.closed).code, 4408);
  t.match(await witness.find('user_left'), { user_id: board.member.id });
  await witness.ping(witness.pings.length);
  t.pass('a client that answers stays connected');
});

t.test('BEAT1 a client that is receiving a large event is neither pinged nor closed for a missing pong, and stays present', async (t) => {
  const board = await RealtimeBoard.on(app);
  const change = await board.hugeChanges();
  const witness = await board.join(board.owner, { since: 'latest' });
  const socket = await RawSocket.open(board.app.url, `/ws/boards/${board.id}?token=${board.member.token}`);
  await witness.find(({ type, user_id }) => type === 'user_joined' && user_id === board.member.id);
  const changed = change(1);
  const rest: string[] = [];
  for await (const { opcode, payload } of socket.frames()) {
    if (opcode === OPCODE.close) throw new Error(`it was closed with ${payload.readUInt16BE(0)}`);
    const kind = opcode === OPCODE.continuation ? 'continuation' : (/^.{0,40}?"type":"([^"]+)"/.exec(payload.toString('utf8', 0, 100)) ?? [])[1];
    const isBefore = rest.length === 0;
    if (kind === 'column.updated' || !isBefore) rest.push(kind ?? 'nothing');
    if (kind === 'ping' && !isBefore) break;
    if (kind === 'ping') socket.send('{"type":"pong"}');
    if (kind !== 'column.updated') continue;
    socket.pause();
    // Longer than the time-out of a pong, and shorter than that of a client that takes no slice.
    const end = performance.now() + PONG_TIMEOUT_SECONDS * 1.2 * 1000;
    while (performance.now() < end) await witness.ping(witness.pings.length);
    t.strictSame((await board.online()).sort(), [board.owner.id, board.member.id].sort());
    socket.resume();
  }
  t.ok(rest.length > 40, `the event came in slices, ${rest.length} with the ping`);
  t.strictSame([...new Set(rest)], ['column.updated', 'continuation', 'ping'], 'with nothing in between, and then a ping');
  await changed;
  socket.destroy();
});
