/** What the operator of the machine does to users and boards, with the service running or stopped. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Api } from '../support/http/api.js';
import { logIn } from '../support/http/users.js';
import { createUser, listUsers, run, runHere, workplace } from '../support/service/commandLine.js';
import { runProgram } from '../support/service/program.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';

async function place(t: Test) {
  const { folder, dataDir } = workplace(t);
  const ids = { ann: await createUser(folder, 'ann'), bob: await createUser(folder, 'bob') };
  // The file of settings that commands and service share names a port on which nobody listens.
  writeFileSync(join(folder, '.env'), 'SHARDS=3\nPORT=1\n');
  const start = async () => {
    const service = await ServiceProcess.start({ DATA_DIR: dataDir, SHARDS: '3', PORT: '0' });
    t.teardown(() => service.kill());
    const api = await Api.connect(service.url);
    const token = await logIn(api, 'ann', "ann's password");
    return { service, api, token };
  };
  return { folder, dataDir, ids, start };
}

async function newBoard(api: Api, token: string, title: string): Promise<string> {
  const { body } = await api.request<{ id: string }>('POST', '/boards', { token, json: { title } });
  await api.request('POST', `/boards/${body.id}/columns`, { token, json: { title: 'Column' } });
  return body.id;
}

t.test('CLI4 user delete removes a user, with the service running and stopped', async (t) => {
  const { folder, ids, start } = await place(t);
  const { service, api, token } = await start();
  const board = await newBoard(api, token, 'Plan\u001b[2J');
  const refused = await run(folder, ['user', 'delete', 'ann']);
  t.match(refused, { code: 1, stdout: '' });
  t.match(refused.stderr, `last owner of "Plan\ufffd[2J" (${board}): name a user who gets these boards with --give-boards-to.`);
  t.match(await runHere(folder, ['user', 'delete', 'ann', '--give-boards-to', 'zoe']), { code: 1, stderr: /no user "zoe"/ });
  t.match(await runHere(folder, ['user', 'delete', 'ann', '--give-boards-to', ids.ann]), { code: 1, stderr: /cannot go to the user/ });
  t.equal((await listUsers(folder)).length, 2, 'nothing was done');

  const deleted = await run(folder, ['user', 'delete', 'ann@example.org', '--give-boards-to', 'bob']);
  const belongs = 'Boards without another owner now belong to bob <bob@example.org>.';
  t.strictSame(deleted, { code: 0, stdout: `Deleted ann <ann@example.org>. ${belongs}\n`, stderr: '' });
  t.equal((await api.request('GET', '/auth/me', { token })).status, 401);
  const bobs = await logIn(api, 'bob', "bob's password");
  t.match((await api.request('GET', `/boards/${board}`, { token: bobs })).body, { members: [{ user_id: ids.bob, role: 'owner' }] });
  t.match(await runHere(folder, ['user', 'delete', 'ann']), { code: 1, stderr: /There is no user "ann"/ });

  t.equal(await service.stop(), 0);
  const cleo = await createUser(folder, 'cleo');
  t.match(await runHere(folder, ['user', 'delete', 'bob']), { code: 1, stderr: /last owner/ });
  t.match(await run(folder, ['user', 'delete', ids.bob, '--give-boards-to', cleo]), { code: 0, stderr: '' });
  t.match(await listUsers(folder), [{ username: 'cleo' }]);
  t.match(await runHere(folder, ['check']), { code: 0 });
  t.match(JSON.parse((await runHere(folder, ['export', board])).stdout), { members: [{ username: 'cleo', role: 'owner' }] });
});

t.test('CLI41 any board is exported and imported without a token, with the service running and stopped', async (t) => {
  const { folder, start } = await place(t);
  const { service, api, token } = await start();
  const board = await newBoard(api, token, 'Plan');
  const content = 'a file\n'.repeat(40_000);
  const column = (await api.request<{ columns: Array<{ id: string }> }>('GET', `/boards/${board}`, { token })).body.columns[0]?.id;
  const card = (await api.request<{ id: string }>('POST', `/boards/${board}/columns/${column}/cards`, { token, json: { title: 'Card' } })).body.id;
  const form = new FormData();
  form.set('file', new Blob([content]), 'notes.txt');
  const headers = { authorization: `Bearer ${token}` };
  t.equal((await fetch(`${api.url}/cards/${card}/attachments`, { method: 'POST', headers, body: form })).status, 201);

  const file = join(folder, 'board.json');
  t.strictSame(await run(folder, ['export', board, '-o', file]), { code: 0, stdout: '', stderr: '' });
  const document = readFileSync(file, 'utf8');
  t.ok(document.includes(Buffer.from(content).toString('base64')), 'with its file, in several pieces');
  const asUser = await runProgram(['export', board, '--token-stdin', '--url', api.url], {}, { input: `${token}\n` });
  t.equal(asUser.stdout, document, 'as its owner gets it');
  t.match(await runHere(folder, ['export', board, '-o', file]), { code: 1, stderr: /EEXIST/ });
  const imported = await run(folder, ['import', file, '--owner', 'bob']);
  t.match(imported, { code: 0, stderr: '', stdout: /^Created board "Plan" with id / });
  const copy = /with id (\S+):/.exec(imported.stdout)?.[1] ?? '';
  t.equal(await service.stop(), 0);

  const again = await run(folder, ['export', copy]);
  t.equal(again.code, 0, again.stderr);
  const { title, members } = JSON.parse(again.stdout) as { title: string; members: Array<{ username: string; role: string }> };
  t.equal(title, 'Plan');
  t.strictSame(members.map(({ username, role }) => `${username} ${role}`).sort(), ['ann owner', 'bob owner']);
  t.ok(again.stdout.includes(Buffer.from(content).toString('base64')));
  t.match(await runHere(folder, ['import', file, '--owner', 'bob@example.org']), { code: 0, stdout: /^Created board "Plan" with id / });
});

t.test('CLI41 a command that cannot be carried out says why and leaves nothing behind', async (t) => {
  const { folder, dataDir, start } = await place(t);
  const { service, api, token } = await start();
  const board = await newBoard(api, token, 'Plan');
  const unknown = '00000000-0000-4000-8000-000000000000';
  const [broken, good] = [join(folder, 'broken.json'), join(folder, 'good.json')];
  writeFileSync(broken, '{"lists": [');
  t.match(await runHere(folder, ['export', board, '-o', good]), { code: 0 });
  await runHere(folder, ['user', 'deactivate', 'bob']);
  const attempts = async () => {
    t.match(await runHere(folder, ['export', unknown, '-o', `${good}.2`]), { code: 1, stderr: 'switchboard: Board not found\n' });
    t.notOk(existsSync(`${good}.2`), 'no file is created');
    t.match(await runHere(folder, ['import', broken, '--owner', 'ann']), { code: 1, stdout: '', stderr: /JSON/ });
    t.match(await runHere(folder, ['import', good, '--owner', 'bob']), { code: 1, stderr: /must be an active user/ });
    t.match(await runHere(folder, ['import', good, '--owner', 'zoe']), { code: 1, stderr: /no user "zoe"/ });
  };
  await attempts();
  const small = { MAX_IMPORT_BYTES: '100' };
  t.equal(await service.stop(), 0);
  await attempts();
  t.match(await runHere(folder, ['import', good, '--owner', 'ann'], { settings: small }), { code: 1, stderr: /MAX_IMPORT_BYTES/ });
  t.match(await runHere(folder, ['import', good]), { code: 64, stderr: /--owner is missing/ });
  t.match(await runHere(folder, ['import', good, '--owner', 'ann', '--token-stdin']), { code: 64, stderr: /exclude each other/ });
  t.match(await runHere(folder, ['export', board, '--url', 'http://127.0.0.1:1']), { code: 64, stderr: /--url needs --token-stdin/ });
  t.match(await runHere(folder, ['export', board], { settings: { DATA_DIR: join(folder, 'nowhere') } }), { code: 1, stderr: /There is no data in/ });
  t.notOk(existsSync(join(folder, 'nowhere')));
  t.match(await runHere(folder, ['check']), { code: 0, stdout: /with 1 board\./ }, `only the first board is in ${dataDir}`);
});

t.test('CLI42 every command that asks a running service finds it by its socket, whatever its port', async (t) => {
  const { folder, start } = await place(t);
  const { api, token } = await start();
  const board = await newBoard(api, token, 'Plan');
  t.match(await run(folder, ['user', 'list']), { code: 0, stdout: /ann@example.org/ });
  t.match(await run(folder, ['cluster']), { code: 0, stdout: new RegExp(api.url) });
  t.match(await run(folder, ['export', board]), { code: 0, stdout: /"Plan"/ });
  const asUser = await run(folder, ['export', board, '--token-stdin'], { input: `${token}\n` });
  t.match(asUser, { code: 0, stdout: /"Plan"/, stderr: '' }, 'also as a user, over HTTP');
  const file = join(folder, 'board.json');
  writeFileSync(file, asUser.stdout);
  t.match(await run(folder, ['import', file, '--token-stdin'], { input: `${token}\n` }), { code: 0, stdout: /^Created board "Plan"/ });
});
