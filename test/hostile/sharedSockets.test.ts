import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Close } from '../../src/api/closeCodes.js';
import { FOLLOWING_RATE, MAX_SHOWN_BYTES, STATE_RATE } from '../../src/api/socketLimits.js';
import { MAX_STATES_PER_BOARD } from '../../src/domain/ports/presence.js';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { floodToTheEnd, isEarned } from '../support/hostile/attackingSocket.js';
import { importLargeColumn } from '../support/hostile/largeColumn.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { frame, OPCODE, RawSocket } from '../support/realtime/rawSocket.js';
import { range } from '../support/realtime/realtimeBoard.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';

/** Sockets that flood at the same time, and what each sends. */
const SOCKETS = 5;
const FLOOD_BYTES = 2 * 1024 * 1024;
/** Sockets that read nothing: all that a user may have. Each of the changes is an event of 110 kB, and a small one. */
const IDLERS = 100;
const CHANGES = 55;
const METRICS_TOKEN = 'for-reading-metrics';
const PADDING = 'x'.repeat(MAX_SHOWN_BYTES - 2);

type Message = Readonly<Record<string, unknown>>;

const framed = (message: Message): Buffer => frame(JSON.stringify(message));

/** Resolves when the token was accepted, unless the socket does not read. */
async function enter({ url }: AttackedService, { token }: Pick<TestUser, 'token'>, { reading = true } = {}): Promise<RawSocket> {
  const socket = await RawSocket.open(url, `/ws?token=${token}`, { reading });
  if (reading) await socket.receives('"authenticated"');
  return socket;
}

t.test('HOSTILE11 floods of every kind of message on shared sockets end them and cost a bystander nothing', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { id: board_id } = await attacked.do('POST', '/boards', { title: 'Attack' });
  const floods: Record<string, Buffer> = {
    subscribe: Buffer.concat(range(1, 1_000).map(() => framed({ type: 'subscribe', board_id: randomUUID() }))),
    'subscribe and unsubscribe': Buffer.concat(['subscribe', 'unsubscribe'].map((type) => framed({ type, board_id }))),
    state: Buffer.concat([framed({ type: 'state', board_id, state: PADDING }), framed({ type: 'state', board_id, state: null })]),
    signal: framed({ type: 'signal', board_id, data: PADDING }),
    auth: Buffer.concat(['nonsense', attacked.attacker.token].map((token) => framed({ type: 'auth', token }))),
    'not JSON': frame('['.repeat(4_096)),
    nested: frame(`${'['.repeat(2_000)}${']'.repeat(2_000)}`),
    pong: framed({ type: 'pong' }),
    ping: frame('x'.repeat(125), { opcode: OPCODE.ping }),
  };
  const ends: Array<Close | null> = [];
  const damage = await attacked.suffer(t, async () => {
    for (const bytes of Object.values(floods)) {
      const sockets = await Promise.all(range(1, SOCKETS).map(() => enter(attacked, attacked.attacker)));
      const flood = Buffer.alloc(FLOOD_BYTES - (FLOOD_BYTES % bytes.length), bytes);
      const first = framed({ type: 'subscribe', board_id });
      ends.push(...(await Promise.all(sockets.map((socket) => floodToTheEnd(socket, Buffer.concat([first, flood]))))));
    }
  });
  await expectUnharmed(t, attacked, damage);
  t.equal(ends.length, Object.keys(floods).length * SOCKETS, 'each flood ends its socket');
  t.strictSame(
    ends.filter((end) => !isEarned(end)),
    [],
    'and it gets the close code if it still reads',
  );
});

t.test('HOSTILE11 a user who joins a board with many states again and again costs a bystander nothing', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { id: board_id } = await attacked.do('POST', '/boards', { title: 'Attack' });
  await fillWithStates(attacked, board_id);
  const round = Buffer.concat(['subscribe', 'unsubscribe'].map((type) => framed({ type, board_id })));
  const damage = await attacked.suffer(t, async () => {
    const sockets = await Promise.all(range(1, 20).map((n) => enter(attacked, attacked.attacker, { reading: n % 2 === 0 })));
    for (const _ of range(1, 2)) {
      for (const socket of sockets) socket.write(Buffer.alloc((round.length * FOLLOWING_RATE.burst) / sockets.length, round));
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    for (const socket of sockets) socket.destroy();
  });
  await expectUnharmed(t, attacked, damage);
});

t.test(
  'HOSTILE10 a hundred shared sockets that read nothing of events, states, signals and the feed cost a bystander nothing',
  { skip: WITHOUT_PEAK },
  async (t) => {
    const attacked = await AttackedService.start(t, { METRICS_TOKEN });
    // Of the size that is still sent as one message to a hundred sockets.
    const { boardId: board_id, columnId } = await importLargeColumn(attacked, 0.11);
    const friend = await newUser(attacked.api);
    await attacked.do('POST', `/boards/${board_id}/invite`, { user_id: friend.id });
    const reader = await TestSharedSocket.enter(attacked.url, friend, { unchecked: true });
    const { seq } = await reader.subscribe(board_id);
    const damage = await attacked.suffer(t, async () => {
      const sockets = await Promise.all(range(1, IDLERS).map(() => enter(attacked, attacked.attacker, { reading: false })));
      for (const socket of sockets) socket.send(JSON.stringify({ type: 'subscribe', board_id }));
      await reader.find(() => reader.messages.filter(({ type }) => type === 'user_joined').length > IDLERS);
      for (const n of range(1, CHANGES)) {
        await attacked.send('PATCH', `/columns/${columnId}`, { title: `Title ${n}` });
        reader.tell({ type: 'state', board_id, state: n + PADDING.slice(9) });
        for (const _ of range(1, 3)) reader.tell({ type: 'signal', board_id, data: PADDING });
        await attacked.send('PATCH', `/boards/${board_id}`, { title: `Title ${n}` });
      }
      await reader.find(() => reader.seqs(board_id).length === 2 * CHANGES);
      for (const socket of sockets) socket.destroy();
    });
    await expectUnharmed(t, attacked, damage);
    t.strictSame(reader.seqs(board_id), range(Number(seq) + 1, Number(seq) + 2 * CHANGES), 'one that reads gets everything');
    const metrics = await (await attacked.send('GET', '/metrics', undefined, METRICS_TOKEN)).text();
    t.ok(Number(/^switchboard_slow_sockets_closed_total (\d+)$/m.exec(metrics)?.[1]) > IDLERS / 2, 'the others were disconnected');
  },
);

/** Users with as many sockets as states that they may set at once: half of what the board has room for. */
async function fillWithStates(attacked: AttackedService, board_id: string): Promise<void> {
  await Promise.all(
    range(1, MAX_STATES_PER_BOARD / 2 / STATE_RATE.burst).map(async () => {
      const user = await newUser(attacked.api);
      await attacked.do('POST', `/boards/${board_id}/invite`, { user_id: user.id });
      for (const _ of range(1, STATE_RATE.burst)) {
        const socket = await enter(attacked, user);
        socket.send(JSON.stringify({ type: 'subscribe', board_id }));
        await socket.receives('"subscribed"');
        socket.send(JSON.stringify({ type: 'state', board_id, state: PADDING }));
        await socket.receives('"state"');
      }
    }),
  );
}
