import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { progressBar } from '../../src/cli/data/progressBar.js';
import { packagePath } from '../../src/paths.js';
import { enterWorld } from '../support/board/boardWorld.js';
import { temporaryFolder } from '../support/store/folder.js';
import { FILE_CONTENT, populate } from '../support/board/populatedBoard.js';
import { runProgram, type Finished } from '../support/service/program.js';

const world = await enterWorld();
const { owner, stranger } = world;
const TRELLO = packagePath('test', 'fixtures', 'trello.json');

function run(args: readonly string[], token: string): Promise<Finished> {
  return runProgram([...args, '--url', world.app.url, '--token-stdin'], {}, { input: `${token}\n` });
}

t.test('TRANSFER11 the command line exports a board to a file or to standard output', async (t) => {
  const { board } = await populate(world);
  const file = join(await temporaryFolder(t), 'board.json');
  t.match(await run(['export', board.id, '-o', file], owner.token), { code: 0, stdout: '', stderr: '' });
  const written = await readFile(file, 'utf8');
  t.match(JSON.parse(written), { format: 'switchboard-board', title: 'Scenario' });
  t.ok(written.includes(Buffer.from(FILE_CONTENT).toString('base64')), 'with its file');
  t.match(await run(['export', board.id], owner.token), { code: 0, stdout: written });

  const second = await run(['export', board.id, '-o', file], owner.token);
  t.match(second, { code: 1, stderr: /EEXIST/ });
  t.equal(await readFile(file, 'utf8'), written, 'an existing file is not replaced');
  const other = `${file}.2`;
  const refused = await run(['export', board.id, '-o', other], stranger.token);
  t.match(refused, { code: 1, stderr: 'switchboard: The service refused (403): You are not a member of this board\n' });
  t.notOk(existsSync(other), 'and no file is created');
});

t.test('TRANSFER11 the command requires an address if the service has a certificate', async (t) => {
  const folder = await temporaryFolder(t);
  const files = ['TLS_CERT_FILE', 'TLS_KEY_FILE'].map((name) => [name, join(folder, name)] as const);
  for (const [name, file] of files) await writeFile(file, name);
  const args = ['export', owner.id, '--token-stdin'];
  const { code, stderr } = await runProgram(args, Object.fromEntries(files), { folder, input: 'token' });
  t.match(stderr, /has a certificate: .*--url https:/);
  t.equal(code, 64);
});

t.test('TRANSFER11 the command line imports its own exports and reports the result', async (t) => {
  const { board } = await populate(world);
  const file = join(await temporaryFolder(t), 'board.json');
  await run(['export', board.id, '-o', file], owner.token);
  const { code, stdout, stderr } = await run(['import', file], owner.token);
  t.strictSame([code, stderr], [0, '']);
  t.match(stdout, /^Created board "Scenario" with id [0-9a-f-]{36}: 3 members, 2 labels, 3 columns, 3 cards, .* 1 rules\.\n$/);
  t.match(await run(['import', file, '--trello'], owner.token), { code: 1, stderr: /is not a Trello export/ });
  t.match(await run(['import', `${file}.none`], owner.token), { code: 1, stderr: /^switchboard: There is no file .*board\.json\.none\.\n$/ });
  t.match(await run(['import', dirname(file)], owner.token), { code: 1, stderr: /is not a file\.\n$/ });
  t.match(await run(['import', file], 'not.a.token'), { code: 1, stderr: /refused \(401\)/ });
  t.match(await run(['import', file], ''), { code: 1, stderr: /no access token/ });
  await writeFile(file, '{"lists": [');
  t.match(await run(['import', file, '--trello'], owner.token), { code: 1, stderr: /is not JSON/ });
});

t.test('TRANSFER6 the command line imports from Trello, with a report of what did not fit', async (t) => {
  const { code, stdout } = await run(['import', TRELLO, '--trello'], owner.token);
  t.equal(code, 0);
  t.match(stdout, /^Created board "Harvest festival" from Trello with id /);
  t.match(stdout, /\n\nNot imported:\n(  - .*\n)+$/);
  t.match(stdout, /  - Colour "ultraviolet" of label "Shiny" is unknown\.\n/);
});

t.test('CLI21 progress is shown only on a terminal', async (t) => {
  for (const isTTY of [true, false]) {
    const screen = Object.assign(new PassThrough(), { isTTY });
    const bar = progressBar('Importing', 4, screen);
    bar.resume();
    bar.write(Buffer.alloc(1));
    bar.end(Buffer.alloc(3));
    await once(bar, 'end');
    screen.end();
    const shown = await text(screen);
    const half = `\rImporting [########----------------------]  25 %`;
    t.equal(shown, isTTY ? `${half}\rImporting [##############################] 100 %\n` : '');
  }
});
