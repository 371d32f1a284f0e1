import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import t from 'tap';
import { packagePath } from '../../src/paths.js';
import { CLUSTER_KEY_FILE, readClusterKey } from '../../src/store/folder/clusterKey.js';

t.test('CLUSTER56 the key is created once, readable by its owner only, and shared by every process on the folder', async (t) => {
  const folder = join(t.testdir(), 'data');
  const module = pathToFileURL(packagePath('dist', 'src', 'store', 'folder', 'clusterKey.js')).href;
  const program = `const { readClusterKey } = await import(${JSON.stringify(module)});
    process.stdout.write(Buffer.from(readClusterKey(process.argv[1])).toString('hex'));`;
  const read = async (): Promise<string> => {
    const args = ['--input-type=module', '--eval', program, folder];
    return (await promisify(execFile)(process.execPath, args)).stdout;
  };
  const keys = await Promise.all([read(), read(), read(), read()]);
  t.equal(new Set(keys).size, 1, 'processes that start together have the same key');
  t.equal(Buffer.from(readClusterKey(folder)).toString('hex'), keys[0]);
  t.equal((await readFile(join(folder, CLUSTER_KEY_FILE))).length, 32);
  t.equal((await stat(join(folder, CLUSTER_KEY_FILE))).mode & 0o777, 0o600);
  t.strictSame(await readdir(folder), [CLUSTER_KEY_FILE], 'nothing else is left');
});

t.test('CLUSTER56 a key of a wrong length is refused with the name of its file', async (t) => {
  const folder = t.testdir();
  await writeFile(join(folder, CLUSTER_KEY_FILE), 'short');
  t.throws(() => readClusterKey(folder), { message: /cluster\.key has 5 bytes instead of 32/ });
});
