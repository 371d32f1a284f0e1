import t from 'tap';
import { readFile, readdir } from 'node:fs/promises';
import { packagePath } from '../src/paths.js';

interface Title {
  readonly title: string;
  /** At the left margin. An indented test may be a part of another one, and then need not name the rule again. */
  readonly isTopLevel: boolean;
}

const RULE_ROW = /^\| *([A-Z]+\d+) *\|/gm;
const TEST = /^( *)(?:(?:await|void|return) )?t\.test\(\s*(['"`])((?:\\.|(?!\2).)*)\2/gm;
const RULE_OF_TITLE = /^([A-Z]+\d+) /;

const rules = rulesOf(await readFile(packagePath('test', 'SPEC.md'), 'utf8'));
const titles = await allTitles();

t.test('TEST6 no two rules of SPEC.md have the same id', async (t) => {
  t.ok(rules.length > 0, 'there are rules');
  t.strictSame(rules.filter((rule, index) => rules.indexOf(rule) !== index), []);
});

t.test('TEST7 every rule has a test whose title begins with it', async (t) => {
  const tested = new Set(titles.map(({ title }) => ruleOf(title)));
  t.strictSame(rules.filter((rule) => !tested.has(rule)), []);
});

t.test('TEST8 every test title begins with a rule', async (t) => {
  const sample = `t.test('A1 x', f);\nawait t.test(\n  "no rule");\n  t.test('inner', f);`;
  t.strictSame(topLevelTitles(titlesIn(sample)), ['A1 x', 'no rule'], 'titles are found');
  t.strictSame(topLevelTitles(titles).filter((title) => !rules.includes(ruleOf(title))), []);
});

function rulesOf(spec: string): string[] {
  return [...spec.matchAll(RULE_ROW)].map(([, rule = '']) => rule);
}

async function allTitles(): Promise<Title[]> {
  const files = (await readdir(packagePath('test'), { recursive: true })).filter((name) => name.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(packagePath('test', file), 'utf8')));
  return texts.flatMap(titlesIn);
}

function titlesIn(text: string): Title[] {
  return [...text.matchAll(TEST)].map(([, indentation, , title = '']) => ({
    title,
    isTopLevel: indentation === '',
  }));
}

function topLevelTitles(titles: readonly Title[]): string[] {
  return titles.filter(({ isTopLevel }) => isTopLevel).map(({ title }) => title);
}

function ruleOf(title: string): string {
  return RULE_OF_TITLE.exec(title)?.[1] ?? '';
}
