import t, { type Test } from 'tap';
import { readFile } from 'node:fs/promises';
import { packagePath } from '../../src/paths.js';
import { MAX_DEPTH, MAX_NODES, MAX_RESULT_CHARACTERS, markdownHtml } from '../../src/web/card/text/markdownHtml.js';
import { seededRandom } from '../support/seededRandom.js';
import { MARKDOWN_PIECES, markdownBombs, wideTable } from '../support/web/markdownBombs.js';

/** Of a description today, and what one could be: 65,536 code points. */
const LENGTHS = [10_000, 65_536];
/** A cell is an element of a row; an item of a list, and its list, are two. */
const ELEMENTS_PER_NODE = 2;
/** Of a character as HTML or in an address. */
const LONGEST_ESCAPE = 9;
const LONGEST_TAGS = 40;
/** For a text; each takes a tenth of it. Processor time, because other processes share the machine. */
const MAX_CPU_MS = 1_500;

/** Measures the HTML itself: what the page would hold. */
function checkBounded(t: Test, name: string, text: string): 'rendered' | 'as written' {
  const before = process.cpuUsage();
  const html = markdownHtml(text);
  const { user, system } = process.cpuUsage(before);
  const problems: string[] = [];
  const require = (what: string, value: number, max: number): void => {
    if (value > max) problems.push(`${what}: ${value} is more than ${max}`);
  };
  require('milliseconds', (user + system) / 1_000, MAX_CPU_MS);
  const { elements, depth } = countElements(html ?? '');
  require('elements', elements, ELEMENTS_PER_NODE * MAX_NODES);
  require('depth', depth, ELEMENTS_PER_NODE * MAX_DEPTH);
  require('characters', html?.length ?? 0, LONGEST_ESCAPE * MAX_RESULT_CHARACTERS + LONGEST_TAGS * MAX_NODES);
  if (problems.length > 0) t.fail(name, { problems, start: text.slice(0, 80), length: text.length });
  return html === null ? 'as written' : 'rendered';
}

function countElements(html: string): { readonly elements: number; readonly depth: number } {
  let [elements, depth, deepest] = [0, 0, 0];
  for (const [, slash = '', name = ''] of html.matchAll(/<(\/?)([a-z]+\d?)/g)) {
    if (slash === '/') {
      depth -= 1;
      continue;
    }
    elements += 1;
    if (name === 'br' || name === 'hr') continue;
    depth += 1;
    deepest = Math.max(deepest, depth);
  }
  return { elements, depth: deepest };
}

t.test('WEBCARD17 a text of any construct becomes a bounded number of elements in bounded time, or is shown as written', async (t) => {
  for (const length of LENGTHS) {
    const outcomes = markdownBombs(length).map(([name, text]) => [name, checkBounded(t, `${name}, ${length} characters`, text)] as const);
    const asWritten = outcomes.filter(([, outcome]) => outcome === 'as written').map(([name]) => name);
    t.ok(
      asWritten.includes('a wide table with short rows'),
      `of ${length} characters, ${asWritten.length} of ${outcomes.length} are shown as written`,
    );
    t.ok(outcomes.length > asWritten.length, 'and others are rendered');
  }
  for (const length of [3_004, 6_004]) t.equal(markdownHtml(wideTable(length)), null, `a table of ${length} characters`);
});

t.test('WEBCARD17 so does every mixture of constructs', async (t) => {
  const random = seededRandom(24);
  const pieces = (count: number): string => Array.from({ length: count }, () => random.pick(MARKDOWN_PIECES)).join('');
  const counts = { rendered: 0, 'as written': 0 };
  for (let round = 0; round < 90; round += 1) {
    const length = round % 5 === 0 ? 65_536 : 10_000;
    // Either one unit again and again, after and before something else, or anything.
    const unit = round % 3 === 0 ? pieces(length / 4) : pieces(1 + random.below(4));
    const text = pieces(random.below(3)) + unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + pieces(random.below(3));
    counts[checkBounded(t, `mixture ${round}`, text)] += 1;
  }
  t.ok(counts.rendered > 0 && counts['as written'] > 0, `${counts.rendered} rendered, ${counts['as written']} shown as written`);
});

t.test('WEBCARD17 long documents of people are rendered', async (t) => {
  const documents = ['README.md', 'deploy/README.md', 'src/log/DESIGN.md', 'src/store/DESIGN.md', 'src/client/README.md'];
  for (const name of documents) {
    const text = await readFile(packagePath(name), 'utf8');
    t.match(markdownHtml(text.slice(0, 65_536)), /<h3>/, name);
  }
  const table = `|${' a |'.repeat(8)}\n|${'---|'.repeat(8)}\n${`|${' cell |'.repeat(8)}\n`.repeat(150)}`;
  t.equal((markdownHtml(table) ?? '').match(/<td>/g)?.length, 8 * 150, 'a large table');
  const code = `\`\`\`\n${'    at call (file.js:1:1) *_[<`\n'.repeat(1_500)}\`\`\`\n`;
  t.match(markdownHtml(code), /^<pre><code>/, 'a long piece of code');
  const lines = 'a line of some words, and a file_name\n'.repeat(260);
  t.equal((markdownHtml(lines) ?? '').match(/<br>/g)?.length, 259, 'many lines without a blank line between');
  const address = `https://example.org/${'a'.repeat(2_000)}`;
  t.match(markdownHtml(`see ${address}`), `<a href="${address}">`, 'a long address');
});
