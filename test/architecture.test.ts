import t from 'tap';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { packagePath } from '../src/paths.js';
import { lookFor } from './support/service/programs.js';
import { findCycle, layerOf, readModules, toModule } from './support/runner/moduleGraph.js';

/** Facts about the package and the environment, which every layer but the pure one may use. */
const COMMON = ['settings', 'paths.ts', 'version.ts'];

/** The imports allowed to each layer besides itself. Layers not listed here are wiring, and listed in `IMPORTED_BY`. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  flow: [],
  store: ['flow', 'domain', ...COMMON],
  wire: ['domain', 'metrics', 'sealedBox.ts'],
  nats: [],
  words: [],
  log: ['flow', 'domain', 'nats', 'sealedBox.ts', ...COMMON],
  bus: ['flow', 'domain', 'metrics', 'nats', 'wire', ...COMMON],
  net: [],
  auth: ['flow', 'domain', 'sealedBox.ts', ...COMMON],
  audit: ['flow', 'auth', 'domain', 'metrics', ...COMMON],
  mail: ['flow', 'auth', 'domain', 'metrics', 'words', ...COMMON],
  partitions: ['flow', 'domain', 'metrics', ...COMMON],
  replication: ['flow', 'domain', 'log', 'partitions', 'store', 'wire', ...COMMON],
  // These three do not import each other.
  shard: ['flow', 'partitions', 'domain', ...COMMON],
  cluster: ['flow', 'partitions', 'domain', 'metrics', 'wire', ...COMMON],
  delivery: ['flow', 'bus', 'partitions', 'domain', ...COMMON],
  webhooks: ['flow', 'auth', 'domain', 'metrics', 'net', 'partitions', ...COMMON],
  operator: ['api', 'partitions', 'cluster', 'domain', ...COMMON],
  transfer: ['domain', ...COMMON],
  api: ['flow', 'partitions', 'auth', 'domain', 'metrics', 'net', 'transfer', 'words', ...COMMON],
  documents: ['flow', 'api', 'domain', 'transfer', ...COMMON],
  http: ['flow', 'api', 'partitions', 'auth', 'domain', 'metrics', ...COMMON],
  realtime: ['flow', 'api', 'partitions', 'auth', 'bus', 'domain', 'metrics', ...COMMON],
  metrics: [],
  client: ['domain'],
  web: ['client'],
  demo: ['client'],
  settings: [],
  'paths.ts': [],
  'sealedBox.ts': [],
  'version.ts': ['paths.ts'],
  'logger.ts': ['settings'],
};

/** Wiring may import anything, and may be imported only by these. */
const IMPORTED_BY: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['tools'],
  tools: [],
  cli: ['main.ts'],
  'app.ts': ['cli', 'main.ts'],
  'offlineServices.ts': ['cli'],
  'dataServices.ts': ['app.ts', 'offlineServices.ts'],
  'setupOffer.ts': ['app.ts'],
  'thisInstance.ts': ['app.ts', 'offlineServices.ts'],
  'snapshotThread.ts': [],
  'storeThread.ts': ['dataServices.ts'],
};

const PACKAGE_HOMES: Readonly<Record<string, RegExp>> = {
  'uWebSockets.js': /^(http|realtime)\//,
  'better-sqlite3': /^store\//,
  nats: /^(nats|log|bus)\//,
  nodemailer: /^mail\//,
  'openid-client': /^auth\/sso\//,
};

const TOP_LEVEL = [
  '.ci',
  '.dockerignore',
  '.editorconfig',
  '.gitignore',
  '.knip.json',
  '.npmrc',
  '.oxfmtrc.json',
  '.oxlintrc.json',
  '.taprc',
  'LICENSE',
  'README.md',
  'bench',
  'deploy',
  'nats.conf',
  'package-lock.json',
  'package.json',
  'schema',
  'src',
  'test',
  'tsconfig.json',
];

const modules = await readModules(packagePath('src'));

