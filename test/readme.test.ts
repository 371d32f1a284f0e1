import { readFileSync } from 'node:fs';
import t from 'tap';
import { packagePath } from '../src/paths.js';
import { settingsTable } from './support/service/settingsTable.js';

t.test('README1 the table of settings is the one that the program uses', async (t) => {
  const readme = readFileSync(packagePath('README.md'), 'utf8');
  const [, table] = /<!-- settings -->\n([^]*?)\n<!-- \/settings -->/.exec(readme) ?? [];
  t.equal(table, settingsTable());
});
