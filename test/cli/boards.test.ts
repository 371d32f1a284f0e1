import t, { type Test } from 'tap';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from '../support/until.js';
import { Api } from '../support/http/api.js';
import { newKey } from '../support/http/keys.js';
import { newUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { run, runHere, workplace } from '../support/service/commandLine.js';
import { spawnProgram, type Finished } from '../support/service/program.js';
import { freePort } from '../support/service/ports.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';

type Command = (...args: readonly string[]) => Promise<Finished>;

interface World {
  /** In a process of its own. */
  readonly program: Command;
  readonly command: Command;
  readonly url: string;
  readonly key: string;
  readonly username: string;
  readonly userId: string;
}

async function newWorld(t: Test): Promise<World> {
  const { api, url } = await startTestApp(t);
  const user = await newUser(api);
  const { key } = await newKey(api, user);
  const { folder } = workplace(t);
  const settings = { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: key };
  return {
    program: (...args) => run(folder, args, { settings }),
    command: (...args) => runHere(folder, args, { settings }),
    url,
    key,
    username: user.username,
    userId: user.id,
  };
}

/** Of the line that a change prints. */
function idIn({ stdout, stderr }: Finished): string {
  const [, id] = /^([0-9a-f-]{36}) {2}/.exec(stdout) ?? [];
  if (id === undefined) throw new Error(`no id: ${stdout}${stderr}`);
  return id;
}

t.test('CLI50 boards and cards are listed, shown, added, moved and changed by their ids and titles', async (t) => {
  const { command, program, username } = await newWorld(t);
  const board = idIn(await program('board', 'create', '--title', 'Plans'));
  for (const title of ['To do', 'Done']) idIn(await program('column', 'add', board, '--title', title));
  const card = idIn(await program('card', 'add', board, '--column', 'to DO', '--title', 'Call Ann', '--description', 'About the\nwall'));
  const other = idIn(await command('card', 'add', board, '--column', 'To do', '--title', 'Paint', '--position', '0'));

  const [boards, shown, cards] = await Promise.all([program('board', 'list'), program('board', 'show', board), program('card', 'list', board)]);
  t.match(boards.stdout, new RegExp(`^ID +TITLE +ROLE.*\\n${board} +Plans +owner +1 `));
  t.match(shown.stdout, new RegExp(`title: +Plans\\nmembers: +${username} \\(owner\\)\\ncolumns: +To do \\(2\\), Done \\(0\\)\\n`));
  t.match(cards.stdout, new RegExp(`\\n${other} +#2 +To do +Paint\\n${card} +#1 +To do +Call Ann\\n$`), 'in the order of the board');

  t.equal(idIn(await program('card', 'move', card, '--column', 'Done')), card);
  idIn(await program('card', 'update', card, '--title', 'Call Ben', '--description', ''));
  const [json, done] = await Promise.all([program('card', 'show', card, '--json'), command('card', 'list', board, '--column', 'Done', '--json')]);
  t.match(JSON.parse(json.stdout), { id: card, title: 'Call Ben', description: null });
  t.match(JSON.parse(done.stdout), [{ id: card, column: 'Done' }]);
  t.strictSame(await program('card', 'delete', other), { code: 0, stdout: '', stderr: '' });
  t.match(await program('card', 'show', other), { code: 1, stdout: '', stderr: /refused \(404\)/ });
});

t.test('CLI50 a card is assigned, commented, archived, deleted and restored, and the trash is listed', async (t) => {
  const { command, program, userId } = await newWorld(t);
  const board = idIn(await command('board', 'create', '--title', 'Plans'));
  for (const title of ['To do', 'Done']) idIn(await command('column', 'add', board, '--title', title));
  const card = idIn(await command('card', 'add', board, '--column', 'To do', '--title', 'Call Ann'));
  const json = async (...args: readonly string[]): Promise<unknown> => JSON.parse((await command(...args, '--json')).stdout);

  t.equal(idIn(await program('card', 'assign', card, '--users', userId)), card);
  t.match(await json('card', 'assign', card, '--users', ''), { id: card, assignees: [] }, 'an empty list takes all off');
  t.match(await program('card', 'comment', card, '--body', 'Which\nnumber?'), { code: 0, stdout: /^[0-9a-f-]{36} {2}Which\u{fffd}number\?\n$/u });
  t.match(await json('card', 'comment', card, '--body', 'The **old** one'), { card_id: card, body: 'The **old** one' });

  t.match(JSON.parse((await program('card', 'archive', card, '--json')).stdout), { id: card, archived_at: String });
  t.equal(idIn(await program('card', 'restore', card, '--column', 'Done')), card);
  t.match(await json('card', 'list', board), [{ id: card, column: 'Done' }]);

  t.strictSame(await program('trash', 'list', board), { code: 0, stdout: '', stderr: '' }, 'nothing was deleted');
  await command('card', 'delete', card);
  t.match(await command('trash', 'list', board), { code: 0, stdout: new RegExp(`^${card}  \\S+Z  card  Call Ann\\n$`) });
  t.match(await json('trash', 'list', board), { entries: [{ id: card, kind: 'card', title: 'Call Ann' }], next: null });
  const restored = await program('trash', 'restore', board, '--entry', card, '--column', 'To do');
  t.strictSame(restored, { code: 0, stdout: `${card}  card  restored\n`, stderr: '' });
  t.match(await json('card', 'list', board), [{ id: card, column: 'To do' }]);
  await command('card', 'delete', card);
  t.strictSame(await json('trash', 'restore', board, '--entry', card), { id: card, kind: 'card', is_complete: true });

  const help = (await command('trash', 'restore', '--help')).stdout;
  t.match(help, /--entry <id> .*--column <id or title> /s, 'a title is promised only where it is understood');
  t.match(
    await Promise.all([
      command('card', 'assign', card, '--users', 'ann'),
      command('card', 'comment', card),
      command('card', 'comment', card, '--body', ' '),
      command('card', 'archive', 'Call Ann'),
      command('card', 'restore', card),
      command('trash', 'list'),
      command('trash', 'restore', board),
      command('trash', 'restore', board, '--entry', 'Call Ann'),
      command('trash', 'restore', board, '--entry', card, '--column', 'Later'),
    ]),
    [
      { code: 1, stderr: /user_ids/ },
      { code: 64, stderr: /--body is missing/ },
      { code: 1, stderr: /body/ },
      { code: 64, stderr: /"Call Ann" is no card id/ },
      { code: 1, stderr: /refused \(409\)/ },
      { code: 64, stderr: /board id/ },
      { code: 64, stderr: /--entry is missing/ },
      { code: 64, stderr: /--entry must be an id/ },
      { code: 1, stderr: /No column is called "Later"/ },
    ],
  );
});

t.test('CLI50 a card goes to a column of another board, and who is not there is named', async (t) => {
  const { api, url } = await startTestApp(t);
  const [ann, ben] = [await newUser(api), await newUser(api)];
  const { key } = await newKey(api, ann);
  const { folder } = workplace(t);
  const command: Command = (...args) => run(folder, args, { settings: { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: key } });
  const [from, to] = [idIn(await command('board', 'create', '--title', 'Here')), idIn(await command('board', 'create', '--title', 'There'))];
  idIn(await command('column', 'add', from, '--title', 'To do'));
  const column = idIn(await command('column', 'add', to, '--title', 'Inbox'));
  const card = idIn(await command('card', 'add', from, '--column', 'To do', '--title', 'Call Ann'));
  await api.request('POST', `/boards/${from}/invite`, { token: ann.token, json: { user_id: ben.id } });
  idIn(await command('card', 'assign', card, '--users', `${ann.id},${ben.id}`));

  const wrong = await Promise.all([
    command('card', 'move', card, '--board', to),
    command('card', 'move', card, '--board', 'There', '--column', 'Inbox'),
    command('card', 'move', card, '--board', to, '--column', 'To do'),
  ]);
  t.match(wrong, [
    { code: 1, stderr: /needs column_id/ },
    { code: 64, stderr: /--board must be an id/ },
    { code: 1, stderr: /No column is called "To do": there are "Inbox"/ },
  ]);

  const moved = await command('card', 'move', card, '--board', to, '--column', 'inbox');
  const arrived = idIn(moved);
  t.not(arrived, card);
  t.match(moved, {
    code: 0,
    stdout: `${arrived}  Call Ann\nNo longer assigned, because they cannot be on that board: ${ben.username}\n`,
    stderr: '',
  });
  t.match(JSON.parse((await command('card', 'list', to, '--json')).stdout), [{ id: arrived, column_id: column, assignees: [{ id: ann.id }] }]);
  t.strictSame(JSON.parse((await command('card', 'list', from, '--json')).stdout), []);
  idIn(await command('column', 'add', from, '--title', 'Back'));
  const back = await command('card', 'move', arrived, '--board', from, '--column', 'Back');
  t.equal(back.stdout, `${idIn(back)}  Call Ann\n`, 'nobody is dropped');
  t.match(
    JSON.parse((await command('card', 'move', idIn(back), '--column', 'To do', '--json')).stdout),
    { id: idIn(back) },
    'a title on its own board',
  );
  t.match((await command('card', 'move', '--help')).stdout, /--board <id>\s+Another board that the card goes to/);
});

t.test('CLI50 a wrong option, title or id is named, and a key is never shown', async (t) => {
  const { command, url, key } = await newWorld(t);
  const board = idIn(await command('board', 'create', '--title', 'Plans'));
  await command('column', 'add', board, '--title', 'To do');
  const failures = await Promise.all([
    command('card', 'add', board, '--title', 'Call Ann'),
    command('card', 'add', board, '--column', 'Later', '--title', 'Call Ann'),
    command('card', 'add', board, '--column', 'To do', '--title', 'Call Ann', '--position', 'first'),
    command('card', 'add', board, '--column', 'To do', '--title', ''),
    command('card', 'show', 'Call Ann'),
    command('board', 'watch', board, '--since', 'yesterday'),
    command('board', 'list', '--url', 'http://127.0.0.1:9'),
  ]);
  t.match(failures, [
    { code: 64, stderr: /--column is missing/ },
    { code: 1, stderr: /No column is called "Later": there are "To do"/ },
    { code: 64, stderr: /--position must be an integer/ },
    { code: 64, stderr: /--title is missing/ },
    { code: 64, stderr: /"Call Ann" is no card id/ },
    { code: 64, stderr: /--since must be a position/ },
    { code: 1, stderr: /http:\/\/127\.0\.0\.1:9 cannot be reached/ },
  ]);
  const { folder } = workplace(t);
  t.match(await runHere(folder, ['board', 'list', '--url', url]), { code: 64, stderr: /SWITCHBOARD_TOKEN/ });
  t.match(await run(folder, ['board', 'list', '--url', url, '--token-stdin'], { input: `${key}\n` }), { code: 0, stdout: /Plans/ });
  const wrong = await runHere(folder, ['board', 'list', '--url', url, '--token-stdin'], { input: 'swb_wrong\n' });
  t.match(wrong, { code: 1, stderr: /refused \(401\)/ });
  for (const { stdout, stderr } of [...failures, wrong]) t.notOk(`${stdout}${stderr}`.includes(key) || stderr.includes('swb_wrong'));
});

t.test('CLI50 watch prints every event once, in order, through a restart of the service', async (t) => {
  const settings = { DATA_DIR: await temporaryFolder(t), PORT: String(await freePort()), SHARDS: '4' };
  let service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  let api = await Api.connect(service.url);
  const user = await newUser(api);
  const { key } = await newKey(api, user);
  const create = async (path: string, json: object): Promise<string> =>
    (await api.request<{ id: string }>('POST', path, { token: key, json })).body.id;
  const board = await create('/boards', { title: 'Plans' });
  const column = await create(`/boards/${board}/columns`, { title: 'To do' });

  const child = spawnProgram(['board', 'watch', board, '--json', '--since', '0'], { SWITCHBOARD_URL: service.url, SWITCHBOARD_TOKEN: key });
  t.teardown(() => child.kill('SIGKILL'));
  const lines: Array<{ readonly type: string; readonly seq: number; readonly data: { readonly title: string } }> = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(JSON.parse(line) as (typeof lines)[number]));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const addCards = async (from: number, to: number): Promise<void> => {
    for (let n = from; n < to; n += 1) await create(`/boards/${board}/columns/${column}/cards`, { title: `Card ${n}` });
  };
  await addCards(0, 3);
  await until(() => lines.length === 4);
  await service.kill();
  await until(() => said.includes('Waiting for the service'));
  service = await ServiceProcess.start(settings);
  api = await Api.connect(service.url);
  await addCards(3, 6);
  await until(() => lines.length === 7);
  t.strictSame(
    lines.map(({ seq }) => seq),
    [1, 2, 3, 4, 5, 6, 7],
  );
  t.strictSame(
    lines.slice(1).map(({ data }) => data.title),
    [0, 1, 2, 3, 4, 5].map((n) => `Card ${n}`),
  );
  t.match(said, /Connected again/);

  const closed = once(child, 'close') as Promise<[number | null]>;
  await api.request('DELETE', `/boards/${board}`, { token: key });
  t.strictSame((await closed)[0], 0, 'it ends with the board');
  t.equal(lines.at(-1)?.type, 'board.deleted');
});

