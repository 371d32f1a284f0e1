import t from 'tap';
import { readFile, readdir } from 'node:fs/promises';
import { packagePath } from '../src/paths.js';

const RULE_ROW = /^\| *([A-Z]+\d+) *\|(.*)\|$/gm;
/** More is a paragraph: its promises belong to several rules, or to the documents. */
const MAX_WORDS = 60;
/** A longer list is not read. */
const MAX_RULES = 450;
const TEST = /^ *(?:(?:await|void|return) )?t\.test\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gm;
/** Ids of one letter are those of samples in tests of the runner. */
const RULE_OF_TITLE = /^([A-Z]{2,}\d+) /;

const promises = promisesOf(await readFile(packagePath('test', 'SPEC.md'), 'utf8'));
const rules = promises.map(({ rule }) => rule);
const titles = await allTitles();

t.test('no two rules of SPEC.md have the same id', async (t) => {
  t.ok(rules.length > 0, 'there are rules');
  t.strictSame(
    rules.filter((rule, index) => rules.indexOf(rule) !== index),
    [],
  );
});

t.test('the rules are few and short', async (t) => {
  t.ok(rules.length <= MAX_RULES, `${rules.length} rules, at most ${MAX_RULES}`);
  t.strictSame(
    promises.filter(({ words }) => words > MAX_WORDS),
    [],
  );
  t.strictSame(promisesOf(`| AA1 | ${'word '.repeat(MAX_WORDS + 1)}|`), [{ rule: 'AA1', words: MAX_WORDS + 1 }], 'words are counted');
});

t.test('every rule has a test whose title begins with it', async (t) => {
  const tested = new Set(titles.map(ruleOf));
  t.strictSame(
    rules.filter((rule) => !tested.has(rule)),
    [],
  );
});

t.test('every id at the beginning of a title is a rule', async (t) => {
  const sample = `t.test('AA1 x', f);\nawait t.test(\n  "no rule");\n  t.test('BB2 inner', f);`;
  t.strictSame(titlesIn(sample).map(ruleOf), ['AA1', '', 'BB2'], 'titles are found');
  const named = titles.map(ruleOf).filter((rule) => rule !== '');
  t.strictSame(
    named.filter((rule) => !rules.includes(rule)),
    [],
  );
});

function promisesOf(spec: string): Array<{ readonly rule: string; readonly words: number }> {
  return [...spec.matchAll(RULE_ROW)].map(([, rule = '', promise = '']) => ({ rule, words: promise.trim().split(/\s+/).length }));
}

async function allTitles(): Promise<string[]> {
  const files = (await readdir(packagePath('test'), { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(packagePath('test', file), 'utf8')));
  return texts.flatMap(titlesIn);
}

function titlesIn(text: string): string[] {
  return [...text.matchAll(TEST)].map(([, , title = '']) => title);
}

function ruleOf(title: string): string {
  return RULE_OF_TITLE.exec(title)?.[1] ?? '';
}
