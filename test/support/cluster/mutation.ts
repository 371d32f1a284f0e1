/** Almost valid messages, made from valid ones by a seeded random generator. */
import type { Random } from '../seededRandom.js';
import { decodeAnyFrame, encodeFrame } from '../../../src/wire/frame.js';

const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  0.5,
  '',
  'x',
  'constructor',
  '__proto__',
  [],
  {},
  [[[[]]]],
  { kind: 'board' },
  { op: 'toString' },
  '11111111-2222-4333-8444-555555555555',
  'x'.repeat(3_000),
  Array.from({ length: 300 }, () => 1),
];

/** Bytes changed, truncated or duplicated. */
export function mutateBytes(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = Uint8Array.from(bytes);
  for (let left = 1 + random.below(4); left > 0; left -= 1) changed[random.below(Math.max(1, changed.length))] = random.below(256);
  const choice = random.below(6);
  if (choice === 0) return changed.subarray(0, random.below(changed.length + 1));
  return choice === 1 ? Buffer.concat([changed, changed.subarray(random.below(changed.length + 1))]) : changed;
}

/** A valid frame whose JSON differs at one place of one item. */
export function mutateFields(frame: Uint8Array, random: Random): Uint8Array {
  const { items } = decodeAnyFrame(frame);
  const chosen = random.below(items.length);
  const mutated = items.map(({ json, attachments }, index) => {
    if (index !== chosen) return { json, attachments };
    const head = JSON.parse(Buffer.from(json).toString()) as unknown;
    return { json: Buffer.from(JSON.stringify(mutateValue({ head }, random).head)), attachments };
  });
  return encodeFrame(mutated);
}

function mutateValue<T extends object>(root: T, random: Random): T {
  let holder = Object.values(root)[0] as Record<string, unknown>;
  for (;;) {
    const keys = Object.keys(holder);
    const key = keys[random.below(Math.max(1, keys.length))];
    if (key === undefined) return root;
    const next = holder[key];
    if (typeof next === 'object' && next !== null && Object.keys(next).length > 0 && random.below(5) > 0) {
      holder = next as Record<string, unknown>;
      continue;
    }
    if (random.below(4) === 0) delete holder[key];
    else holder[key] = random.pick(JUNK);
    return root;
  }
}
