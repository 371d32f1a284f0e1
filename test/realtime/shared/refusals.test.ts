import t, { type Test } from 'tap';
import { MAX_SHOWN_BYTES } from '../../../src/api/socketLimits.js';
import { DEEPEST_NESTING } from '../../../src/api/operation/strictJson.js';
import { OPCODE, RawSocket } from '../../support/realtime/rawSocket.js';
import { RealtimeBoard, range } from '../../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../../support/realtime/sharedSocket.js';
import { sharedApp } from '../../support/service/app.js';

const app = await sharedApp();
const KIB = 1024;
/** The longest frame that is read. */
const MAX_FRAME = 4 * KIB;

const board = await RealtimeBoard.on(app);
const board_id = board.id;

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

/** Each is answered with one `error`, in order. */
async function expectRefusals(t: Test, socket: TestSharedSocket, messages: ReadonlyArray<string | Uint8Array>, detail: RegExp): Promise<void> {
  const from = socket.messages.length;
  // The feed of the user tells of earlier changes, later.
  const answers = (): typeof socket.messages => socket.messages.slice(from).filter(({ type }) => type !== 'user.board_changed');
  for (const message of messages) socket.send(message);
  while (answers().length < messages.length) await socket.message(socket.messages.length);
  for (const [index, message] of messages.entries()) {
    t.match(answers()[index], { type: 'error', code: 'invalid', detail }, String(message).slice(0, 80));
  }
}

/** The socket still follows its board, and heard of nothing else. */
async function expectAlive(t: Test, socket: TestSharedSocket): Promise<void> {
  const from = socket.messages.length;
  await board.addLabel('still here');
  // Sockets of earlier tests may still be leaving the board.
  t.match(await socket.find('label.created', from), { board_id }, 'the socket goes on');
}

async function follow(): Promise<TestSharedSocket> {
  const socket = await TestSharedSocket.enter(app.url, board.member);
  await socket.subscribe(board_id);
  await socket.find('user_joined');
  return socket;
}

t.test('SHARE16 a message that is not JSON, of an unknown type, or not an object is refused, and the socket goes on', async (t) => {
  const socket = await follow();
  await expectRefusals(t, socket, ['{', 'hello', '{"type":"pong"', "{'type':'pong'}", '\u0000', '[1,', 'NaN', '{"type":"pong"}}'], /not valid JSON/);
  await expectRefusals(
    t,
    socket,
    ['[]', 'null', 'true', '7', '"pong"', '{}', '[{"type":"pong"}]', '{"type":null}', '{"type":["pong"]}'],
    /^type: must be one of/,
  );
  const unknown = ['event', 'ping', 'subscribed', 'user_left', 'Pong', 'pong ', '__proto__', 'constructor', 'toString', 'x'.repeat(MAX_FRAME - 11)];
  await expectRefusals(
    t,
    socket,
    unknown.map((type) => JSON.stringify({ type })),
    /^type: must be one of/,
  );
  await expectRefusals(t, socket, ['', ' \n'], /empty/);
  await expectRefusals(t, socket, ['{"__proto__":{"type":"pong"}}', nested(DEEPEST_NESTING)], /^type: must be one of/);
  await expectRefusals(t, socket, ['{"type":"pong","type":"pong"}', '{"type":"pong","t\\u0079pe":"x"}'], /occurs twice/);
  await expectRefusals(t, socket, ['['.repeat(MAX_FRAME), '{"a":'.repeat(800), nested(2_000), nested(DEEPEST_NESTING + 1)], /nested too deeply/);
  await expectRefusals(t, socket, [Buffer.from([0, 255, 1]), Buffer.from('{')], /not valid JSON/);
  await expectAlive(t, socket);
});

t.test('SHARE16 missing and wrong fields of every kind of message are refused by name', async (t) => {
  const socket = await follow();
  const ids = [undefined, null, 7, '', 'nonsense', [board_id], { id: board_id }, `${board_id}0`, `${board_id}\u0000`, '__proto__'];
  for (const type of ['subscribe', 'unsubscribe', 'state', 'signal']) {
    await expectRefusals(
      t,
      socket,
      ids.map((id) => JSON.stringify({ type, board_id: id, state: 1, data: 1 })),
      /^board_id: /,
    );
  }
  const other = (await RealtimeBoard.on(app)).id;
  const since = [
    '-1',
    '"-1"',
    '1.5',
    '1e400',
    '1e21',
    '"1e3"',
    '"latest "',
    '""',
    '" 1"',
    '"0-"',
    '"-"',
    '[]',
    '[1]',
    '{}',
    'true',
    'null',
    `"${'9'.repeat(16)}"`,
    '"ABC-1"',
    '"abc-1\\u0000"',
    '"\\ud800"',
  ];
  await expectRefusals(
    t,
    socket,
    since.map((value) => `{"type":"subscribe","board_id":"${other}","since":${value}}`),
    /^since: /,
  );
  await expectRefusals(
    t,
    socket,
    [{}, { state: undefined }].map((rest) => JSON.stringify({ type: 'state', board_id, ...rest })),
    /^state: is required/,
  );
  await expectRefusals(
    t,
    socket,
    [{}, { data: undefined, state: 1 }].map((rest) => JSON.stringify({ type: 'signal', board_id, ...rest })),
    /^data: is required/,
  );
  await expectRefusals(
    t,
    socket,
    [{}, { token: null }, { token: 7 }, { token: ['x'] }].map((rest) => JSON.stringify({ type: 'auth', ...rest })),
    /^token: /,
  );
  await expectAlive(t, socket);
});

