import t from 'tap';
import {
  areTooManyBuffersKept,
  decideHold,
  deliveryOfLarge,
  deliveryOfMissed,
  endingOf,
  isBacklogWithinBudget,
  isDrained,
  isFallingBehind,
  isPageKept,
  isPublishedWhole,
  isSliceAllowed,
  isSliceOverdue,
  isTooMuchHeld,
  reliefOf,
  slowestBeyondBudget,
} from '../../src/realtime/delivery/slowClients.js';

const KIBI = 1024;
const MEBI = 1024 * KIBI;

t.test('WS14 a client must end that has more than 1 MiB unread, and no less than a second ago', async (t) => {
  t.notOk(isFallingBehind(MEBI, MEBI), '1 MiB is allowed');
  t.ok(isFallingBehind(MEBI + 1, MEBI + 1));
  t.ok(isFallingBehind(8 * MEBI, 1));
  t.notOk(isFallingBehind(8 * MEBI, 0), 'it has had unread data for less than a second');
  t.notOk(isFallingBehind(8 * MEBI, 8 * MEBI + 1), 'it reads faster than messages come');
});

t.test('WS14 the clients with the most unread data end, and no more of them than needed', async (t) => {
  const slowest = (...mebibytes: number[]): number[] => slowestBeyondBudget(mebibytes.map((each) => ({ client: each, bytes: each * MEBI })));
  t.strictSame(slowest(), []);
  t.strictSame(slowest(30, 4, 30), [], '64 MiB are allowed');
  t.strictSame(slowest(1, 20, 40, 30), [40]);
  t.strictSame(slowest(1, 50, 60, 40), [60, 50]);
  t.strictSame(slowest(65), [65]);
  t.ok(isBacklogWithinBudget(64 * MEBI));
  t.notOk(isBacklogWithinBudget(64 * MEBI + 1));
});

t.test('WS14 a socket with more than 16 KiB unread is cut, another gets the close code', async (t) => {
  t.equal(endingOf(0), 'close code');
  t.equal(endingOf(16 * KIBI), 'close code');
  t.equal(endingOf(16 * KIBI + 1), 'cut');
});

t.test('CATCH14 a client that reads the log drops held events above a limit; a settled client ends', async (t) => {
  const held = (count: number, kind: string): Array<{ kind: string }> => Array.from({ length: count }, () => ({ kind }));
  const presence = held(999, 'presence');
  for (const isSettled of [false, true]) {
    const relief = isSettled ? 'end' : 'drop events';
    t.equal(reliefOf(isSettled), relief);
    t.equal(decideHold(held(999, 'event'), isSettled), 'hold');
    t.equal(decideHold(held(1_000, 'event'), isSettled), relief);
    t.equal(decideHold([...presence, { kind: 'large' }], isSettled), relief);
    t.equal(decideHold([...presence, { kind: 'presence' }], isSettled), 'end', 'presence is in no log');
  }
});

t.test('CATCH14 a board may hold 256 KiB, and more while the process holds at most 16 MiB', async (t) => {
  t.notOk(isTooMuchHeld(256 * KIBI, 64 * MEBI));
  t.notOk(isTooMuchHeld(16 * MEBI, 16 * MEBI));
  t.ok(isTooMuchHeld(256 * KIBI + 1, 16 * MEBI + 1));
});

t.test('CATCH14 a client that catches up gets the next event when at most 64 KiB are unread', async (t) => {
  t.ok(isDrained(64 * KIBI));
  t.notOk(isDrained(64 * KIBI + 1));
  t.ok(isPageKept(MEBI, 15 * MEBI), 'pages of 16 Mi characters wait for such clients');
  t.notOk(isPageKept(MEBI + 1, 15 * MEBI), 'others are read again');
});

t.test('CATCH16 an event of 1 MiB is a resync for clients with numbers, and sent in slices to others', async (t) => {
  t.equal(deliveryOfLarge(true), 'resync');
  t.equal(deliveryOfLarge(false), 'slices');
  t.ok(isPublishedWhole(MEBI - 1, 1));
  t.notOk(isPublishedWhole(MEBI, 1));
  t.strictSame(
    [64 * KIBI, 64 * KIBI + 1, MEBI - 1, MEBI].map((size) => deliveryOfMissed(size, 'numbered')),
    ['whole', 'slices', 'slices', 'resync'],
  );
  t.strictSame(
    [64 * KIBI, 64 * KIBI + 1, MEBI - 1, MEBI].map((size) => deliveryOfMissed(size, 'plain')),
    ['whole', 'slices', 'slices', 'slices'],
  );
});

t.test('CATCH16 an event is too large for a crowd above 12 Mi characters for all sockets together', async (t) => {
  t.ok(isPublishedWhole(64 * KIBI, 192));
  t.notOk(isPublishedWhole(64 * KIBI, 193));
  t.ok(isPublishedWhole(32 * KIBI - 1, 100_000), 'the system has room for a small event');
  t.notOk(isPublishedWhole(32 * KIBI, 100_000));
});

t.test('CATCH16 a slice must be read at 16 bytes a millisecond after five seconds, or within one second in a crowd', async (t) => {
  const backlogBytes = 16_000;
  t.notOk(isSliceOverdue({ waitedMs: 5_999, backlogBytes }, 511));
  t.ok(isSliceOverdue({ waitedMs: 6_000, backlogBytes }, 511));
  t.notOk(isSliceOverdue({ waitedMs: 999, backlogBytes }, 512));
  t.ok(isSliceOverdue({ waitedMs: 1_000, backlogBytes }, 512));
  t.ok(isSliceAllowed(511));
  t.notOk(isSliceAllowed(512), 'deliveries wait');
});

t.test('CATCH16 the clients of the oldest buffer must end above 64 MiB of buffers', async (t) => {
  t.notOk(areTooManyBuffersKept(64 * MEBI));
  t.ok(areTooManyBuffersKept(64 * MEBI + 1));
});
