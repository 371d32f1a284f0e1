import t, { type Test } from 'tap';
import { build } from 'esbuild';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../../src/tools/package/clientTarball.js';
import { packagePath } from '../../src/paths.js';
import { VERSION } from '../../src/version.js';
import { serveFiles } from '../support/http/fileServer.js';
import { newKey } from '../support/http/keys.js';
import { newUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { openPage, WITH_BROWSER } from '../support/service/browser.js';
import { findNode, withNode } from '../support/service/nodes.js';
import { lookFor, pathOf, skipWithout } from '../support/service/programs.js';
import { temporaryFolder } from '../support/store/folder.js';

const run = promisify(execFile);
const npm = await lookFor('npm');

const MAX_BYTES = 100_000;
const EXPECTED = 'To do: Call Ann';
const NODE_VERSIONS = [20, 22, 24];
const NODES = await Promise.all(NODE_VERSIONS.map(async (version) => ({ version, node: await findNode(version) })));
const THIS_VERSION = Number(process.versions.node.split('.', 1)[0]);

interface Project {
  readonly folder: string;
  readonly example: string;
}

let made: Promise<Project> | null = null;

/** An empty project with the package, installed from its file as a stranger would, and the example of its README. */
function project(): Promise<Project> {
  made ??= newProject(t, process.env);
  return made;
}

async function newProject(t: Test, env: NodeJS.ProcessEnv): Promise<Project> {
  const folder = await temporaryFolder(t);
  const packed = await packClient(packagePath('dist', 'client'), folder);
  t.equal(packed.path, join(folder, `switchboard-client-${VERSION}.tgz`));
  t.ok(packed.bytes < MAX_BYTES, `${packed.bytes} bytes`);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await run(pathOf(npm), ['install', '--offline', '--no-audit', '--no-fund', packed.path], { cwd: folder, env });
  const readme = await readFile(join(folder, 'node_modules', 'switchboard-client', 'README.md'), 'utf8');
  const [, example = ''] = /```js\n([^]*?)```/.exec(readme) ?? [];
  t.ok(example.split('\n').filter((line) => line !== '').length <= 11, 'ten lines and the import');
  await writeFile(join(folder, 'example.js'), example);
  return { folder, example: join(folder, 'example.js') };
}

/** Settings of a program that uses the client. */
async function newLogin(t: Test): Promise<{ readonly SWITCHBOARD_URL: string; readonly SWITCHBOARD_TOKEN: string }> {
  const { api, url } = await startTestApp(t);
  const { key } = await newKey(api, await newUser(api));
  return { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: key };
}

/** Node 20 has a WebSocket only if it is asked for one. */
function flagsOf(version: number): readonly string[] {
  return version < 22 ? ['--experimental-websocket', '--no-warnings'] : [];
}

for (const { version, node } of NODES) {
  const skip = skipWithout(npm) || skipWithout(node);

  t.test(`CLIENT7 under Node ${version} the package is installed in an empty project and runs the example of its README`, { skip }, async (t) => {
    const env = await withNode(t, pathOf(node));
    t.match((await run(pathOf(node), ['--version'], { env })).stdout, `v${version}.`, 'it is the Node of this version');
    const { folder, example } = version === THIS_VERSION ? await project() : await newProject(t, env);
    const installed = join(folder, 'node_modules', 'switchboard-client');
    t.strictSame((await readdir(installed)).sort(), ['LICENSE', 'README.md', 'client.d.ts', 'client.js', 'package.json']);
    t.strictSame(
      (await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.')),
      ['switchboard-client'],
      'no dependencies',
    );
    const { stdout, stderr } = await run(pathOf(node), [...flagsOf(version), example], { env: { ...env, ...(await newLogin(t)) } });
    t.equal(stdout.trim(), EXPECTED);
    t.equal(stderr, '');
  });
}

/** Mistakes must be reported, or the types check nothing. The last line holds the whole of the types to account. */
const TYPED = `
import { createClient, MemoryStore, type BoardEvent, type ChangeStore, type FullBoard, type KeptChange } from 'switchboard-client';

const store: ChangeStore = new MemoryStore().open();
const client = createClient({ baseUrl: 'https://boards.example.org', key: 'swb_x', store });
const board: FullBoard = await client.board.get({ board_id: 'x' });
const connection = client.connect(board.id);
connection.on('event', (event: BoardEvent) => event.type satisfies string);
const waiting: readonly KeptChange[] = client.unsent.waiting;
await connection.change('card.move', { card_id: waiting[0]?.key ?? '' }, { position: 0 });
// @ts-expect-error
await connection.change('card.move', { card_id: 'x' }, { position: 'first' });
// @ts-expect-error
board.title = 'Other';
// @ts-expect-error
import type { Listeners } from 'switchboard-client';
`;

t.test('CLIENT7 the types of the package compile by themselves, and refuse wrong calls', { skip: skipWithout(npm) }, async (t) => {
  const { folder } = await project();
  await writeFile(join(folder, 'typed.ts'), TYPED);
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    module: 'nodenext',
    lib: ['es2022', 'dom'],
    types: [],
    skipLibCheck: false,
    noEmit: true,
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['typed.ts'] }));
  const compiler = packagePath('node_modules', 'typescript', 'bin', 'tsc');
  const complaints = await run(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    (failure: { stdout: string; stderr: string }) => failure.stdout + failure.stderr,
  );
  t.equal(complaints, '');
});

const options = { skip: skipWithout(npm) || WITH_BROWSER.skip };

t.test('CLIENT7 bundled for a browser, the package runs the same example', options, async (t) => {
  const { folder, example } = await project();
  const login = await newLogin(t);
  const define = Object.fromEntries(Object.entries(login).map(([name, value]) => [`process.env.${name}`, JSON.stringify(value)]));
  const { outputFiles } = await build({
    entryPoints: [example],
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    define,
    write: false,
  });
  const html =
    '<!doctype html><link rel="icon" href="data:,"><script>console.log = (text) => (window.printed = text)</script><script type="module" src="page.js"></script>';
  const address = await serveFiles(t, { 'index.html': html, 'page.js': outputFiles[0]?.contents ?? '' });
  const { page, complaints } = await openPage(t, `${address}index.html`);
  const printed = await page.waitForFunction('window.printed');
  t.equal(await printed.jsonValue(), EXPECTED);
  t.strictSame(complaints, []);
});

t.test('CLIENT7 the service serves the same module and its types, compressed and for a while', async (t) => {
  const { url } = await startTestApp(t);
  for (const [name, type] of [
    ['client.js', 'text/javascript; charset=utf-8'],
    ['client.d.ts', 'application/typescript; charset=utf-8'],
  ] as const) {
    const response = await fetch(`${url}/${name}`, { headers: { origin: 'https://wall.example.org' } });
    const { headers } = response;
    t.equal(headers.get('content-type'), type);
    t.match(headers.get('content-encoding'), /^(?:br|gzip)$/);
    t.equal(headers.get('cache-control'), 'public, max-age=300, must-revalidate');
    t.match(headers.get('vary'), /Accept-Encoding/);
    t.equal(headers.get('access-control-allow-origin'), 'https://wall.example.org', 'a page of a listed origin can import it');
    t.equal(await response.text(), await readFile(packagePath('dist', 'client', name), 'utf8'));
    const again = await fetch(`${url}/api/${name}`, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
    t.equal(again.status, 304);
    t.match(again.headers.get('vary'), /Accept-Encoding/);
  }
  t.equal((await fetch(`${url}/client.js`)).headers.get('x-typescript-types'), './client.d.ts');
});
