import t from 'tap';
import { MAX_SHOWN_BYTES, SIGNAL_RATE, STATE_RATE } from '../../src/api/socketLimits.js';
import { CARD_TEXT_CHARACTERS } from '../../src/domain/textLimits.js';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { frame, RawSocket } from '../support/realtime/rawSocket.js';
import { range } from '../support/realtime/realtimeBoard.js';

const PARALLEL = 64;
const ROUNDS = IS_LONG_FORM ? 50 : 3;
const BOARDS = 16;
/** Sockets of two users on one board, and of each of them one that sends all of a second at once. */
const AUDIENCE = 150;

async function populate(attacked: AttackedService): Promise<string> {
  const { id: board } = await attacked.do('POST', '/boards', { title: 'Mine' });
  const { id: column } = await attacked.do('POST', `/boards/${board}/columns`, { title: 'To do' });
  return (await attacked.do('POST', `/boards/${board}/columns/${column}/cards`, { title: 'Work' })).id;
}

/** As many requests at a time as the attacker has connections; the statuses that came. */
async function flood(send: (n: number) => Promise<Response>): Promise<number[]> {
  const statuses = new Set<number>();
  const repeat = async (n: number): Promise<void> => {
    for (const round of range(1, ROUNDS)) {
      const response = await send(n * ROUNDS + round);
      await response.arrayBuffer();
      statuses.add(response.status);
    }
  };
  await Promise.all(range(0, PARALLEL - 1).map(repeat));
  return [...statuses];
}

interface Shown {
  readonly state: number[];
  readonly signal: number[];
}

/** The numbers of the next states and signals on a socket, by the connection that sent them. */
async function shownTo(socket: RawSocket, count: number): Promise<Map<unknown, Shown>> {
  const shown = new Map<unknown, Shown>();
  let left = count;
  for await (const { payload } of socket.frames()) {
    const message = JSON.parse(payload.toString()) as { type: string; connection_id: number; state?: string; data?: string };
    if (message.type !== 'state' && message.type !== 'signal') continue;
    const of = shown.get(message.connection_id) ?? { state: [], signal: [] };
    shown.set(message.connection_id, of);
    of[message.type].push(Number.parseInt(message.state ?? message.data ?? '', 10));
    left -= 1;
    if (left === 0) break;
  }
  return shown;
}

t.test(
  'HOSTILE35 parallel changes of long texts by one user, on one board and on many, do not delay a bystander',
  { skip: WITHOUT_PEAK },
  async (t) => {
    const attacked = await AttackedService.start(t);
    const cards = await Promise.all(range(1, BOARDS).map(() => populate(attacked)));
    const text = 'x'.repeat(CARD_TEXT_CHARACTERS - 10);
    const damage = await attacked.suffer(t, async () => {
      const change = (card: string | undefined, n: number): Promise<Response> => attacked.send('PATCH', `/cards/${card}`, { description: n + text });
      t.strictSame(await flood((n) => change(cards[0], n)), [200]);
      t.strictSame(await flood((n) => change(cards[n % BOARDS], n)), [200]);
    });
    await expectUnharmed(t, attacked, damage);
  },
);

t.test('HOSTILE35 parallel reads by one user do not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const card = await populate(attacked);
  const damage = await attacked.suffer(t, async () => {
    t.strictSame(await flood(() => attacked.send('GET', `/cards/${card}`)), [200]);
  });
  await expectUnharmed(t, attacked, damage);
});

t.test('all states and signals of a second at once, on a board with many sockets, do not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { id: board_id } = await attacked.do('POST', '/boards', { title: 'Attack' });
  const friend = await newUser(attacked.api);
  await attacked.do('POST', `/boards/${board_id}/invite`, { user_id: friend.id });
  const padding = 'x'.repeat(MAX_SHOWN_BYTES - 10);
  const enter = async ({ token }: Pick<TestUser, 'token'>): Promise<RawSocket> => {
    const socket = await RawSocket.open(attacked.url, `/ws?token=${token}`);
    socket.send(JSON.stringify({ type: 'subscribe', board_id }));
    await socket.receives('"subscribed"');
    return socket;
  };
  const members = [attacked.attacker, friend];
  const audience = await Promise.all(range(1, AUDIENCE).map((n) => enter(members[n % members.length] ?? friend)));
  const senders = audience.slice(0, members.length);
  const states = range(1, STATE_RATE.burst).map((n) => ({ type: 'state', board_id, state: `${n} ${padding}` }));
  const signals = range(1, SIGNAL_RATE.burst).map((n) => ({ type: 'signal', board_id, data: `${n} ${padding}` }));
  const second = Buffer.concat([...states, ...signals].map((message) => frame(JSON.stringify(message))));
  const damage = await attacked.suffer(t, async () => {
    for (const sender of senders) sender.write(second);
    for (const socket of audience.slice(-5)) {
      const got = await shownTo(socket, senders.length * (states.length + signals.length));
      const inOrder = [range(1, states.length), range(1, signals.length)];
      t.strictSame(
        [...got.values()].map(({ state, signal }) => [state, signal]),
        senders.map(() => inOrder),
        'all arrive in order',
      );
    }
  });
  for (const socket of audience) socket.destroy();
  await expectUnharmed(t, attacked, damage);
});
