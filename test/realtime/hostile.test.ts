import t from 'tap';
import type { SocketMessage } from '../support/realtime/messageChecker.js';
import { frame, OPCODE, RawSocket } from '../support/realtime/rawSocket.js';
import { RealtimeBoard, range } from '../support/realtime/realtimeBoard.js';
import type { TestSocket } from '../support/realtime/socket.js';
import { until } from '../support/until.js';

const PONG = '{"type":"pong"}';
const KIB = 1024;
const METRICS_TOKEN = 'for-reading-metrics';

t.test('WS14 a client that reads too slowly is disconnected and counted, without effect on others', async (t) => {
  const board = await RealtimeBoard.start(t, { METRICS_TOKEN });
  const change = await board.largeChanges();
  const witness = await board.join(board.owner, { since: await board.seq() });
  const from = await board.seq();
  const slow = await openRaw(board, { reading: false });
  await witness.find(({ type, user_id }) => type === 'user_joined' && user_id === board.member.id);

  // More than the system keeps for a connection, less than the hard limit of the service.
  for (const n of range(1, 40)) await change(n);
  await until(async () => (await slowOnes(board)) === 1);
  t.match(await witness.find('user_left'), { user_id: board.member.id }, 'it counts as gone at once');
  slow.resume();
  t.equal(await slow.closeCode(), null, 'its unread data is dropped');
  t.strictSame(
    witness.events.map(({ seq }) => seq),
    range(from + 1, from + 40),
  );
});

t.test('WS14 a client with too much waiting for it is disconnected and counted', async (t) => {
  const board = await RealtimeBoard.start(t, { METRICS_TOKEN });
  const change = await board.largeChanges();
  const greedy = await openRaw(board, { reading: false });
  await until(async () => (await board.online()).length === 1);
  // Some fifty megabytes, faster than the backlog is checked.
  await Promise.all(range(1, 100).map(change));
  await until(async () => (await slowOnes(board)) === 1);
  greedy.resume();
  await greedy.closeCode();
  t.ok(greedy.bytes < 45 * KIB * KIB, `${greedy.bytes} bytes were held for it`);
  await until(async () => (await board.online()).length === 0);
  await expectEvents(t, board, [await board.join(board.owner)]);
  t.equal(await slowOnes(board), 1, 'once');
});

t.test('WS15 a message over 4 KiB closes the connection with 1009', async (t) => {
  const board = await RealtimeBoard.start(t);
  const witness = await board.join(board.owner);
  const allowed = await openRaw(board);
  allowed.send('x'.repeat(4 * KIB));
  allowed.send('x'.repeat(2 * KIB), { final: false });
  allowed.send('x'.repeat(2 * KIB), { opcode: OPCODE.continuation });
  await expectEvents(t, board, [witness], allowed);

  const tooBig: Record<string, (socket: RawSocket) => void> = {
    'one byte more': (socket) => socket.send('x'.repeat(4 * KIB + 1)),
    'as bytes': (socket) => socket.send(Buffer.alloc(5 * KIB), { opcode: OPCODE.binary }),
    'in parts': (socket) => {
      socket.send('x'.repeat(2 * KIB), { final: false });
      socket.send('x'.repeat(2 * KIB), { opcode: OPCODE.continuation, final: false });
      socket.send('x', { opcode: OPCODE.continuation });
    },
    'with more behind it': (socket) => {
      socket.write(Buffer.concat([frame('x'.repeat(100 * KIB)), frame('x'.repeat(5 * KIB)), frame(PONG)]));
    },
  };
  for (const [name, send] of Object.entries(tooBig)) {
    const socket = await openRaw(board);
    send(socket);
    t.equal(await socket.closeCode(), 1009, name);
  }
  const huge = await openRaw(board);
  huge.send('x'.repeat(KIB * KIB));
  t.equal(await huge.closeCode(), null, 'a message that is far too large is cut off');
  await expectEvents(t, board, [witness], allowed);
});

t.test('WS15 frames that break the protocol end only their own connection', async (t) => {
  const board = await RealtimeBoard.start(t);
  const witness = await board.join(board.owner);
  const broken: Record<string, (socket: RawSocket) => void> = {
    'invalid UTF-8': (socket) => socket.send(Buffer.from([0xc3, 0x28, 0xff])),
    'invalid UTF-8 in parts': (socket) => {
      socket.send(Buffer.from([0xe2, 0x82]), { final: false });
      socket.send('x', { opcode: OPCODE.continuation });
    },
    'reserved bits': (socket) => socket.send('x', { reserved: 4 }),
    'an unknown kind of frame': (socket) => socket.send('x', { opcode: 3 }),
    'a control frame in parts': (socket) => socket.send('x', { opcode: OPCODE.ping, final: false }),
    'a continuation of nothing': (socket) => socket.send('x', { opcode: OPCODE.continuation }),
    'a new message inside another': (socket) => {
      socket.send('x', { final: false });
      socket.send('x');
    },
  };
  for (const [name, send] of Object.entries(broken)) {
    const socket = await openRaw(board);
    send(socket);
    t.ok([null, 1002, 1007].includes(await socket.closeCode()), `${name}: ended, and not for a missing pong`);
  }
  const unmasked = await openRaw(board);
  for (let n = 0; n < 10; n += 1) unmasked.send('{"type":"nonsense"}', { masked: false });
  const half = await openRaw(board);
  half.write(frame('x'.repeat(2 * KIB)).subarray(0, 100));
  await expectEvents(t, board, [witness, await board.join(board.member)]);
  unmasked.destroy();
  half.destroy();
});

