import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { decodeFrame, encodeFrame, MAX_ITEMS, PROTOCOL_VERSION } from '../../src/wire/frame.js';
import { decodeItem, encodeItem } from '../../src/wire/item.js';
import { MAX_JSON_DEPTH } from '../../src/wire/jsonBounds.js';
import { Refusal } from '../../src/wire/refusal.js';

const LONG = 'Zürich, 東京 and 🏔 '.repeat(1_000);

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, 0, 1.5, '', LONG, '\ud800 half a pair'),
    fc.string(),
    fc.integer(),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

function overTheWire(value: unknown): unknown {
  const [item] = decodeFrame(encodeFrame([encodeItem(value)]));
  return item === undefined ? undefined : decodeItem(item);
}

t.test('a value arrives unchanged, with binary content and long texts', async (t) => {
  fc.assert(fc.property(values, (value) => assert.deepEqual(overTheWire(value), value)));
  const command = { kind: 'upload.append', n: 3, parts: [new Uint8Array([1, 2, 3]), LONG] };
  t.strictSame(overTheWire(command), command);
  t.strictSame(overTheWire(Buffer.from('all of it')), new Uint8Array(Buffer.from('all of it')));
  const shared = new Uint8Array(new SharedArrayBuffer(5)).fill(7);
  t.strictSame(overTheWire({ body: shared }), { body: new Uint8Array(5).fill(7) }, 'also from memory that threads share');
  const half = { text: `${'x'.repeat(20_000)}\ud800` };
  t.strictSame(overTheWire(half), half, 'a long text with half a surrogate pair');
});

t.test('a large body is copied into the frame without escaping', async (t) => {
  const body = new Uint8Array(1_000_000).fill(0x22);
  t.ok(encodeFrame([encodeItem({ body })]).length < body.length + 200);
  const json = '"'.repeat(1_000_000);
  t.ok(encodeFrame([encodeItem({ json })]).length < json.length + 200, 'nor is a long text escaped');
});

t.test('CLUSTER53 any bytes are decoded or refused', async (t) => {
  const sent = encodeFrame([encodeItem({ a: [1, { b: new Uint8Array(9) }], c: LONG }), encodeItem({ d: 'short' })]);
  const read = (bytes: Uint8Array): unknown => {
    try {
      return decodeFrame(bytes).map((item) => decodeItem(item));
    } catch (error) {
      if (error instanceof Refusal) return 'refused';
      throw error;
    }
  };
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void read(bytes)),
    { numRuns: 2_000 },
  );
  const changes = fc.array(fc.tuple(fc.nat(sent.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(changes, fc.nat(sent.length), (list, length) => {
      const changed = sent.slice(0, length % 3 === 0 ? length : sent.length);
      for (const [at, byte] of list) if (at < changed.length) changed[at] = byte;
      void read(changed);
    }),
    { numRuns: 3_000 },
  );
  t.not(read(sent), 'refused', 'the message itself is read');
});

t.test('CLUSTER53 sizes, counts and nesting are checked before decoding', async (t) => {
  const item = { json: Buffer.from('{"value":1}'), attachments: [] };
  const many = encodeFrame(Array.from({ length: MAX_ITEMS + 1 }, () => item));
  t.throws(() => decodeFrame(many), { name: 'Refusal', reason: 'too_large' }, 'items');
  const claims = (words: number[]): Uint8Array => {
    const bytes = Buffer.alloc(4 + 4 * words.length);
    bytes.set([0x53, 0x57, PROTOCOL_VERSION, 0]);
    words.forEach((word, index) => bytes.writeUInt32BE(word, 4 + 4 * index));
    return bytes;
  };
  t.throws(() => decodeFrame(claims([1, 5, 0xffff_ffff])), { name: 'Refusal', reason: 'too_large' }, 'attachments');
  t.throws(() => decodeFrame(claims([1, 0xffff_ffff, 0])), { name: 'Refusal', reason: 'malformed' }, 'more JSON than there are bytes');
  t.throws(() => decodeFrame(claims([1])), { name: 'Refusal', reason: 'malformed' }, 'a table that is not there');
  const decodeJson = (json: string): unknown => decodeItem({ json: Buffer.from(json), attachments: [] });
  const nested = (depth: number): string => `{"value":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  t.ok(decodeJson(nested(MAX_JSON_DEPTH - 1)));
  t.throws(() => decodeJson(nested(MAX_JSON_DEPTH)), { name: 'Refusal', reason: 'too_large' }, 'nesting');
  t.ok(decodeJson(`{"value":"${'['.repeat(1_000)}\\\\\\"${'{'.repeat(1_000)}"}`), 'brackets in a text do not count as nesting');
  t.throws(() => decodeJson(`{"value":[${'{},'.repeat(200_000)}{}]}`), { name: 'Refusal', reason: 'too_large' }, 'values');
  const place = (lifted: unknown, value: unknown = {}): unknown =>
    decodeItem({ json: Buffer.from(JSON.stringify({ value, lifted })), attachments: [new Uint8Array(1)] });
  for (const path of [['__proto__', 'polluted'], ['constructor', 'prototype'], ['missing'], []]) {
    t.throws(() => place([['bytes', ...path]]), { name: 'Refusal', reason: 'malformed' }, `an attachment at ${path.join('.')}`);
  }
  t.throws(
    () =>
      place(
        [
          ['bytes', 'a'],
          ['bytes', 'a'],
        ],
        { a: null },
      ),
    { name: 'Refusal', reason: 'malformed' },
    'a missing attachment',
  );
  t.throws(() => place([['zip', 'a']], { a: null }), { name: 'Refusal', reason: 'unsupported' }, 'an unknown kind of attachment');
  t.notOk('polluted' in {});
});

t.test('CLUSTER53 a message of another protocol version is refused as such', async (t) => {
  const bytes = encodeFrame([encodeItem({ value: 1 })], PROTOCOL_VERSION + 1);
  t.throws(() => decodeFrame(bytes), {
    reason: 'version',
    message: new RegExp(`version ${PROTOCOL_VERSION + 1}; this instance speaks ${PROTOCOL_VERSION}`),
  });
});