t.test('CLI50 watch for people names who did what, and ends when the key is revoked', async (t) => {
  const { api, url } = await startTestApp(t);
  const user = await newUser(api);
  const { key, id } = await newKey(api, user);
  const { body } = await api.request<{ id: string }>('POST', '/boards', { token: key, json: { title: 'Plans' } });
  const child = spawnProgram(['board', 'watch', body.id], { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: key });
  t.teardown(() => child.kill('SIGKILL'));
  let [printed, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const closed = once(child, 'close') as Promise<[number | null]>;
  const change = (n: number): Promise<unknown> =>
    api.request('POST', `/boards/${body.id}/columns`, { token: user.token, json: { title: `Column \u0007${n}` } });
  // The moment at which it begins to listen is not to be seen from here.
  let n = 0;
  await until(async () => {
    await change(n++);
    return printed !== '';
  });
  t.match(
    printed,
    new RegExp(`^\\d+ {2}\\S+Z {2}column\\.created {2}Column \u{fffd}\\d+ {2}by ${user.username}\\n`, 'u'),
    'texts cannot move the cursor',
  );
  await api.request('DELETE', `/auth/keys/${id}`, { token: user.token });
  t.strictSame((await closed)[0], 1);
  t.match(said, /1008|401/);
  t.notOk(said.includes(key));
});
