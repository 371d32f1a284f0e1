import t from 'tap';
import { readFile, readdir } from 'node:fs/promises';
import { packagePath } from '../../src/paths.js';
import type { Text } from '../../src/web/words/catalogue.js';
import { de } from '../../src/web/words/de.js';
import { en } from '../../src/web/words/en.js';
import { pseudo } from '../../src/web/words/pseudo.js';

/** The same in both languages: names, words that German took over, and texts that are all places. */
const SAME: ReadonlySet<string> = new Set([
  'about.export',
  'boardMenu.labels',
  'boardMenu.text',
  'boards.heading',
  'card.labels',
  'color.orange',
  'common.failed',
  'export.label',
  'facts.in',
  'facts.labels',
  'filter.labels',
  'header.api',
  'import.label',
  'import.problem',
  'keys.name',
  'move.position',
  'overview.boards',
  'profile.title',
  'shortcuts.labels',
  'signIn.code',
  'theme.system',
  'thing.board',
  'thing.label',
  'unsaved.deed',
]);

const german: Readonly<Record<string, Text>> = de;
const english: Readonly<Record<string, Text>> = en;

t.test('WEB26 German has every English text and no other, in words of its own', async (t) => {
  t.strictSame(Object.keys(german).sort(), Object.keys(english).sort());
  const untranslated = Object.keys(english).filter((key) => JSON.stringify(english[key]) === JSON.stringify(german[key]) && !SAME.has(key));
  t.strictSame(untranslated, []);
});

t.test('WEB26 both languages fill in the same things, in every plural form', async (t) => {
  for (const [key, text] of Object.entries(english)) {
    const wanted = placesOf(typeof text === 'string' ? text : text.other);
    for (const form of formsOf(german[key] ?? '')) {
      // A form for one may write the number out.
      const places = placesOf(form).concat(typeof text === 'string' ? [] : ['count']);
      t.strictSame([...new Set(places)].sort(), [...new Set(typeof text === 'string' ? wanted : wanted.concat('count'))].sort(), key);
    }
  }
});

t.test('WEB26 every text is used somewhere in the page', async (t) => {
  const folder = packagePath('src', 'web');
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name) && !/^words\/(?:en|de)\.ts$/.test(name));
  const source = (await Promise.all(files.map((name) => readFile(`${folder}/${name}`, 'utf8')))).join('\n');
  // Some keys end with the name of a thing: say(`rule.which.${thing}`).
  const beginnings = [...source.matchAll(/`([\w.]+\.)\$\{/g)].map(([, beginning = '']) => beginning);
  const unused = Object.keys(english).filter((key) => !source.includes(`'${key}'`) && !beginnings.some((beginning) => key.startsWith(beginning)));
  t.strictSame(unused, []);
});

t.test('WEB26 the pseudo-language makes every text longer and keeps its places', async (t) => {
  for (const [key, text] of Object.entries(pseudo(en))) {
    const [plain, longer] = [formsOf(english[key] ?? ''), formsOf(text)];
    t.ok(
      longer.every((form) => form.endsWith('~')),
      key,
    );
    t.strictSame(longer.map(placesOf), plain.map(placesOf), key);
  }
});

function formsOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text);
}

function placesOf(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}
