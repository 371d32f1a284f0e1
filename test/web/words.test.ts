import t from 'tap';
import { readFile, readdir } from 'node:fs/promises';
import { operations } from '../../src/api/operations/table.js';
import { SSO_ERRORS } from '../../src/api/accounts/ssoErrors.js';
import { AUDIT_DETAILS, AUDIT_KINDS, REFUSED_BY_LIMIT } from '../../src/domain/audit.js';
import { ROLES } from '../../src/domain/model.js';
import { isArchived, notArchived, notFound, roleNeeded } from '../../src/domain/refusals.js';
import { packagePath } from '../../src/paths.js';
import type { Text } from '../../src/web/words/catalogue.js';
import { de } from '../../src/web/words/de.js';
import { deRefusals } from '../../src/web/words/deRefusals.js';
import { deLater } from '../../src/web/words/deLater.js';
import { chooseLanguage } from '../../src/web/words/language.js';
import { en } from '../../src/web/words/en.js';
import { enLater } from '../../src/web/words/enLater.js';
import { pseudo } from '../../src/web/words/pseudo.js';

/** The same in both languages: names, words that German took over, and texts that are all places. */
const SAME: ReadonlySet<string> = new Set([
  'about.export',
  'boardMenu.labels',
  'boardMenu.text',
  'boardMenu.webhooks',
  'boards.byTitle',
  'boards.heading',
  'card.labels',
  'color.orange',
  'common.failed',
  'export.label',
  'facts.labels',
  'filter.labels',
  'header.api',
  'hook.deliveryOf',
  'hook.format',
  'import.label',
  'import.problem',
  'key.escape',
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
  'trash.label',
  'unsaved.set',
]);

const german: Readonly<Record<string, Text>> = { ...de, ...deLater };
const whole = { ...en, ...enLater };
const english: Readonly<Record<string, Text>> = whole;

t.test('WEB26 German has every English text and no other, in words of its own', async (t) => {
  t.strictSame(Object.keys(german).sort(), Object.keys(english).sort());
  const untranslated = Object.keys(english).filter((key) => JSON.stringify(english[key]) === JSON.stringify(german[key]) && !SAME.has(key));
  t.strictSame(untranslated, []);
});

t.test('WEB26 what the service says when it refuses has German words that are about something it says', async (t) => {
  const folder = packagePath('src');
  const names = (await readdir(folder, { recursive: true })).filter((name) => /^(?!web\/|client\/).*\.ts$/.test(name));
  const source = (await Promise.all(names.map((name) => readFile(`${folder}/${name}`, 'utf8')))).join('\n');
  const kinds = ['board', 'member', 'column', 'card', 'label', 'checklist', 'item', 'attachment', 'rule', 'comment', 'version', 'trashed'] as const;
  const made = [
    ...kinds.map(notFound),
    ...ROLES.map((role) => roleNeeded(role, 'member')),
    ...(['card', 'column'] as const).flatMap((kind) => [isArchived(kind), notArchived(kind)]),
  ].map(({ detail }) => detail);
  const unknown = Object.keys(deRefusals).filter((detail) => !source.includes(`'${detail}'`) && !made.includes(detail));
  t.strictSame(unknown, []);
  t.strictSame(
    kinds.map((kind) => notFound(kind).detail).filter((detail) => !(detail in deRefusals)),
    [],
  );
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

t.test('WEBIN1 every template names itself and three columns or more, in both languages', async (t) => {
  for (const words of [english, german]) {
    for (const key of Object.keys(words).filter((name) => /^templates\.(?!label|orStart)/.test(name))) {
      t.match(words[key], /^[^:,]+:(?: [^:,]{2,},){2,}[^:,]{2,}$/, key);
    }
  }
});

t.test('the audit log has words for every kind of entry, every detail and every reason', async (t) => {
  t.strictSame(
    Object.keys(english).filter((key) => key.startsWith('audit.kind.')),
    AUDIT_KINDS.map((kind) => `audit.kind.${kind}`),
  );
  t.strictSame(
    Object.keys(english).filter((key) => key.startsWith('audit.detail.')),
    AUDIT_DETAILS.map((detail) => `audit.detail.${detail}`),
  );
  t.strictSame(
    Object.keys(english).filter((key) => key.startsWith('audit.value.reason.')),
    ['password', 'code', REFUSED_BY_LIMIT, ...Object.keys(SSO_ERRORS)].map((reason) => `audit.value.reason.${reason}`),
  );
});

t.test('WEB26 every text is used somewhere in the page', async (t) => {
  const folder = packagePath('src', 'web');
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name) && !/^words\/(?:en|de)(?:Later)?\.ts$/.test(name));
  const source = (await Promise.all(files.map((name) => readFile(`${folder}/${name}`, 'utf8')))).join('\n');
  // Some keys end with the name of a thing: say(`rule.which.${thing}`).
  const beginnings = [...source.matchAll(/`([\w.]+\.)\$\{/g)].map(([, beginning = '']) => beginning);
  const unused = Object.keys(english).filter((key) => !source.includes(`'${key}'`) && !beginnings.some((beginning) => key.startsWith(beginning)));
  t.strictSame(unused, []);
});

t.test('what a first visit loads uses no text of the parts that are loaded later', async (t) => {
  const page = await readFile(packagePath('dist', 'web', 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/\/app\/(assets\/[\w.-]+\.js)/g)].map(([, path = '']) => path);
  t.ok(scripts.length > 0);
  for (const path of new Set(scripts)) {
    const script = await readFile(packagePath('dist', 'web', path), 'utf8');
    // Some operations of the client have the names of texts.
    const used = Object.keys(enLater).filter((key) => script.includes(`"${key}"`) && !operations.some(({ name }) => name === key));
    t.strictSame(used, [], path);
  }
});

t.test('WEB26 the pseudo-language makes every text longer and keeps its places', async (t) => {
  for (const [key, text] of Object.entries(pseudo(whole))) {
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

t.test('WEB26 the page takes the first language of the browser that there is, with its own dates and numbers', async (t) => {
  const choices: ReadonlyArray<readonly [wanted: readonly string[], language: string, locale: string]> = [
    [['de-AT', 'en'], 'de', 'de-AT'],
    [['fr', 'de'], 'de', 'de'],
    [['en-XA'], 'en-xa', 'en-XA'],
    [['en-GB', 'de'], 'en', 'en-GB'],
    [['fr', 'ja-JP'], 'en', 'en'],
    [[], 'en', 'en'],
  ];
  for (const [wanted, language, locale] of choices) t.strictSame(chooseLanguage(wanted), { language, locale }, wanted.join());
});

t.test('WEBIN1 a template has its columns in every language', async (t) => {
  const columns = { 'templates.simple': 3, 'templates.development': 5, 'templates.week': 6 } as const;
  for (const [key, count] of Object.entries(columns) as Array<[keyof typeof columns, number]>) {
    for (const text of [en[key], de[key] as string]) {
      const [name, titles, ...rest] = text.split(':');
      t.strictSame([name === '', rest, titles?.split(',').filter((title) => title.trim() !== '').length], [false, [], count], text);
    }
  }
});
