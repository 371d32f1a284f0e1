import { strict as assert } from 'node:assert';
import t from 'tap';
import fc from 'fast-check';
import { mergeTexts } from '../../src/domain/board/versions/mergeTexts.js';

t.test('TEXT1 edits of different lines, and of different words of a line, are merged', async () => {
  const base = 'Buy milk\nCall Ann\n\nThe end';
  assert.equal(
    mergeTexts(base, 'Buy oat milk\nCall Ann\n\nThe end', 'Buy milk\nCall Ann and Bob\n\nThe end'),
    'Buy oat milk\nCall Ann and Bob\n\nThe end',
  );
  assert.equal(mergeTexts(base, 'First\n' + base, base + '\nLast'), `First\n${base}\nLast`);
  assert.equal(mergeTexts(base, base.replace('Ann', 'Eve'), base.replace('Call', 'Ask')), base.replace('Call Ann', 'Ask Eve'));
  assert.equal(mergeTexts(base, base.replace('The end', 'My end'), `${base}\nMore`), 'Buy milk\nCall Ann\n\nMy end\nMore');
  assert.equal(mergeTexts('a (b) c', 'a (B) c', 'A (b) c'), 'A (B) c');
  assert.equal(mergeTexts('grün 😀 blau', 'grün 😀 rot', 'gelb 😀 blau'), 'gelb 😀 rot');
  assert.equal(mergeTexts('', 'one', ''), 'one');
  assert.equal(mergeTexts(base, '', base), '');
});

t.test('TEXT1 edits of the same words, insertions at one place, and a deletion of what was edited are a conflict', async () => {
  const base = 'Buy milk\nCall Ann';
  assert.equal(mergeTexts(base, 'Buy oat milk\nCall Ann', 'Buy soy milk\nCall Ann'), null);
  assert.equal(mergeTexts(base, `${base}\nMine`, `${base}\nTheirs`), null);
  assert.equal(mergeTexts(base, '', base.replace('Ann', 'Eve')), null);
  assert.equal(mergeTexts('', 'mine', 'theirs'), null);
  assert.equal(mergeTexts('one two three', 'eins zwei drei', 'one 2 three'), null);
});

t.test('TEXT1 a merge of very long or very different texts is a conflict or a merge, and takes milliseconds', async () => {
  const lines = (count: number, word: (n: number) => string): string => Array.from({ length: count }, (_, n) => word(n)).join('\n');
  const base = lines(900, (n) => `line ${n}`);
  const shuffled = lines(900, (n) => `line ${(n * 7) % 900}`);
  assert.equal(mergeTexts(base, shuffled, base.replace('line 450', 'other')), null);
  assert.equal(mergeTexts(base, `${base}\nlast`, `first\n${base}`), `first\n${base}\nlast`);
  assert.equal(mergeTexts(lines(1_001, String), lines(1_002, String), `first\n${lines(1_001, String)}`), null);
  const words = 'word '.repeat(6_000);
  assert.equal(mergeTexts(words, `${words}mine`, `theirs ${words}`), null);
});

const word = fc.constantFrom('a', 'b', 'c', 'dd', 'e-e', '', 'ü😀', 'f g', '(h)');
const text = fc
  .array(
    fc.array(word, { maxLength: 5 }).map((words) => words.join(' ')),
    { maxLength: 12 },
  )
  .map((lines) => lines.join('\n'));

const wordsIn = (whole: string): ReadonlySet<string> => new Set(whole.match(/\w+/g) ?? []);

t.test('TEXT2 the order of two edits changes nothing, an edit of an unchanged text is kept as it is, and nothing is invented', async () => {
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      assert.equal(mergeTexts(base, mine, theirs), mergeTexts(base, theirs, mine));
      assert.equal(mergeTexts(base, mine, base), mine);
      assert.equal(mergeTexts(base, mine, mine), mine);
      const known = wordsIn([base, mine, theirs].join('\n'));
      for (const each of wordsIn(mergeTexts(base, mine, theirs) ?? '')) assert.ok(known.has(each), each);
    }),
    { numRuns: 500 },
  );
});

/** Edits of a text of numbered lines and words: each word that somebody writes is there once. */
const edits = fc.array(
  fc.record({ line: fc.nat(9), word: fc.nat(4), does: fc.constantFrom('replace', 'remove', 'insert', 'split', 'line', 'drop') }),
  {
    maxLength: 4,
  },
);

function edited(who: string, steps: ReadonlyArray<{ line: number; word: number; does: string }>): string {
  const lines = Array.from({ length: 10 }, (_, line) => Array.from({ length: 5 }, (_, word) => `l${line}w${word}`).join(' '));
  const after: string[][] = lines.map((line) => [line]);
  steps.forEach(({ line, word, does }, index) => {
    const old = `l${line}w${word}`;
    const mark = `${who}${index}`;
    const change = (each: string): string => {
      if (does === 'replace') return each.replace(old, mark);
      if (does === 'remove') return each.replace(`${old} `, '');
      if (does === 'insert') return each.replace(old, `${old} ${mark}`);
      return does === 'split' ? each.replace(old, `${mark}\n${old}`) : each;
    };
    if (does === 'line') after[line]?.push(`${mark} of ${who}`);
    else after[line] = does === 'drop' ? [] : (after[line] ?? []).map(change);
  });
  return after.flat().join('\n');
}

t.test('TEXT2 a merge has every word and every line that one side wrote, none that one side removed, and what both left', async () => {
  let [merges, conflicts] = [0, 0];
  fc.assert(
    fc.property(edits, edits, (first, second) => {
      const [base, mine, theirs] = [edited('', []), edited('mine', first), edited('theirs', second)];
      const merged = mergeTexts(base, mine, theirs);
      if (merged === null) return void (conflicts += 1);
      merges += 1;
      const [inBase, inMine, inTheirs, inMerged] = [wordsIn(base), wordsIn(mine), wordsIn(theirs), wordsIn(merged)] as const;
      for (const each of [...inMine, ...inTheirs]) if (!inBase.has(each)) assert.ok(inMerged.has(each), `${each} is lost`);
      for (const each of inBase) assert.equal(inMerged.has(each), inMine.has(each) && inTheirs.has(each), each);
      const lines = merged.split('\n');
      const touched = (side: string): ReadonlySet<string> => new Set(base.split('\n').filter((line) => !side.split('\n').includes(line)));
      const isFree = (line: string, other: string): boolean =>
        ![...wordsIn(line)].some((each) => [...touched(other)].some((old) => wordsIn(old).has(each)));
      for (const [side, other] of [
        [mine, theirs],
        [theirs, mine],
      ] as const) {
        for (const line of side.split('\n')) if (isFree(line, other)) assert.ok(lines.includes(line), `${line} is lost`);
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(merges > 200 && conflicts > 200, `${merges} merges, ${conflicts} conflicts`);
});
