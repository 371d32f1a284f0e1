import t from 'tap';
import { decodeAnyFrame, PROTOCOL_VERSION } from '../../src/wire/frame.js';
import { ReplayWindow } from '../../src/wire/replayWindow.js';
import { FIRST_CONTACT_MS, SEAL_BYTES, SealedMessages } from '../../src/wire/sealedMessages.js';

const KEY = Buffer.from('shared by all instances');
const PLACE = { subject: 'instance.b.ask', replyTo: 'inbox.a.1' };
const TEXT = Buffer.from('a message with the hash $argon2id$v=19 of a user');

function setUp(now = { time: 1_000_000 }) {
  const open = (sender: string, key = KEY): SealedMessages => new SealedMessages({ key, sender, now: () => now.time });
  return { now, open, a: open('a'), b: open('b') };
}

t.test('CLUSTER56 a message between instances is unreadable, and opens with the same key, on its own subject, unchanged', async (t) => {
  const { a, open } = setUp();
  const sealed = a.close(TEXT, PLACE);
  t.notOk(Buffer.from(sealed).includes('argon2') || Buffer.from(sealed).includes('message'));
  t.ok(sealed.length <= TEXT.length + SEAL_BYTES);
  t.notSame(a.close(TEXT, PLACE), sealed, 'the same message looks different each time');
  t.strictSame(Buffer.from(open('b').open(sealed, PLACE)), TEXT);
  t.strictSame(Buffer.from(open('b').open(a.close(Buffer.alloc(0), PLACE), PLACE)), Buffer.alloc(0));

  const refused = { name: 'Refusal', reason: 'sealed', sender: 'a' };
  t.throws(() => open('b', Buffer.from('of another cluster')).open(sealed, PLACE), refused);
  for (const other of [
    { ...PLACE, subject: 'users' },
    { ...PLACE, replyTo: 'inbox.evil.1' },
    { ...PLACE, replyTo: '' },
  ]) {
    t.throws(() => open('b').open(sealed, other), refused);
  }
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    t.throws(() => open('b').open(changed, PLACE), { name: 'Refusal' }, `byte ${at}`);
  }
  for (let length = 0; length < sealed.length; length += 7) t.throws(() => open('b').open(sealed.subarray(0, length), PLACE), { name: 'Refusal' });
});

t.test('CLUSTER57 a message that was recorded is refused when it is sent again', async (t) => {
  const { a, b, now, open } = setUp();
  const recorded = [1, 2, 3, 4].map(() => a.close(TEXT, PLACE));
  const [first = TEXT, second = TEXT, third = TEXT, fourth = TEXT] = recorded;
  for (const each of [first, fourth, second]) b.open(each, PLACE);
  for (const each of [first, second, fourth]) t.throws(() => b.open(each, PLACE), { name: 'Refusal', reason: 'repeated' });
  b.open(third, PLACE);
  t.throws(() => b.open(third, PLACE), { name: 'Refusal', reason: 'repeated' }, 'one that was overtaken is accepted once');

  now.time += 3_000;
  const late = open('late');
  late.open(a.close(TEXT, PLACE), PLACE);
  for (const each of recorded)
    t.throws(
      () => late.open(each, PLACE),
      { name: 'Refusal', reason: 'repeated' },
      'an instance that was not there yet knows no numbers, but the time of the newest message',
    );
  const overtaken = a.close(TEXT, PLACE);
  late.open(a.close(TEXT, PLACE), PLACE);
  late.open(overtaken, PLACE);

  now.time += FIRST_CONTACT_MS + 1;
  t.throws(() => open('new').open(first, PLACE), { name: 'Refusal', reason: 'clock', sender: 'a' }, 'also if it has heard nothing of the sender');
  b.open(a.close(TEXT, PLACE), PLACE);
  const restarted = open('a');
  b.open(restarted.close(TEXT, PLACE), PLACE);
  t.throws(() => b.open(first, PLACE), { name: 'Refusal', reason: 'repeated' }, 'also after a restart of its sender');
});

t.test('CLUSTER57 instances whose clocks differ by more than half a minute do not meet, and say why', async (t) => {
  const { a } = setUp();
  const early = setUp({ time: 1_000_000 - 45_000 }).open('early');
  t.throws(() => early.open(a.close(TEXT, PLACE), PLACE), {
    name: 'Refusal',
    reason: 'clock',
    message: /45 seconds ahead: it is a repetition, or the clocks differ/,
  });
});

t.test('CLUSTER54 an instance of the version before can name the version of a sealed message, and the other way round', async (t) => {
  const { a, b } = setUp();
  // As earlier programs read it: a byte that marks a whole message, then a frame.
  const { version, items } = decodeAnyFrame(a.close(TEXT, PLACE).subarray(1));
  t.strictSame([version, items.length], [PROTOCOL_VERSION, 1]);
  const former = Buffer.from([0, 0x53, 0x57, PROTOCOL_VERSION - 1, 0, 0, 0, 0, 0]);
  t.throws(() => b.open(former, PLACE), {
    reason: 'version',
    message: new RegExp(`speaks protocol version ${PROTOCOL_VERSION - 1}, this one ${PROTOCOL_VERSION}`),
  });
});

t.test('numbers of messages are accepted once, in any order within the window', async (t) => {
  const window = new ReplayWindow();
  t.strictSame(
    [0, -1, 0.5, NaN, Infinity, 2 ** 60].map((number) => window.accept(number)),
    [false, false, false, false, false, false],
  );
  const numbers = Array.from({ length: 3_000 }, (_, index) => 1 + ((index * 7_919) % 3_000));
  t.ok(numbers.every((number) => window.accept(number)));
  t.notOk(numbers.some((number) => window.accept(number)));
  t.ok(window.accept(100_000), 'a jump');
  t.notOk(window.accept(3_001), 'too old to be known');
  t.ok(window.accept(100_000 - 65_535) && window.accept(99_999));
  t.notOk(window.accept(99_999) || window.accept(100_000 - 65_536));
  t.ok(window.accept(165_000) && window.accept(100_001) && !window.accept(100_000));
});
