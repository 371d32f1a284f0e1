import t, { type Test } from 'tap';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, copyFile, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text as readAll } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { EXECUTABLE_NAME, makeExecutable, whyNotPackaged } from '../../src/tools/package/executable.js';
import { productionTree } from '../../src/tools/package/productionTree.js';
import { packagePath } from '../../src/paths.js';
import { SQLITE_PACKAGE } from '../../src/store/sqlite/sqlite.js';
import { VERSION } from '../../src/version.js';
import { Api } from '../support/http/api.js';
import { temporaryFolder } from '../support/store/folder.js';
import { fileForm, FILE_CONTENT } from '../support/board/populatedBoard.js';
import { Room } from '../support/service/packagedProgram.js';
import { startFakeProvider } from '../support/sso/fakeProvider.js';
import { TestSocket } from '../support/realtime/socket.js';
import { logIn, newUser } from '../support/http/users.js';

/** EX_CANTCREAT of sysexits.h. */
const CANNOT_UNPACK = 73;
const VERSION_SHOWN = { code: 0, stdout: `${VERSION}\n`, stderr: '' };

const skip = (await whyNotPackaged()) ?? false;
const executable = skip === false ? await make() : '';

async function make(): Promise<string> {
  const folder = await temporaryFolder(t);
  await chmod(folder, 0o755);
  const { path } = await makeExecutable(join(folder, 'switchboard'));
  return path;
}

/** A running service and its address; `stop` returns the exit code and the standard error. */
async function serve(t: Test, room: Room, settings: Readonly<Record<string, string>> = {}) {
  const env = { TMPDIR: room.tmp, DATA_DIR: room.data, PORT: '0', SHARDS: '2', SHARD_THREADS: '1', ...settings };
  const child = room.spawn([], env);
  t.teardown(() => child.kill('SIGKILL'));
  const [errors, ended] = [readAll(child.stderr), once(child, 'close')];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => {
      const line = JSON.parse(text) as { readonly msg: string; readonly url?: string };
      if (line.msg === 'serving') resolve(line.url ?? '');
    });
    void ended.then(async () => reject(new Error(`it did not start: ${await errors}`)));
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    return { code: child.exitCode, stderr: await errors };
  };
  return { url, stop };
}

t.test('CLIENT7 `npm run package` makes the client to install and the single file, and says where', { skip }, async (t) => {
  const { stdout } = await promisify(execFile)(process.execPath, [packagePath('dist', 'src', 'tools', 'package.js')], { cwd: packagePath() });
  const paths = [...stdout.matchAll(/^(\S+): [\d.]+ [kM]B/gm)].map(([, path = '']) => path);
  t.strictSame(paths, [`dist/packages/switchboard-client-${VERSION}.tgz`, `dist/${EXECUTABLE_NAME}`]);
  const { size, mtimeMs } = await stat(packagePath(paths[0] ?? ''));
  t.ok(size > 10_000 && size < 100_000, `${size} bytes`);
  t.ok(Date.now() - mtimeMs < 600_000, 'it was made now');
  const packed = gunzipSync(await readFile(packagePath(paths[0] ?? '')));
  for (const file of ['package.json', 'README.md', 'LICENSE', 'client.js', 'client.d.ts']) t.ok(packed.includes(`package/${file}\0`), file);
});

t.test('PKG1 the single file needs no Node, no PATH, no home and no writable working folder', { skip }, async (t) => {
  const room = await Room.populate(t, executable);
  t.strictSame(await room.run(['--version']), VERSION_SHOWN);
  t.match(await room.run(['--help']), { code: 0, stdout: /^Switchboard: .*\n\nUsage: switchboard /, stderr: '' });
  t.match(await room.run(['frobnicate']), { code: 64, stderr: /There is no command "frobnicate"/ });
  t.strictSame(await readdir(room.work), []);
  t.strictSame(await readdir(dirname(executable)), ['switchboard'], 'no temporary file is left');
});

