/** Markdown that makes the parser do, or the page hold, far more than its length suggests. */

/** A unit that is repeated to the wanted length, between a start and an end. */
interface Bomb {
  readonly unit: string;
  readonly start?: string;
  readonly end?: string;
}

const BOMBS: Readonly<Record<string, Bomb>> = {
  'nested quotations': { unit: '>' },
  'nested quotations with spaces': { unit: '> ' },
  'nested lists on one line': { unit: '- ' },
  'nested numbered lists on one line': { unit: '1. ' },
  'lists in quotations': { unit: '> - ' },
  'list items': { unit: '- a\n' },
  'task items': { unit: '- [ ] a\n' },
  'empty items': { unit: '-\n' },
  'items with tags': { unit: '<\n', start: '1. a\n' },
  headings: { unit: '# a\n' },
  'underlined headings': { unit: 'a\n-\n' },
  'possible underlined headings': { unit: 'a\n', start: '- a\n', end: '\n -' },
  rules: { unit: '---\n' },
  'line breaks': { unit: 'a\n' },
  'blank lines': { unit: '\n' },
  paragraphs: { unit: 'a\n\n' },
  'indented code': { unit: '    a\n\n' },
  fences: { unit: '```\n' },
  'fences in lists': { unit: '- ```\n' },
  stars: { unit: '*' },
  'open emphasis': { unit: '*a ' },
  'open underscores': { unit: '_a ' },
  'emphasis that may end': { unit: '*a)' },
  'underscores that may end': { unit: '_a(' },
  'emphasis of two kinds': { unit: '*a_ ' },
  'emphasis and strong': { unit: '*a **a ' },
  'nested emphasis': { unit: '*a _a ', end: 'a_ a*' },
  'stars and tildes': { unit: '*~' },
  'struck out': { unit: '~a.' },
  'open brackets': { unit: '[' },
  'open brackets with emphasis': { unit: '[', end: '*a*' },
  'escaped brackets': { unit: '\\[', end: '*a*' },
  pictures: { unit: '![' },
  'open links': { unit: '[a](b' },
  'open links with an end': { unit: '[a](<b', end: ')' },
  links: { unit: '[a](b)' },
  references: { unit: '[a][' },
  'open code': { unit: '`a``' },
  backticks: { unit: '`' },
  'code of growing length': { unit: '`` ` ``` ' },
  tags: { unit: '<a ' },
  attributes: { unit: ' a=b', start: '<a' },
  comments: { unit: '<!--' },
  instructions: { unit: '<?' },
  'instructions on lines': { unit: '<?\n\n' },
  sections: { unit: '<![CDATA[' },
  'HTML on lines': { unit: '<div>\n' },
  autolinks: { unit: '<a:' },
  addresses: { unit: 'http://a.b ' },
  'one long address': { unit: 'a.http://', end: '~~~~~~~~' },
  'an address that ends in marks': { unit: '.,', start: 'http://a' },
  'brackets of an address': { unit: '(', start: 'www.a' },
  'mail addresses': { unit: 'a@a.' },
  'half a mail address': { unit: 'a', end: '@' },
  'exclamation marks': { unit: '!' },
  spaces: { unit: ' ', start: 'a', end: 'a' },
  tabs: { unit: '\t', start: 'a', end: 'a' },
  'character references': { unit: '&#1;' },
  'named characters': { unit: '&amp;' },
  'quotation marks': { unit: '"' },
  faces: { unit: '😀' },
  'half tables': { unit: '\n|-|\n|' },
  'small tables': { unit: '|a|\n|-|\n|b|\n\n' },
  'a row of cells': { unit: '|', start: 'a|b\n-|-\n' },
  definitions: { unit: '[a]: b\n' },
  'carriage returns': { unit: '\r' },
};

/** Each of them in about so many characters. */
export function markdownBombs(length: number): Array<readonly [name: string, text: string]> {
  const repeated = Object.entries(BOMBS).map(([name, { unit, start = '', end = '' }]) => {
    const text = start + unit.repeat(Math.ceil(length / unit.length)).slice(0, length - start.length - end.length) + end;
    return [name, text] as const;
  });
  return [
    ...repeated,
    ['a wide table with short rows', wideTable(length)],
    ['a definition used often', usedDefinition(length)],
    ['deep quotations that go on', deepQuotation(length)],
    ['a list that is indented deeper and deeper', deepList(length)],
  ];
}

/** Half of it is the header, half of it rows of one cell: rows x columns cells. */
export function wideTable(length: number): string {
  const columns = Math.floor(length / 6);
  const head = `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n`;
  return head + 'x\n'.repeat(Math.floor((length - head.length) / 2));
}

function usedDefinition(length: number): string {
  return `[a]: http://b/${'c'.repeat(length / 2)}\n\n${'[a] '.repeat(length / 8)}`;
}

/** Each line that continues the innermost quotation makes the parser read all of them again. */
function deepQuotation(length: number): string {
  return `${' >'.repeat(length / 8)}a\n${'a\n][\n'.repeat(length / 8)}`;
}

function deepList(length: number): string {
  const levels = Math.floor(Math.sqrt(length));
  return Array.from({ length: levels }, (_, level) => `${'  '.repeat(level)}- a\n`).join('');
}

/** Pieces that a mix of constructs is made of. */
export const MARKDOWN_PIECES: readonly string[] = [
  ...new Set(Object.values(BOMBS).flatMap(({ unit, start = '', end = '' }) => [unit, start, end])),
  '](',
  '](<',
  '][',
  ']',
  ')',
  '(',
  '\\',
  '  \n',
  '\n\n',
  '-->',
  '</a>',
  '|-',
  '\n|-|\n',
  '===',
  '---\n',
  '[a]: ',
  'www.',
  'mailto:',
  '*a',
  '_a',
  '.a',
  'é',
  '"',
  "'",
].filter((piece) => piece !== '');
