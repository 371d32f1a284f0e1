import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import t from 'tap';
import { MessageParts, splitMessage } from '../../src/bus/messageParts.js';

const LARGEST_PART = 64;

function split(message: Uint8Array): Uint8Array[] {
  return [...splitMessage(message, { largestPart: LARGEST_PART, randomBytes })];
}

/** Adds the parts in order and returns what each completes. */
function addAll(parts: MessageParts, arriving: Iterable<Uint8Array>): Array<Uint8Array | null> {
  return [...arriving].map((part) => parts.add(part));
}

const messages = fc.uint8Array({ maxLength: 10 * LARGEST_PART });

t.test('CLUSTER11 a message of any size arrives unchanged, split into parts that NATS accepts', async () => {
  fc.assert(
    fc.property(messages, (message) => {
      const sent = split(message);
      for (const part of sent) assert.ok(part.length <= LARGEST_PART);
      const arrived = addAll(new MessageParts(), sent);
      assert.deepEqual(Buffer.from(arrived.pop() ?? []), Buffer.from(message));
      assert.ok(
        arrived.every((each) => each === null),
        'and not before its last part',
      );
    }),
  );
});

t.test('CLUSTER11 a message arrives unchanged at the sizes where it needs one more part', async (t) => {
  for (let size = LARGEST_PART - 20; size <= 2 * LARGEST_PART + 20; size += 1) {
    const message = randomBytes(size);
    t.strictSame(Buffer.from(addAll(new MessageParts(), split(message)).at(-1) ?? []), message, String(size));
  }
});

t.test('parts of messages from several senders may interleave', async () => {
  fc.assert(
    fc.property(fc.array(messages, { minLength: 2, maxLength: 5 }), fc.infiniteStream(fc.nat()), (sent, choices) => {
      const queues = sent.map((message) => split(message));
      const parts = new MessageParts();
      const arrived: string[] = [];
      for (let left = queues.filter((queue) => queue.length > 0); left.length > 0;) {
        const part = left[(choices.next().value ?? 0) % left.length]?.shift();
        const whole = part === undefined ? null : parts.add(part);
        if (whole !== null) arrived.push(Buffer.from(whole).toString('hex'));
        left = queues.filter((queue) => queue.length > 0);
      }
      assert.deepEqual(arrived.sort(), sent.map((message) => Buffer.from(message).toString('hex')).sort());
    }),
  );
});

t.test('CLUSTER53 a message that lost a part never arrives, and harms no other', async (t) => {
  const message = randomBytes(5 * LARGEST_PART);
  const count = split(message).length;
  for (let lost = 0; lost < count; lost += 1) {
    const parts = new MessageParts();
    const arrived = addAll(
      parts,
      split(message).filter((_part, index) => index !== lost),
    );
    t.ok(
      arrived.every((each) => each === null),
      `without part ${lost}`,
    );
    t.strictSame(addAll(parts, split(message)).at(-1), message, 'sent again, it arrives');
  }
});

t.test('CLUSTER53 incomplete messages take bounded memory: the oldest is dropped', async (t) => {
  const parts = new MessageParts(10 * LARGEST_PART);
  const [old, later] = [randomBytes(8 * LARGEST_PART), randomBytes(8 * LARGEST_PART)].map((message) => ({
    message,
    parts: split(message),
  }));
  if (old === undefined || later === undefined) throw new Error('two messages were made');
  const end = old.parts.pop();
  addAll(parts, old.parts);
  t.strictSame(addAll(parts, later.parts).at(-1), later.message, 'the later one arrives');
  t.equal(end === undefined ? undefined : parts.add(end), null, 'the old one does not, although its end comes');
});

t.test('CLUSTER53 bytes that are not a part of a message are refused', async (t) => {
  const parts = new MessageParts();
  for (const bytes of [[], [7], [1, 2, 3]]) t.throws(() => parts.add(Uint8Array.from(bytes)), /unknown beginning/);
});

t.test('CLUSTER53 parts that declare too large a size, or do not fit their message, are refused', async (t) => {
  const parts = new MessageParts(10 * LARGEST_PART);
  t.throws(() => addAll(parts, split(randomBytes(11 * LARGEST_PART))), { name: 'Refusal', reason: 'too_large' });
  const [first, second] = split(randomBytes(3 * LARGEST_PART)).map((part) => Buffer.from(part));
  if (first === undefined || second === undefined) throw new Error('there are several parts');
  const SIZE_AT = 13;
  parts.add(first);
  second.writeUInt32BE(first.readUInt32BE(SIZE_AT) + 1, SIZE_AT);
  t.throws(() => parts.add(second), { name: 'Refusal', reason: 'malformed' }, 'another size than before');
  const tail = Buffer.from(first);
  tail.writeUInt32BE(1, SIZE_AT);
  t.throws(() => parts.add(tail), { name: 'Refusal', reason: 'malformed' }, 'more than the size');
  t.throws(() => parts.add(first.subarray(0, 17)), { name: 'Refusal', reason: 'malformed' }, 'only a head');
  const message = randomBytes(9 * LARGEST_PART);
  t.strictSame(addAll(parts, split(message)).at(-1), message, 'and all memory is free again');
});

t.test('CLUSTER53 however many messages begin, a bounded number is kept', async (t) => {
  const parts = new MessageParts();
  const [oldest, ...rest] = split(randomBytes(2 * LARGEST_PART));
  if (oldest === undefined) throw new Error('there are several parts');
  parts.add(oldest);
  for (let count = 0; count < 2_000; count += 1) {
    const [first] = split(randomBytes(2 * LARGEST_PART));
    if (first !== undefined) parts.add(first);
  }
  t.strictSame(
    addAll(parts, rest),
    rest.map(() => null),
    'the oldest is dropped',
  );
});