t.test('PKG1 the single file contains the whole service: accounts, boards, files, sockets and pages', { skip }, async (t) => {
  const room = await Room.populate(t, executable);
  const settings = { TMPDIR: room.tmp, DATA_DIR: room.data };
  const create = ['user', 'create', '--email', 'ann@example.org', '--username', 'ann', '--password-stdin'];
  t.match(await room.run(create, settings, 'sesame\n'), { code: 0, stdout: /with id/, stderr: '' });

  const { url, stop } = await serve(t, room);
  const api = await Api.connect(url);
  t.ok(await logIn(api, 'ann@example.org', 'sesame'), 'the user of the command line');
  const user = await newUser(api);
  const make = async (path: string, request: { json?: object; body?: FormData }) => {
    const { status, body } = await api.request<{ id: string }>('POST', path, { token: user.token, ...request });
    t.equal(status, 201, path.replace(/[\da-f-]{36}/g, '…'));
    return body.id;
  };
  const board = await make('/boards', { json: { title: 'Board' } });
  const column = await make(`/boards/${board}/columns`, { json: { title: 'To do' } });
  const socket = await TestSocket.join(url, board, user);
  const card = await make(`/boards/${board}/columns/${column}/cards`, { json: { title: 'Card' } });
  t.match(await socket.find('card.created'), { data: { id: card } });
  const attachment = await make(`/cards/${card}/attachments`, { body: fileForm() });
  t.match(await socket.find('attachment.created'), { data: { id: attachment } });
  const { body } = await api.request<Uint8Array>('GET', `/attachments/${attachment}`, { token: user.token });
  t.equal(Buffer.from(body).toString(), FILE_CONTENT);
  for (const [path, content] of [
    ['/docs', 'swagger-ui-bundle.js'],
    ['/docs/swagger-ui-bundle.js', 'SwaggerUIBundle'],
    ['/docs/swagger-ui.css', '.swagger-ui'],
    ['/redoc', 'redoc'],
  ] as const) {
    t.match(await (await fetch(url + path)).text(), content, path);
  }
  const [, script = ''] = /<script type="module" src="([^"]+)">/.exec(await (await fetch(`${url}/`)).text()) ?? [];
  t.equal((await fetch(url + script)).headers.get('content-type'), 'text/javascript; charset=utf-8', 'the browser application');

  t.strictSame(await stop(), { code: 0, stderr: '' });
  t.equal((await socket.closed).code, 1001);
  t.strictSame(await readdir(room.work), []);
});

t.test('PKG1 the single file contains the libraries that are loaded only where they are configured', { skip }, async (t) => {
  const room = await Room.populate(t, executable);
  const fake = await startFakeProvider(t, 'boards');
  const sso = { PUBLIC_URL: 'http://boards.test', OIDC_ISSUER: fake.issuer, OIDC_CLIENT_ID: 'boards' };
  const { url, stop } = await serve(t, room, sso);
  const response = await fetch(`${url}/auth/sso/login`, { redirect: 'manual' });
  t.equal(response.status, 302);
  t.match(response.headers.get('location'), new RegExp(`^${fake.issuer}/authorize\\?`));
  t.strictSame(await stop(), { code: 0, stderr: '' });
  const mail = join(await room.unpacked(), 'node_modules', 'nodemailer', 'dist', 'esm', 'nodemailer.js');
  t.match(await import(pathToFileURL(mail).href), { createTransport: Function }, 'the library for mail is complete');
});

t.test('PKG1 the single file shows the demonstration', { skip }, async (t) => {
  const room = await Room.populate(t, executable);
  const child = room.spawn(['demo', '--port', '0'], { TMPDIR: room.tmp });
  t.teardown(() => child.kill('SIGKILL'));
  const [errors, ended] = [readAll(child.stderr), once(child, 'close')];
  let shown = '';
  for await (const text of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
    shown += text;
    if (shown.includes('Ctrl-C')) break;
  }
  t.match(shown, /\/app\/boards\/[0-9a-f-]{36}/);
  child.kill('SIGTERM');
  await ended;
  t.strictSame({ code: child.exitCode, stderr: await errors }, { code: 0, stderr: '' });
});

t.test('PKG3 it is unpacked once, into a folder that only its user can enter, also by parallel first starts', { skip }, async (t) => {
  const room = await Room.populate(t, executable);
  const starts = await Promise.all([1, 2, 3].map(() => room.run(['--version'])));
  t.strictSame(starts, [VERSION_SHOWN, VERSION_SHOWN, VERSION_SHOWN]);
  const main = join(await room.unpacked(), 'dist', 'src', 'main.js');
  const { ino } = await stat(main);
  t.strictSame(await room.run(['--version']), VERSION_SHOWN);
  t.equal((await stat(main)).ino, ino, 'the file is still the same');
  t.equal((await stat(join(await room.unpacked(), '..'))).mode & 0o777, 0o700);
});