t.test('imports between the layers point one way', async (t) => {
  t.ok(modules.length > 0, 'there are modules');
  for (const layer of new Set(modules.map(({ path }) => layerOf(path)))) {
    t.ok(layer in MAY_IMPORT || layer in IMPORTED_BY, `${layer} has a place in the layers`);
  }
  const wrong = modules.flatMap(({ path, imports }) =>
    imports.filter((imported) => !isAllowed(layerOf(path), layerOf(imported))).map((imported) => `${path} → ${imported}`),
  );
  t.strictSame(wrong, []);
});

function isAllowed(from: string, to: string): boolean {
  if (from === to) return true;
  const importers = IMPORTED_BY[to];
  if (importers !== undefined) return importers.includes(from);
  return from in IMPORTED_BY || (MAY_IMPORT[from] ?? []).includes(to);
}

/** A folder of the domain may import those after it, and `domain` itself. */
const DOMAIN_ORDER = ['directory', 'ports', 'commands', 'document', 'board', 'account', 'webhook', 'content'];

t.test('imports between the folders of the domain point one way', async (t) => {
  const place = (path: string): number => DOMAIN_ORDER.indexOf(path.split('/')[1] ?? '');
  const ofFolders = modules.filter(({ path }) => layerOf(path) === 'domain' && path.split('/').length > 2);
  t.strictSame(
    ofFolders.filter(({ path }) => place(path) < 0),
    [],
    'every folder has a place',
  );
  const wrong = ofFolders.flatMap(({ path, imports }) =>
    imports.filter((imported) => place(imported) >= 0 && place(imported) < place(path)).map((imported) => `${path} → ${imported}`),
  );
  t.strictSame(wrong, []);
});

/** A folder with more has rooms without a name. */
const MAX_FLAT_FILES = 18;

t.test('no folder of the sources has many files', async (t) => {
  const folders = new Map<string, number>();
  for (const { path } of modules) folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
  t.strictSame(
    [...folders].filter(([, files]) => files > MAX_FLAT_FILES),
    [],
  );
});

t.test('no module imports itself, directly or through others', async (t) => {
  const circle = [toModule('a.ts', `import { b } from './b/c.js';`), toModule('b/c.ts', `import {\n  type A,\n} from '../a.js';`)];
  t.strictSame(findCycle(circle), ['a.ts', 'b/c.ts', 'a.ts'], 'a cycle is found');
  t.equal(findCycle(modules), null);
});

t.test('only the folders that wrap the native and network packages import them', async (t) => {
  for (const [name, home] of Object.entries(PACKAGE_HOMES)) {
    const strangers = modules.filter(({ path, packages }) => packages.includes(name) && !home.test(path));
    t.strictSame(
      strangers.map(({ path }) => path),
      [],
      name,
    );
  }
  const pure = modules.filter(({ path }) => layerOf(path) === 'domain').flatMap(({ packages }) => packages);
  t.strictSame([...new Set(pure)], ['node:crypto'], 'the domain needs random ids and nothing else');
});

t.test('only the configuration and the bootstrap before it read the environment', async (t) => {
  const readers = modules.filter(({ text }) => /\bprocess\.env\b|\bprocess\[/.test(text)).map(({ path }) => path);
  t.strictSame(readers, ['settings/config.ts', 'tools/package/bootstrap.cts']);
});

t.test('the top level of the repository holds the agreed names and no others', async (t) => {
  if (!existsSync(packagePath('.git'))) {
    t.pass('the list of files', { skip: 'this is not a git checkout' });
    return;
  }
  const git = await lookFor('git');
  if ('missing' in git) {
    t.pass('the list of files', { skip: git.missing });
    return;
  }
  const { stdout } = await promisify(execFile)(git.path, ['ls-files'], { cwd: packagePath() });
  const names = new Set(
    stdout
      .trim()
      .split('\n')
      .map((path) => path.split('/')[0] ?? ''),
  );
  t.ok(names.has('src'), 'git lists the repository');
  t.strictSame(
    [...names].filter((name) => !TOP_LEVEL.includes(name)),
    [],
  );
});
