import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import t from 'tap';
import { packagePath } from '../src/paths.js';
import { settingsTable } from './support/service/settingsTable.js';

t.test('README1 the table of settings equals the settings of the program', async (t) => {
  const readme = readFileSync(packagePath('deploy', 'README.md'), 'utf8');
  const [, table] = /<!-- settings -->\n([^]*?)\n<!-- \/settings -->/.exec(readme) ?? [];
  t.equal(table, settingsTable());
});

t.test('README2 every link between the documents leads to a file and a heading that exist', async (t) => {
  const handbooks = ['README.md', 'deploy/README.md', 'deploy/machines.md', 'src/client/README.md'];
  const pages = [...handbooks, 'test/SPEC.md', ...(await designPages())];
  const links = pages.flatMap((page) => linksIn(page, readFileSync(packagePath(page), 'utf8')));
  t.ok(links.some(({ target }) => target === 'deploy/README.md'), 'the README links to that of the operator');
  t.ok(links.some(({ page, heading }) => page === 'deploy/README.md' && heading === 'settings'), 'which links to the settings');
  t.strictSame(links.filter((link) => !leadsSomewhere(link)), []);
});

interface Link {
  readonly page: string;
  /** From the root of the repository. */
  readonly target: string;
  /** Empty when the link is to the whole file. */
  readonly heading: string;
}

async function designPages(): Promise<string[]> {
  const files = await readdir(packagePath('src'), { recursive: true });
  return files.filter((file) => file.endsWith('DESIGN.md')).map((file) => `src/${file}`);
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
