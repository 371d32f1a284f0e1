/** The service as a next version whose files have one more table. */
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { packagePath } from '../../../src/paths.js';
import { currentSchema } from '../../../src/store/folder/dataFolder.js';
import { temporaryFolder } from '../store/folder.js';

const SQL = 'CREATE TABLE of_the_next_version (id INTEGER NOT NULL PRIMARY KEY) STRICT;';

/** The path of its main module. */
export async function programWithNewerSchema(t: Pick<Test, 'teardown'>): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const part of [['dist', 'src'], ['dist', 'docs'], ['dist', 'web'], ['schema']]) {
    await cp(packagePath(...part), join(folder, ...part), { recursive: true });
  }
  await cp(packagePath('package.json'), join(folder, 'package.json'));
  await symlink(packagePath('node_modules'), join(folder, 'node_modules'));
  for (const kind of ['shard', 'directory'] as const) {
    const next = String(currentSchema(kind) + 1).padStart(4, '0');
    await writeFile(join(folder, 'schema', kind, `${next}-of-the-next-version.sql`), SQL);
  }
  return join(folder, 'dist', 'src', 'main.js');
}