t.test('PKG3 a changed file is detected before it runs, and everything is unpacked again', { skip }, async (t) => {
  const room = await Room.populate(t, executable);
  t.strictSame(await room.run(['--version']), VERSION_SHOWN);
  const program = await room.unpacked();
  for (const [what, file, change] of [
    ['another content', 'dist/src/main.js', speakUp],
    ['gone', 'schema/shard/0001-boards.sql', (path: string) => rm(path)],
    ['too many', 'dist/src/added.js', (path: string) => writeFile(path, '')],
    ['a link', 'dist/src/cli/run.js', linkElsewhere],
  ] as const) {
    await change(join(program, file), room);
    const stderr = `switchboard: ${join(program, file)} is not as unpacked; all is unpacked again.\n`;
    t.strictSame(await room.run(['--version']), { ...VERSION_SHOWN, stderr }, what);
    t.equal(await room.unpacked(), program);
  }
  t.strictSame(await room.run(['--version']), VERSION_SHOWN, 'the installation is repaired');
});

async function speakUp(path: string): Promise<void> {
  await chmod(path, 0o600);
  await appendFile(path, "console.log('changed');\n");
}

/** The content is the same, but could change without a change to the folder. */
async function linkElsewhere(path: string, room: Room): Promise<void> {
  const elsewhere = join(room.data, 'elsewhere.js');
  await copyFile(path, elsewhere);
  await rm(path);
  await symlink(elsewhere, path);
}

t.test('PKG3 it is unpacked in the cache folder of the user, if there is one', { skip }, async (t) => {
  const room = await Room.populate(t, executable);
  const [home, cache] = [await room.makeFolder('home'), await room.makeFolder('cache')];
  t.strictSame(await room.run(['--version'], { TMPDIR: room.tmp, HOME: home }), VERSION_SHOWN);
  t.strictSame(await readdir(join(home, '.cache')), ['switchboard']);
  const all = { TMPDIR: room.tmp, HOME: home, XDG_CACHE_HOME: cache };
  t.strictSame(await room.run(['--version'], all), VERSION_SHOWN);
  t.strictSame(await readdir(cache), ['switchboard']);
  t.strictSame(await readdir(room.tmp), []);
});

t.test('PKG3 an unsafe cache folder is not used: the next one is, or the start fails with a message', { skip }, async (t) => {
  const room = await Room.populate(t, executable);
  const nowhere = join(room.work, 'none');
  for (const [what, prepare] of [
    ['open to others', (name: string) => room.makeFolder(`${name}/switchboard`, 0o755)],
    ['below a folder that others can write to', (name: string) => room.makeFolder(name, 0o777)],
    ['a link', (name: string) => symlink(room.data, join(room.folder, name, 'switchboard'))],
    ['impossible to create', (name: string) => room.makeFolder(name, 0o500)],
  ] as const) {
    const cache = await room.makeFolder(what);
    await prepare(what);
    t.strictSame(await room.run(['--version'], { TMPDIR: room.tmp, XDG_CACHE_HOME: cache }), VERSION_SHOWN, what);
    t.ok(await room.unpacked(), 'in the folder for temporary files');
    t.strictSame(await readdir(room.data), [], 'nothing in the target of the link');

    const { code, stdout, stderr } = await room.run(['--version'], { TMPDIR: nowhere, XDG_CACHE_HOME: cache });
    t.strictSame({ code, stdout }, { code: CANNOT_UNPACK, stdout: '' });
    t.match(stderr, `  - ${join(cache, 'switchboard')}: `);
    t.match(stderr, `  - ${join(nowhere, 'switchboard-cache-')}`);
    t.match(stderr, 'Set XDG_CACHE_HOME');
  }
});

t.test('PKG1 it contains only what runs: one platform, no development packages', async (t) => {
  const tree = productionTree(packagePath());
  const native = tree.filter((path) => path.endsWith('.node')).map((path) => path.split('/').at(-1) ?? '');
  t.match(native.sort(), [/^argon2\./, /^(?:better_sqlite3|linux-\w+|darwin-\w+)\.node$/, `uws_${process.platform}_${process.arch}_`]);
  t.equal(native.length, 3);
  for (const path of ['dist/docs/redoc.html', 'dist/web/index.html', 'dist/src/storeThread.js', 'schema/shard/0001-boards.sql']) {
    t.ok(tree.includes(path), path);
  }
  const superfluous = /^dist\/(?:test|bench|src\/build|src\/tools\/build|src\/web\/)|\.(?:map|ts)$|\/(?:tap|prebuild-install)\//;
  t.strictSame(
    tree.filter((path) => superfluous.test(path)),
    ['dist/client/client.d.ts'],
    'but for the types that the service serves',
  );
  t.ok(tree.includes(`node_modules/${SQLITE_PACKAGE}/LICENSE`), 'licences go with the code');
});
