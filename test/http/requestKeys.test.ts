import { createHmac } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import t from 'tap';
import type { AppError } from '../../src/domain/errors.js';
import { operations } from '../../src/api/operations/table.js';
import type { BodyStream } from '../../src/http/body/bodyStream.js';
import { BodyReader } from '../../src/http/body/bodyReader.js';
import { KeptBodies, type Intake } from '../../src/http/body/keptBodies.js';
import { RequestKeys, SLICE_BYTES, type IncomingKey } from '../../src/http/requestKeys.js';

const KEYS = new RequestKeys('a secret');
const PATCH = operations.find(({ name }) => name === 'board.update');

function newKey(): IncomingKey {
  if (PATCH === undefined) throw new Error('there is no such operation');
  const key = KEYS.read('a-key', PATCH, '/boards/b');
  if (!key.ok || key.value === null) throw new Error('the key was refused');
  return key.value;
}

t.test('HOSTILE1 of all large bodies with keys, one slice is hashed in a turn of the event loop', async (t) => {
  const slices = 4;
  const bodies = [1, 2, 3].map((content) => Buffer.alloc(slices * SLICE_BYTES, content));
  let hashed = 0;
  const taking = bodies.map((body) => {
    const key = newKey();
    const take = key.take.bind(key);
    key.take = (bytes) => {
      hashed += 1;
      take(bytes);
    };
    return { key, done: key.takeWhole(body) };
  });
  const seen: number[] = [];
  while (hashed < bodies.length * slices) {
    await nextTurn();
    seen.push(hashed);
  }
  t.ok(
    seen.every((count, turn) => count - (seen[turn - 1] ?? 0) <= 1),
    `hashed after each turn: ${seen.join()}`,
  );
  await Promise.all(taking.map(({ done }) => done));
  t.equal(new Set(taking.map(({ key }) => key.fingerprint())).size, bodies.length);
});

t.test('HOSTILE1 the fingerprint of a body is the same in slices and as a whole', async (t) => {
  const body = Buffer.alloc(2 * SLICE_BYTES + 1, 'abc');
  const [whole, sliced] = [newKey(), newKey()];
  whole.take(body);
  await sliced.takeWhole(body);
  t.equal(sliced.fingerprint(), whole.fingerprint());
  const other = newKey();
  await other.takeWhole(body.subarray(1));
  t.not(other.fingerprint(), whole.fingerprint());
  t.not(whole.fingerprint(), createHmac('sha256', 'a secret').update(body).digest('base64url'), 'method and path count');
});

t.test('HOSTILE1 bodies that wait to be hashed count as kept: above the budget the caller with the most loses one', async (t) => {
  const kept = new KeptBodies(4 * SLICE_BYTES);
  const readerOf = (owner: string): BodyReader => {
    const arrival = { onData: () => undefined, refuse: () => undefined };
    const watch = { add: () => undefined, remove: () => undefined };
    const intake = { kept, watch, gate: {} } as unknown as Intake;
    return new BodyReader(arrival as unknown as BodyStream, { kind: 'none' }, 0, intake, () => owner);
  };
  const body = Buffer.alloc(2 * SLICE_BYTES);
  const hash = (owner: string): Promise<unknown> =>
    readerOf(owner)
      .keepWhile(body.length, (isWanted) => newKey().takeWhole(body, isWanted))
      .then(
        () => 'hashed',
        ({ code }: AppError) => code,
      );
  const outcomes = await Promise.all(['mallory', 'mallory', 'mallory', 'ben'].map(hash));
  t.equal(outcomes[3], 'hashed');
  t.strictSame(outcomes.slice(0, 3).filter((outcome) => outcome === 'unavailable').length, 2);
  t.equal(kept.bytes, 0, 'nothing is counted afterwards');
});
