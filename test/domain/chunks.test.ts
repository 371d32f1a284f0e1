import t from 'tap';
import { Chunks } from '../../src/domain/content/chunks.js';
import { seededRandom } from '../support/seededRandom.js';

const SIZE = 10;

function cut(file: Uint8Array, cuts: readonly number[]): Buffer[] {
  const chunks = new Chunks(SIZE);
  const found: Buffer[] = [];
  let at = 0;
  for (const length of [...cuts, file.length]) {
    for (const chunk of chunks.add(file.subarray(at, at + length))) found.push(Buffer.from(chunk));
    at += length;
  }
  for (const chunk of chunks.end()) found.push(Buffer.from(chunk));
  return found;
}

t.test('ATT60 a file is cut into chunks of one size, in whatever pieces it arrives', async (t) => {
  const random = seededRandom(26);
  for (let round = 0; round < 300; round += 1) {
    const file = Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)));
    const found = cut(
      file,
      Array.from({ length: random.below(8) }, () => random.below(25)),
    );
    t.ok(Buffer.concat(found).equals(file), 'nothing is lost or moved');
    const lengths = found.map(({ length }) => length);
    t.ok(
      lengths.slice(0, -1).every((length) => length === SIZE),
      'all but the last are full',
    );
    t.ok(lengths.every((length) => length > 0 && length <= SIZE));
  }
  t.strictSame(cut(Buffer.alloc(0), []), [], 'an empty file has no chunk');
});

t.test('ATT60 what is kept of a piece does not keep the memory of the whole piece', async (t) => {
  const chunks = new Chunks(SIZE);
  const piece = new Uint8Array(1_005);
  t.equal([...chunks.add(piece)].length, 100);
  const [rest] = [...chunks.end()];
  t.equal(rest?.length, 5);
  t.ok((rest?.buffer.byteLength ?? Infinity) < 100);
});
