import fc from 'fast-check';
import t from 'tap';
import { toSharedBytes, toSharedBytesInSlices } from '../../src/domain/content/sharedBytes.js';

const SLICE = 256 * 1024;

t.test('text is encoded for another thread correctly, wherever its slices end', async (t) => {
  const texts = fc.record({ before: fc.integer({ min: -3, max: 3 }), text: fc.string({ unit: 'binary', minLength: 1 }) });
  fc.assert(
    fc.property(texts, ({ before, text }) => {
      const long = 'x'.repeat(SLICE + before) + text + 'é'.repeat(SLICE);
      return Buffer.from(toSharedBytes(long)).equals(Buffer.from(long));
    }),
    { numRuns: 40 },
  );
  t.equal(toSharedBytes('').length, 0);
  let pauses = 0;
  for (const _pause of toSharedBytesInSlices('x'.repeat(5 * SLICE))) pauses += 1;
  t.equal(pauses, 4, 'it pauses between them');
});
