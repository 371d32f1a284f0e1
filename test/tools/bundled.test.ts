import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { test, type Test } from 'tap';
import { packagePath } from '../../src/paths.js';
import { cacheOf, compileBundle, runBundle } from '../../src/tools/build/bundled.js';
import { temporaryFolder } from '../support/store/folder.js';

const PROGRAM = packagePath('dist', 'program');

test('V8 takes the code cache of every bundle of the program', async (t) => {
  const bundles = readdirSync(PROGRAM, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.cjs'));
  t.ok(bundles.includes('main.cjs') && bundles.includes('storeThread.cjs'));
  for (const name of bundles) {
    const file = join(PROGRAM, name);
    t.equal(compileBundle(file, readFileSync(cacheOf(file))).cachedDataRejected, false, name);
    t.notMatch(readFileSync(file, 'utf8'), /\bimport\(["']/, `${name} imports nothing later, which a script with a cache cannot`);
  }
});

test('a bundle runs from its cache, and without it once it was edited', async (t) => {
  const { file, address } = await makeBundle(t, 'one');
  t.equal(ran(address), 'one');
  // V8 compares the lengths only.
  writeFileSync(file, bundleThatSays('two'));
  utimesSync(file, new Date(), new Date(Date.now() + 1_000));
  t.equal(ran(address), 'two');
});

test('a bundle with a damaged cache runs', async (t) => {
  const { file, address } = await makeBundle(t, 'one');
  writeFileSync(cacheOf(file), 'no cache');
  t.equal(ran(address), 'one');
});

async function makeBundle(t: Test, text: string): Promise<{ readonly file: string; readonly address: string }> {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'part.cjs');
  writeFileSync(file, bundleThatSays(text));
  writeFileSync(cacheOf(file), compileBundle(file).createCachedData());
  return { file, address: pathToFileURL(join(folder, 'part.js')).href };
}

function bundleThatSays(text: string): string {
  return `#!/usr/bin/env node\nrequire('node:process').env.BUNDLE_SAYS = '${text}';\n`;
}

function ran(address: string): string | undefined {
  delete process.env['BUNDLE_SAYS'];
  runBundle(address);
  return process.env['BUNDLE_SAYS'];
}
