import t from 'tap';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '../../src/api/describe/openapi.js';
import { clientFiles } from '../../src/tools/build/clientCode.js';
import { createClient } from '../../src/client/index.js';
import { packagePath } from '../../src/paths.js';
import { VERSION } from '../../src/version.js';
import { temporaryFolder } from '../support/store/folder.js';
import { layerOf, readModules } from '../support/runner/moduleGraph.js';

t.test('CLIENT7 the operations and resources of the client are those of the table of operations', async (t) => {
  for (const [name, code] of Object.entries(clientFiles(openApiDocument(VERSION)))) {
    const kept = await readFile(packagePath('src', 'client', name), 'utf8');
    t.ok(kept === code, `src/client/${name} is current; \`npm run openapi\` updates it`);
  }
});

t.test('CLIENT7 the client has no dependencies', async (t) => {
  const modules = (await readModules(packagePath('src'))).filter(({ path }) => layerOf(path) === 'client');
  t.ok(
    modules.some(({ path }) => path === 'client/index.ts'),
    'there is a client',
  );
  t.strictSame(
    modules.flatMap(({ packages }) => packages),
    [],
    'no package, and nothing of Node',
  );
  const foreign = modules.flatMap(({ imports }) => imports).filter((path) => layerOf(path) !== 'client');
  t.strictSame(foreign, [], 'nothing of the service');
});

t.test('CLIENT7 the package exports only the client', async (t) => {
  const [client, service]: string[] = ['switchboard/client', 'switchboard/dist/src/app.js'];
  t.equal(((await import(client ?? '')) as { createClient: unknown }).createClient, createClient);
  await t.rejects(import(service ?? ''), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
});

/** Every mistake must be reported, or the types check nothing. */
const PAGE = `
import { createClient } from '${packagePath('src', 'client', 'index.js')}';

const client = createClient({ baseUrl: location.origin, webSocket: WebSocket });
const picked = new File(['text'], 'notes.txt');
const board = await client.board.create({ title: 'Plans' });
const connection = client.connect(board.id);
const { columns } = await connection.ready;
client.feed().on('board_changed', ({ title }) => title.trim());
for (const { id: card_id } of columns[0]?.cards ?? []) {
  const card = await client.card.move({ card_id }, { position: 0 });
  await client.attachment.create({ card_id: card.id }, picked);
  // @ts-expect-error
  await client.card.move({ card_id }, { position: 'first' });
  // @ts-expect-error
  await client.card.move({ position: 0 });
  const moved = await connection.change('card.move', { card_id }, { position: 0 }, { signal: new AbortController().signal });
  await connection.change('card.update', { card_id: moved.id }, { title: 'Renamed' });
  // @ts-expect-error
  await connection.change('card.move', { card_id }, { position: 'first' });
  // @ts-expect-error
  await connection.change('member.add', { board_id: board.id }, { user_id: card_id });
}
`;

t.test('CLIENT7 a page in a browser can use the client, and wrong calls do not compile', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, 'page.mts'), PAGE);
  const settings = {
    extends: packagePath('src', 'client', 'tsconfig.json'),
    compilerOptions: { rootDir: '/', declaration: false, emitDeclarationOnly: false, noEmit: true },
    include: ['page.mts'],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const compiler = packagePath('node_modules', 'typescript', 'bin', 'tsc');
  const complaints = await promisify(execFile)(process.execPath, [compiler, '-p', folder]).then(
    () => '',
    (failure: { stdout: string; stderr: string }) => failure.stdout + failure.stderr,
  );
  t.equal(complaints, '');
});
