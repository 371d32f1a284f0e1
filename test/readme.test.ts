import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { parseCommand } from '../bench/options.js';
import { packagePath } from '../src/paths.js';
import { settingsTable } from './support/service/settingsTable.js';

const FOLDERS = ['.ci', 'bench', 'deploy', 'schema', 'src', 'test'];
const IGNORED = readFileSync(packagePath('.gitignore'), 'utf8').trim().split('\n');

t.test('the table of settings equals the settings of the program', async (t) => {
  const readme = readFileSync(packagePath('deploy', 'README.md'), 'utf8');
  const [, table] = /<!-- settings -->\n([^]*?)\n<!-- \/settings -->/.exec(readme) ?? [];
  t.equal(table, settingsTable());
});

t.test('every link between the documents leads to a file and a heading that exist', async (t) => {
  const links = (await allPages()).flatMap((page) => linksIn(page, readFileSync(packagePath(page), 'utf8')));
  t.ok(
    links.some(({ target }) => target === 'deploy/README.md'),
    'the README links to that of the operator',
  );
  t.ok(
    links.some(({ page, heading }) => page === 'deploy/README.md' && heading === 'settings'),
    'which links to the settings',
  );
  t.strictSame(
    links.filter((link) => !leadsSomewhere(link)),
    [],
  );
});

t.test('every path in the documents leads to a file or folder that exists', async (t) => {
  const sample = '`src/gone.ts`, `gone/`, `gone.ts` and `src/app.ts`; no paths: `/gone.json`, `gone.json`, `text/html`, `src/*.ts`, `dist/gone.js`';
  t.strictSame(
    pathsIn(sample).filter((path) => !exists('README.md', path)),
    ['src/gone.ts', 'gone/', 'gone.ts'],
    'a wrong path is found',
  );
  const pages = await allPages();
  t.ok(pages.includes('deploy/CHANGELOG.md') && pages.includes('src/store/log/DESIGN.md'), 'all pages are read');
  const wrong = pages.flatMap((page) => {
    return pathsIn(readFileSync(packagePath(page), 'utf8'))
      .filter((path) => !exists(page, path))
      .map((path) => `${page}: ${path}`);
  });
  t.strictSame(wrong, []);
});

t.test('every row about speed names groups of the benchmark that measure it', async (t) => {
  const readme = readFileSync(packagePath('README.md'), 'utf8');
  const [, section = ''] = /^## How fast it is\n([^]*?)^## /m.exec(readme) ?? [];
  const [header = '', , ...rows] = section.split('\n').filter((line) => line.startsWith('|'));
  t.match(header, /\| `npm run bench --` \|$/);
  t.ok(rows.length >= 7, `${rows.length} rows`);
  for (const row of rows) {
    const words = /\| `([^`]+)` \|$/.exec(row)?.[1]?.split(' ') ?? [];
    const command = parseCommand(words);
    t.ok(command.kind === 'run' && words.some((word) => !word.startsWith('-')), row, { command });
  }
  const commands = [...section.matchAll(/`npm run bench -- ([^`]+)`/g)].map(
    ([, words = '']) => parseCommand(words.replace('…', 'x').split(' ')).kind,
  );
  t.strictSame(commands, ['help', 'run', 'run', 'compare'], 'and so do the sentences');
  t.equal(parseCommand(['gone']).kind, 'refused', 'a wrong name is found');
});

interface Link {
  readonly page: string;
  /** From the root of the repository. */
  readonly target: string;
  /** Empty when the link is to the whole file. */
  readonly heading: string;
}

/** From the root of the repository. */
async function allPages(): Promise<string[]> {
  const below = await Promise.all(
    FOLDERS.map(async (folder) => (await readdir(packagePath(folder), { recursive: true })).map((file) => `${folder}/${file}`)),
  );
  return ['README.md', ...below.flat()].filter((file) => file.endsWith('.md') && !isGenerated(file));
}

function linksIn(page: string, text: string): Link[] {
  return [...text.matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)/g)].map(([, path = '', heading = '']) => ({
    page,
    target: path === '' ? page : join(dirname(page), path),
    heading,
  }));
}

function leadsSomewhere({ target, heading }: Link): boolean {
  if (!existsSync(packagePath(target))) return false;
  return heading === '' || headingsOf(readFileSync(packagePath(target), 'utf8')).includes(heading);
}

function headingsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));
}

/**
 * What is in back quotes and can only be a path: it ends with a slash, begins with a folder of the repository, or has an
 * extension behind a slash. Of names without a slash only those of sources and pages are, because data files have names too.
 * What begins with a slash is an address; what `.gitignore` lists is generated.
 */
function pathsIn(text: string): string[] {
  const quoted = [...text.replace(/```[^]*?```/g, '').matchAll(/`([^`\n]+)`/g)].map(([, content = '']) => content);
  return quoted.filter((path) => {
    if (!/^[\w.-]+(\/[\w.-]+)*\/?$/.test(path) || isGenerated(path)) return false;
    if (!path.includes('/')) return /^\w.*\.(ts|tsx|sql|md)$/.test(path);
    return path.endsWith('/') || /\.[a-z]+$/.test(path) || FOLDERS.some((folder) => path.startsWith(`${folder}/`));
  });
}

/** From the root of the repository, from the page, or from the source. */
function exists(page: string, path: string): boolean {
  return [path, join(dirname(page), path), join('src', path)].some((each) => existsSync(packagePath(each)));
}

function isGenerated(path: string): boolean {
  return IGNORED.some((line) => (line.endsWith('/') ? path.startsWith(line) : path.endsWith(line.replace('*', ''))));
}
