import t from 'tap';
import { RecordedDisk } from '../support/powerCut/disk.js';
import { fateOf, type CutMode, type Fate, type FileFate } from '../support/powerCut/fate.js';
import { SECTOR_BYTES } from '../support/powerCut/recordedFile.js';
import type { TraceRecord } from '../support/powerCut/trace.js';
import { seededRandom } from '../support/seededRandom.js';

const ROOT = 1;
const FILE = 2;
const OTHER = 3;

type Step = TraceRecord extends infer Each ? (Each extends TraceRecord ? Omit<Each, 'time'> : never) : never;

const file = (path: string, inode = FILE): Step => ({ kind: 'file', inode, path });
const write = (text: string, at = 0, inode = FILE): Step => ({ kind: 'write', inode, at, content: Buffer.from(text) });
const resize = (size: number): Step => ({ kind: 'resize', inode: FILE, size });
const rename = (from: string, to: string): Step => ({ kind: 'rename', inode: FILE, from, to });
const remove = (path: string): Step => ({ kind: 'remove', path });
const began = (flush: number, inode = FILE): Step => ({ kind: 'flush began', inode, flush: BigInt(flush) });
const ended = (flush: number, inode = FILE): Step => ({ kind: 'flush ended', inode, flush: BigInt(flush) });
const flush = (inode = FILE): Step[] => [began(inode, inode), ended(inode, inode)];

/** A letter for each sector. */
const sectors = (letters: string): string => [...letters].map((letter) => letter.repeat(SECTOR_BYTES)).join('');

/** The files after a cut, by path. */
function after(steps: readonly Step[], fate: CutMode | Fate): Record<string, string> {
  const disk = new RecordedDisk();
  disk.apply({ time: 0, kind: 'folder', inode: ROOT, path: '' });
  steps.forEach((step, time) => disk.apply({ ...step, time } as TraceRecord));
  const { entries } = disk.afterCut(typeof fate === 'string' ? fateOf(fate, seededRandom(1)) : fate);
  return Object.fromEntries([...entries].map(([path, content]) => [path, content?.toString('latin1') ?? 'folder']));
}

/** All names are there; of the writes, in their order, so many sectors. Sizes only with their content. */
function keeping(...counts: number[]): Fate {
  const ofFile: FileFate = { sectorsKept: () => counts.shift() ?? 0, keepsSize: () => false };
  return { keepsName: () => true, ofFile: () => ofFile };
}

t.test('what is flushed is there, and what is written later may be', async (t) => {
  const steps = [file('a'), write('one'), ...flush(), write('two'), write('more', 3)];
  t.strictSame(after(steps, 'drop'), { a: 'one' });
  t.strictSame(after(steps, 'keep'), { a: 'twomore' });
});

t.test('a flush covers what was written before it began, once it has ended', async (t) => {
  const steps = [file('a'), ...flush(), write('one'), began(7), write('two', 3)];
  t.strictSame(after(steps, 'drop'), { a: '' });
  t.strictSame(after([...steps, ended(7)], 'drop'), { a: 'one' });
});

t.test('a later write may be there without an earlier one, and zeros in its place', async (t) => {
  const steps = [file('a'), write(sectors('x')), write(sectors('y'), SECTOR_BYTES)];
  t.strictSame(after(steps, keeping(0, 1)), { a: sectors('\0y') });
});

t.test('a write is torn between sectors, and a sector comes with its earlier changes', async (t) => {
  const old = [file('a'), write(sectors('abc')), ...flush()];
  t.strictSame(after([...old, write(sectors('xyz'))], keeping(2)), { a: sectors('xyc') });
  const [first = '', ...rest] = ['1'.padEnd(10, 'a') + '2'.padEnd(SECTOR_BYTES - 10, 'a'), sectors('b'), sectors('c')];
  t.strictSame(after([...old, write('1'), write('2', 10)], keeping(0, 1)), { a: [first, ...rest].join('') });
});

t.test('a truncation may be lost, and old content is then behind the new', async (t) => {
  const steps = [file('a'), write(sectors('ab')), ...flush(), resize(0), write(sectors('x'))];
  t.strictSame(after(steps, 'drop'), { a: sectors('ab') });
  t.strictSame(after(steps, keeping(1)), { a: sectors('xb') });
  t.strictSame(after(steps, 'keep'), { a: sectors('x') });
});

t.test('a new name is there with the flush of its file or folder', async (t) => {
  const steps = [file('a'), write('one')];
  t.strictSame(after(steps, 'drop'), {});
  t.strictSame(after([...steps, ...flush()], 'drop'), { a: 'one' });
  t.strictSame(after([...steps, ...flush(ROOT)], 'drop'), { a: '' }, 'the folder has the name, not the content');
});

t.test('a renaming or removal is there with the flush of the folder', async (t) => {
  const steps = [file('a'), write('one'), ...flush(), rename('a', 'b')];
  t.strictSame(after(steps, 'drop'), { a: 'one' });
  t.strictSame(after([...steps, ...flush(ROOT)], 'drop'), { b: 'one' });
  const removed = [file('a'), write('one'), ...flush(), remove('a')];
  t.strictSame(after(removed, 'drop'), { a: 'one' }, 'a removed file comes back');
  t.strictSame(after([...removed, ...flush(ROOT)], 'drop'), {});
  const replaced = [...removed, file('a', OTHER), write('two', 0, OTHER), ...flush(OTHER)];
  t.strictSame(after(replaced, 'drop'), { a: 'two' }, 'but not in the place of a new one that is flushed');
});

t.test('the same seed leaves the same, and another seed something else', async (t) => {
  const steps = [file('a'), ...flush(), ...Array.from({ length: 64 }, (_, n) => write(sectors('x'), n * SECTOR_BYTES))];
  for (const mode of ['subset', 'torn'] as const) {
    const left = (seed: number): string => JSON.stringify(after(steps, fateOf(mode, seededRandom(seed))));
    t.equal(left(4), left(4));
    t.ok(new Set([1, 2, 3, 4, 5, 6, 7, 8].map(left)).size > 1, mode);
  }
});

t.test('a file that was there before the records begin is refused', async (t) => {
  t.throws(() => after([{ kind: 'open', inode: 9, path: 'z' }], 'keep'), /creation was not recorded/);
});
