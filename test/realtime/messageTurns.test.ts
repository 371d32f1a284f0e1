import { pino } from 'pino';
import t from 'tap';
import { SIGNAL_RATE } from '../../src/api/socketLimits.js';
import type { Callers } from '../../src/auth/callers.js';
import type { PresencePort } from '../../src/domain/ports/presence.js';
import type { Hub } from '../../src/realtime/hub.js';
import { MAX_DELIVERIES_PER_TURN, MESSAGE_COST, MessageTurns, type Effort } from '../../src/realtime/delivery/messageTurns.js';
import { Deferred } from '../../src/flow/deferred.js';
import { SharedMessages } from '../../src/realtime/socket/sharedMessages.js';
import { SharedFollower } from '../../src/realtime/socket/sharedSocket.js';
import { FakeRoom, FakeSharedClient } from '../support/realtime/fakeRoom.js';
import { range } from '../support/realtime/realtimeBoard.js';

const senderOf = (id: string) => ({ user: { id }, isClosed: false });
const [mallory, ben] = [senderOf('mallory'), senderOf('ben')];

/** Carries out messages and notes what was done, turn by turn of the event loop. */
class Turns {
  readonly turns: MessageTurns<ReturnType<typeof senderOf>>;
  done: string[] = [];

  constructor(effort: (text: string) => Effort) {
    this.turns = new MessageTurns((_, text) => {
      this.done.push(text);
      return effort(text);
    });
  }

  send(sender: ReturnType<typeof senderOf>, count: number): string[] {
    const texts = range(1, count).map((n) => `${sender.user.id} ${n}`);
    for (const text of texts) this.turns.add(sender, text);
    return texts;
  }

  /** What was done since the last call. */
  take(): string[] {
    return this.done.splice(0);
  }

  async next(): Promise<string[]> {
    await new Promise(setImmediate);
    return this.take();
  }
}

t.test('a second of signals is sent over several turns, in order, and other users come in between', async (t) => {
  const turns = new Turns(() => ({ deliveries: 300 }));
  const max = Math.ceil(MAX_DELIVERIES_PER_TURN / (300 + MESSAGE_COST));
  const sent = turns.send(mallory, 60);
  const done = turns.take();
  t.equal(done.length, max, 'deliveries of one turn');
  turns.send(ben, 1);
  const next = await turns.next();
  t.equal(next.length, max);
  t.equal(next[1], 'ben 1', 'another user waits for one message');
  done.push(...next);
  for (let turn = await turns.next(); turn.length > 0; turn = await turns.next()) {
    t.ok(turn.length <= max);
    done.push(...turn);
  }
  t.strictSame(
    done.filter((text) => text !== 'ben 1'),
    sent,
    'nothing is lost',
  );
});

t.test('of the signals of a second to a board with many sockets, few are sent in one turn', async (t) => {
  const fake = new FakeRoom();
  const { client } = new FakeSharedClient(fake, 'mallory');
  const follower = new SharedFollower(client, fake.room, fake.nextNumber());
  follower.goLive();
  client.add(follower);
  const sent: string[] = [];
  const signal = (_: unknown, data: string): boolean => sent.push(data) > 0;
  const hub = { signal, receiversOf: () => 1_000 } as unknown as Hub;
  const [presence, callers] = [{} as PresencePort, {} as Callers];
  const messages = new SharedMessages({ hub, presence, callers, config: { maxSockets: 100 }, log: pino({ level: 'silent' }) });
  const numbers = range(1, SIGNAL_RATE.burst);
  for (const data of numbers) messages.receive(client, JSON.stringify({ type: 'signal', board_id: fake.room.boardId, data }));
  t.equal(sent.length, 3);
  for (let before = 0; before < sent.length;) {
    before = sent.length;
    await new Promise(setImmediate);
    t.ok(sent.length - before <= 3);
  }
  t.strictSame(sent, numbers.map(String), 'all are sent, in order');
});

t.test('messages that cause nothing are bounded in a turn too', async (t) => {
  const turns = new Turns(() => ({ deliveries: 0 }));
  turns.send(mallory, 1_000);
  t.equal(turns.take().length, MAX_DELIVERIES_PER_TURN / MESSAGE_COST);
});

t.test('states that are not published yet count until they are', async (t) => {
  const published = new Map<string, Deferred<void>>();
  const turns = new Turns((text) => {
    const state = new Deferred<void>();
    published.set(text, state);
    return { deliveries: 1_000, settled: state.promise };
  });
  turns.send(mallory, 20);
  t.strictSame(turns.take(), ['mallory 1', 'mallory 2', 'mallory 3']);
  t.strictSame(await turns.next(), [], 'however many turns pass');
  published.get('mallory 1')?.resolve();
  published.get('mallory 2')?.resolve();
  await turns.next();
  await turns.next();
  t.equal(published.size, 5);
});

t.test('what waits of a closed socket is dropped', async (t) => {
  const turns = new Turns(() => ({ deliveries: MAX_DELIVERIES_PER_TURN }));
  const gone = senderOf('gone');
  turns.send(gone, 3);
  turns.send(ben, 1);
  gone.isClosed = true;
  t.strictSame(turns.take(), ['gone 1']);
  t.strictSame(await turns.next(), ['ben 1']);
});
