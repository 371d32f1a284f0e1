import t from 'tap';
import { BodyMemory, type Holder } from '../../src/http/answer/bodyMemory.js';
import { WriteScheduler, type ScheduledWriter } from '../../src/http/answer/writeScheduler.js';

const TURN = 256 * 1024;
const SLICE = 64 * 1024;

t.test('all large answers together write a bounded amount in one turn of the event loop, and take turns', async (t) => {
  const turns: Array<() => void> = [];
  const writes = new WriteScheduler((turn) => void turns.push(turn));
  const written: number[] = Array.from({ length: 100 }, () => 0);
  let inThisTurn = 0;
  const answers = written.map((_, n): ScheduledWriter => ({
    write(sliceBytes) {
      written[n] = (written[n] ?? 0) + sliceBytes;
      inThisTurn += sliceBytes;
      return { bytes: sliceBytes, canGoOn: (written[n] ?? 0) < 2 * TURN };
    },
  }));
  for (const answer of answers) writes.ready(answer);
  const [first = 0, ...others] = written;
  t.strictSame([first, Math.max(...others)], [TURN, 0], 'a single answer gets the whole turn');
  let maxAtOnce = inThisTurn;
  let maxApart = 0;
  for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) {
    inThisTurn = 0;
    turn();
    maxAtOnce = Math.max(maxAtOnce, inThisTurn);
    const rest = written.slice(1);
    maxApart = Math.max(maxApart, Math.max(...rest) - Math.min(...rest));
  }
  t.ok(maxAtOnce <= TURN + SLICE, `${maxAtOnce} bytes in one turn`);
  t.ok(maxApart <= SLICE, `the furthest is ${maxApart} bytes ahead of the last`);
  t.ok(
    written.every((bytes) => bytes === 2 * TURN),
    'all of them have left',
  );
});

t.test('an answer whose socket is full waits, and costs no turn', async (t) => {
  const turns: Array<() => void> = [];
  const scheduler = new WriteScheduler((turn) => void turns.push(turn));
  let writes = 0;
  const full: ScheduledWriter = { write: () => ({ bytes: 0, canGoOn: (writes += 1) < 0 }) };
  scheduler.ready(full);
  while (turns.length > 0) turns.shift()?.();
  t.equal(writes, 1);
  scheduler.ready(full);
  t.equal(writes, 2, 'until its socket has room');
  const gone: ScheduledWriter = { write: () => t.fail('it is gone') as never };
  const busy: ScheduledWriter = { write: () => ({ bytes: 2 * TURN, canGoOn: false }) };
  scheduler.ready(busy);
  scheduler.ready(gone);
  scheduler.remove(gone);
  while (turns.length > 0) turns.shift()?.();
});

/** Holds bodies by name, and notes who was cut. */
class Unread {
  readonly cut: string[] = [];
  readonly held: BodyMemory;
  readonly #bodies = new Map<string, object>();

  constructor(budget: number) {
    this.held = new BodyMemory(budget);
  }

  body(name: string): object {
    const known = this.#bodies.get(name) ?? {};
    this.#bodies.set(name, known);
    return known;
  }

  hold(owner: string, name: string, bytes: number): Holder {
    const holder: Holder = {
      owner,
      // Some release what they hold at once, others when they come to it.
      cut: () => {
        this.cut.push(`${owner} ${name}`);
        if (bytes % 20 === 0) this.held.release(holder, this.body(name));
      },
    };
    this.held.hold(holder, this.body(name), bytes);
    return holder;
  }
}

t.test('HTTP19 a shared body counts once', async (t) => {
  const unread = new Unread(100);
  const holders = Array.from({ length: 50 }, (_, n) => unread.hold(n % 2 === 0 ? 'ann' : 'bob', 'board', 60));
  t.equal(unread.held.bytes, 60);
  t.strictSame(unread.cut, []);
  for (const holder of holders) unread.held.release(holder, unread.body('board'));
  t.equal(unread.held.bytes, 0);
  for (const holder of holders) unread.held.release(holder, unread.body('board'));
  t.equal(unread.held.bytes, 0, 'released once, however often it is called');
});

t.test('HTTP19 above the budget the caller with the most bytes is cut, at the answer without progress for the longest time', async (t) => {
  const unread = new Unread(100);
  unread.hold('slow', 'their only one', 30);
  const first = unread.hold('greedy', 'first', 20);
  unread.hold('greedy', 'second', 20);
  unread.hold('greedy', 'third', 20);
  t.strictSame(unread.cut, [], 'within the budget no caller is cut');
  unread.held.progress(first, unread.body('first'));
  unread.hold('greedy', 'fourth', 20);
  t.strictSame(unread.cut, ['greedy second']);
  unread.hold('other', 'small', 5);
  t.strictSame(unread.cut, ['greedy second'], 'there is room again');
  unread.hold('other', 'smaller', 10);
  t.strictSame(unread.cut, ['greedy second', 'greedy third'], 'not the caller who came last');
  t.ok(unread.held.bytes <= 100);
  t.equal(unread.held.cuts, 2);
});

t.test('HTTP19 a body larger than the budget is sent if it is alone', async (t) => {
  const unread = new Unread(100);
  unread.hold('ann', 'huge', 500);
  t.strictSame(unread.cut, []);
  unread.hold('bob', 'small', 1);
  t.strictSame(unread.cut, ['ann huge']);
  t.equal(unread.held.bytes, 1);
});

t.test('HTTP19 a body that several callers share is freed with the last of them', async (t) => {
  const unread = new Unread(100);
  unread.hold('ann', 'board', 60);
  unread.hold('bob', 'board', 60);
  unread.hold('bob', 'other', 50);
  t.strictSame(unread.cut, ['bob board', 'ann board']);
  t.equal(unread.held.bytes, 50);
});

t.test('HOSTILE35 a caller with much to read waits for the next large answer; other callers do not', async (t) => {
  const held = new BodyMemory();
  const mebibytes = (n: number): number => n * 1024 * 1024;
  const body = {};
  const holder: Holder = { owner: 'ann', cut: () => t.fail('within the budget') };
  t.ok(held.hasRoom('ann'));
  held.hold(holder, body, mebibytes(50));
  t.notOk(held.hasRoom('ann'));
  t.ok(held.hasRoom('ben'));
  await held.room('ben');
  let waits = true;
  const room = held.room('ann').then(() => (waits = false));
  const others = Array.from({ length: 63 }, () => held.room('ann'));
  await t.rejects(held.room('ann'), { code: 'too_many', message: /at most 64 requests/ });
  await new Promise(setImmediate);
  t.ok(waits);
  held.release(holder, body);
  await Promise.all([room, ...others]);
  t.ok(held.hasRoom('ann'));
});