t.test('WS15 client messages other than pong are ignored, and a flood of them closes with 1008', async (t) => {
  const board = await RealtimeBoard.start(t);
  const witness = await board.join(board.owner);
  const talker = await board.join(board.member);
  const nonsense = ['', 'hello', '{', '[]', 'null', '{"type":"card.created"}', '{"type":"user_left"}', '{"type":null}'];
  for (const text of nonsense) talker.send(text);
  talker.send(Buffer.from([0, 1, 2, 255]));
  await expectEvents(t, board, [witness, talker]);

  const flooder = await openRaw(board);
  flooder.write(Buffer.concat(range(1, 2_000).map(() => frame('{"type":"noise"}'))));
  t.equal(await flooder.closeCode(), 1008);
  for (const [name, payload, opcode] of [
    ['pings', '', OPCODE.ping],
    ['pings that are answered at length', 'x'.repeat(125), OPCODE.ping],
    ['pongs', '', OPCODE.pong],
    ['empty messages', '', OPCODE.text],
  ] as const) {
    const socket = await openRaw(board);
    socket.write(Buffer.concat(range(1, 101).map(() => frame(payload, { opcode }))));
    t.equal(await socket.closeCode(), 1008, name);
  }
  const mixed = await openRaw(board);
  mixed.write(Buffer.concat(range(1, 34).flatMap(() => [frame('x'), frame('', { opcode: OPCODE.ping }), frame(PONG)])));
  t.equal(await mixed.closeCode(), 1008, 'all kinds together');
  const control = await openRaw(board);
  control.send('', { opcode: OPCODE.ping });
  for await (const { opcode } of control.frames()) if (opcode === OPCODE.pong) break;
  await expectEvents(t, board, [witness, talker], control);
});

t.test('HOSTILE11 a thousand connections without access, and many silent ones, do not disturb others', async (t) => {
  const board = await RealtimeBoard.start(t, { MAX_SOCKETS: '2000', METRICS_TOKEN });
  const witness = await board.join(board.owner, { since: 0 });
  const from = await board.seq();
  const silent = await Promise.all(range(1, 100).map(() => RawSocket.connect(board.app.url)));
  for (const socket of silent.slice(0, 50)) socket.write(`GET /ws/boards/${board.id}?tok`);

  const codes = new Map<number | null, number>();
  const unwanted = async (n: number): Promise<void> => {
    const socket = await RawSocket.open(board.app.url, `/ws/boards/${board.id}?token=${n}`);
    const code = await socket.closeCode();
    codes.set(code, (codes.get(code) ?? 0) + 1);
    socket.destroy();
  };
  const writing = (async () => {
    for (const n of range(1, 40)) await board.addLabel(`label ${n}`);
  })();
  for (const round of range(1, 10)) await Promise.all(range(1, 100).map((n) => unwanted(round * 100 + n)));
  await writing;
  t.strictSame([...codes], [[1008, 1_000]]);
  await witness.find(({ seq }) => seq === from + 40);
  t.strictSame(
    witness.events.map(({ seq }) => seq),
    range(1, from + 40),
  );
  await expectEvents(t, board, [witness, await board.join(board.member)]);
  t.equal(await metric(board, 'switchboard_sockets'), 2, 'nothing is left of them');
  for (const socket of silent) socket.destroy();
});

/** Every client still gets the events. */
async function expectEvents(
  t: { ok(value: unknown, name: string): unknown },
  board: RealtimeBoard,
  sockets: readonly TestSocket[],
  ...raw: readonly RawSocket[]
): Promise<void> {
  const id = await board.addLabel('still here');
  const isTold = ({ data }: SocketMessage): boolean => (data as { id?: string } | undefined)?.id === id;
  for (const socket of sockets) t.ok(await socket.find(isTold), 'the others get the events');
  for (const socket of raw) t.ok(await socket.receives(id), 'so does this one');
}

/** Resolves when the member is admitted, unless the socket does not read. */
async function openRaw(board: RealtimeBoard, { reading = true } = {}): Promise<RawSocket> {
  const path = `/ws/boards/${board.id}?token=${board.member.token}`;
  const socket = await RawSocket.open(board.app.url, path, { reading });
  if (reading) await socket.receives('user_joined');
  return socket;
}

function slowOnes(board: RealtimeBoard): Promise<number> {
  return metric(board, 'switchboard_slow_sockets_closed_total');
}

async function metric(board: RealtimeBoard, name: string): Promise<number> {
  const text = new TextDecoder().decode(await board.do<Uint8Array>('GET /metrics', { token: METRICS_TOKEN }));
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}