t.test('SHARE16 a message that names a board which it may not act on is refused with its id', async (t) => {
  const socket = await follow();
  const other = (await RealtimeBoard.on(app)).id;
  t.match(await socket.refused({ type: 'subscribe', board_id }), { code: 'invalid', board_id, detail: /Already subscribed/ });
  t.match(await socket.refused({ type: 'subscribe', board_id: board_id.toUpperCase() }), { board_id, detail: /Already/ }, 'in any case');
  for (const type of ['unsubscribe', 'state', 'signal']) {
    t.match(await socket.refused({ type, board_id: other, state: 1, data: 1 }), { code: 'not_found', board_id: other, detail: /Not subscribed/ });
  }
  await expectAlive(t, socket);
});

t.test('SHARE10 states and signals carry any JSON of up to a kilobyte unchanged', async (t) => {
  const [ann, bob] = [await TestSharedSocket.enter(app.url, board.owner), await follow()];
  await ann.subscribe(board_id);
  await bob.find(({ type, user_id }) => type === 'user_joined' && user_id === board.owner.id);
  const inner = (text: string): string => text.slice(0, -1);
  const values = [
    'true',
    '-0.5e-7',
    '""',
    '[]',
    '{}',
    '{"__proto__":{"x":1},"constructor":7}',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\u{1f600}"',
    '9007199254740993',
    '{"type":"board.deleted","board_id":1}',
    `"${'x'.repeat(MAX_SHOWN_BYTES - 2)}"`,
    `"${'é'.repeat((MAX_SHOWN_BYTES - 2) / 2)}"`,
    nested(DEEPEST_NESTING - 1),
  ];
  for (const value of values) {
    for (const [type, field] of [
      ['state', 'state'],
      ['signal', 'data'],
    ] as const) {
      const from = bob.messages.length;
      ann.send(`${inner(JSON.stringify({ type, board_id }))},"${field}":${value}}`);
      t.strictSame((await bob.find(type, from))[field], JSON.parse(value), `${type} ${value.slice(0, 40)}`);
    }
  }
  const tooLong = [`"${'x'.repeat(MAX_SHOWN_BYTES - 1)}"`, `"${'é'.repeat(MAX_SHOWN_BYTES / 2)}"`, `[${range(1, 400).join()}]`];
  for (const value of tooLong) {
    await expectRefusals(t, ann, [`${inner(JSON.stringify({ type: 'state', board_id }))},"state":${value}}`], /^state: must be at most 1024 bytes/);
    await expectRefusals(t, ann, [`${inner(JSON.stringify({ type: 'signal', board_id }))},"data":${value}}`], /^data: must be at most 1024 bytes/);
  }
  await expectRefusals(t, ann, [`${inner(JSON.stringify({ type: 'state', board_id }))},"state":${nested(DEEPEST_NESTING)}}`], /nested too deeply/);
  const from = bob.messages.length;
  ann.send(`${inner(JSON.stringify({ type: 'state', board_id }))},"state":1e400}`);
  t.match(await bob.find('state', from), { state: null }, 'a number that JSON cannot carry is no state');
  const late = await follow();
  await expectAlive(t, late);
  t.notOk(late.messages.some(({ type }) => type === 'state'));
});

t.test('WS15 frames of more than 4 KiB close with 1009, and those that break the protocol end only their connection', async (t) => {
  const witness = await follow();
  const ends: Record<string, (socket: RawSocket) => void> = {
    'one byte more': (socket) => socket.send(JSON.stringify({ type: 'x'.repeat(MAX_FRAME - 10) })),
    'as bytes': (socket) => socket.send(Buffer.alloc(MAX_FRAME + 1), { opcode: OPCODE.binary }),
    'in parts': (socket) => {
      socket.send('x'.repeat(MAX_FRAME), { final: false });
      socket.send('x', { opcode: OPCODE.continuation });
    },
  };
  for (const [name, send] of Object.entries(ends)) {
    const socket = await RawSocket.open(app.url, `/ws?token=${board.member.token}`);
    send(socket);
    t.equal(await socket.closeCode(), 1009, name);
  }
  for (const bytes of [Buffer.from([0xc3, 0x28]), Buffer.from('{"type":"\xff"}', 'latin1')]) {
    const socket = await RawSocket.open(app.url, `/ws?token=${board.member.token}`);
    socket.send(bytes);
    t.ok([null, 1007].includes(await socket.closeCode()), 'invalid UTF-8');
  }
  await expectAlive(t, witness);
});
