import t from 'tap';
import { readFile, readdir } from 'node:fs/promises';
import { packagePath } from '../src/paths.js';
import { de } from '../src/words/de.js';
import { en } from '../src/words/en.js';
import { OWN_PLACES, Speaker } from '../src/words/speaker.js';
import type { Text } from '../src/words/text.js';

const english: Readonly<Record<string, Text>> = en;
const german: Readonly<Record<string, Text>> = de;
/** Around what users wrote. */
const QUOTATIONS = [
  [english, /“\{\w+\}”/g],
  [german, /„\{\w+\}“/g],
] as const;

t.test('MAIL23 German has every English text and no other, in words of its own', async (t) => {
  t.strictSame(Object.keys(german), Object.keys(english));
  t.strictSame(
    Object.keys(english).filter((key) => JSON.stringify(english[key]) === JSON.stringify(german[key])),
    [],
  );
});

t.test('MAIL23 both languages fill in the same things, in every plural form that the language has', async (t) => {
  for (const [key, text] of Object.entries(english)) {
    for (const [words, locale] of [
      [english, 'en'],
      [german, 'de'],
    ] as const) {
      const said = words[key] ?? '';
      t.equal(typeof said, typeof text, key);
      const wanted = new Set(placesOf(typeof text === 'string' ? text : text.other));
      // A form for one may write the number out.
      for (const form of formsOf(said)) t.strictSame(new Set([...placesOf(form), ...(typeof said === 'string' ? [] : ['count'])]), wanted, key);
      if (typeof said !== 'string')
        t.strictSame(Object.keys(said).sort(), new Intl.PluralRules(locale).resolvedOptions().pluralCategories.sort(), key);
    }
  }
});

t.test('MAIL23 what users wrote stands in quotation marks in every text, and never in a subject', async (t) => {
  for (const [words, quoted] of QUOTATIONS) {
    for (const [key, text] of Object.entries(words)) {
      for (const form of formsOf(text)) {
        const foreign = placesOf(form.replace(quoted, '')).filter((place) => !OWN_PLACES.has(place));
        t.strictSame(foreign, [], `${key}: ${form}`);
        if (key.endsWith('.subject')) t.strictSame(placesOf(form), [], key);
      }
    }
  }
});

t.test('MAIL23 every text is used by a mail or a page', async (t) => {
  const folders = ['mail', 'api'].map((name) => packagePath('src', name));
  const files = await Promise.all(folders.map(async (folder) => (await readdir(folder, { recursive: true })).map((name) => `${folder}/${name}`)));
  const sources = await Promise.all(
    files
      .flat()
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFile(name, 'utf8')),
  );
  const source = sources.join('\n');
  /** Keys with a kind in them: say(`notice.${kind}By`), say(`${content.kind}.text`). */
  const patterns = [...source.matchAll(/say\(`([^`]*)`/g)].map(([, key = '']) => new RegExp(`^${key.replace(/\$\{[^}]*\}/g, '\\w+')}$`));
  t.strictSame(
    Object.keys(english).filter((key) => !source.includes(`'${key}'`) && !patterns.some((pattern) => pattern.test(key))),
    [],
  );
});

t.test('MAIL23 the language of a user decides, in any spelling, and English where there is no other', async (t) => {
  const heard = (language: string | null): readonly [string, string] => {
    const speaker = new Speaker(language);
    return [speaker.say('unsubscribe.done'), speaker.locale];
  };
  t.strictSame(
    ['de', 'de-AT', 'DE', null, 'en', 'en-US', 'fr-CH', 'den', 'constructor'].map((language) => heard(language)),
    [
      ['Erledigt', 'de'],
      ['Erledigt', 'de-AT'],
      ['Erledigt', 'de'],
      ['Done', 'en-GB'],
      ['Done', 'en-GB'],
      ['Done', 'en-US'],
      ['Done', 'en-GB'],
      ['Done', 'en-GB'],
      ['Done', 'en-GB'],
    ],
  );
  t.equal(new Speaker('de').say('notices.count', { count: 1_200 }), 'es gibt 1.200 Mitteilungen für Sie:');
});

function formsOf(text: Text): string[] {
  return typeof text === 'string' ? [text] : Object.values(text);
}

function placesOf(template: string): string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}
