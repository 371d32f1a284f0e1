/** `user token`, on a stopped folder and on a running service. */
import { mkdirSync } from 'node:fs';
import t, { type Test } from 'tap';
import { createUser, run, workplace } from '../support/service/commandLine.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';

/** Every test starts the program several times, which is slow on a busy machine. */

async function startService(t: Test, dataDir: string): Promise<ServiceProcess> {
  mkdirSync(dataDir, { recursive: true });
  const service = await ServiceProcess.start({ DURABILITY: 'normal', SHARD_THREADS: '1', DATA_DIR: dataDir });
  t.teardown(() => service.kill());
  return service;
}

const KEY = /^swb_[\w-]{43}\n$/;

const call = (url: string, key: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${key.trim()}`, 'content-type': 'application/json' } });

t.test('CLI30 user token prints the key alone, also while no service runs', async (t) => {
  const { folder, dataDir } = workplace(t);
  await createUser(folder, 'ann');
  const made = await run(folder, ['user', 'token', 'ANN@example.org', '--name', 'nightly', '--scope', 'read, write', '--expires', '90d']);
  t.match(made, { code: 0, stdout: KEY, stderr: /^A key for ann <ann@example\.org> with id / });
  t.notOk(made.stderr.includes('swb_'));
  const { url } = await startService(t, dataDir);
  t.match(await (await call(url, made.stdout, '/auth/me')).json(), { username: 'ann' });
  const board = await call(url, made.stdout, '/boards', { method: 'POST', body: '{"title":"By script"}' });
  t.equal(board.status, 201);
});

t.test('CLI30 a running service takes the key at once, with its scopes and boards', async (t) => {
  const { folder, dataDir } = workplace(t);
  const { url } = await startService(t, dataDir);
  await createUser(folder, 'root', '--superuser');
  const token = async (...args: string[]): Promise<string> => {
    const made = await run(folder, ['user', 'token', 'root', '--name', 'x', ...args]);
    t.match(made, { code: 0, stdout: KEY }, args.join(' '));
    return made.stdout;
  };
  const writes = await token('--scope', 'write');
  const boards = await Promise.all(
    ['one', 'two'].map(async (title) => {
      const made = await call(url, writes, '/boards', { method: 'POST', body: JSON.stringify({ title }) });
      return ((await made.json()) as { id: string }).id;
    }),
  );
  t.equal((await call(url, writes, '/admin/users')).status, 403);
  t.equal((await call(url, await token('--scope', 'read,admin'), '/admin/users')).status, 200);
  const reads = await token('--scope', 'read', '--board', boards[1] ?? '', '--expires', '2100-01-01');
  t.match(await (await call(url, reads, '/boards')).json(), { length: 1, 0: { id: boards[1] } });
  t.equal((await call(url, reads, `/boards/${boards[0]}`)).status, 403);
  t.equal((await call(url, reads, `/boards/${boards[1]}`, { method: 'DELETE' })).status, 403);
});

t.test('CLI30 what does not fit makes no key, and says why', async (t) => {
  const { folder } = workplace(t);
  await createUser(folder, 'ann');
  const nowhere = '99999999-9999-4999-8999-999999999999';
  const refusals: ReadonlyArray<readonly [number, RegExp, ...string[]]> = [
    [64, /--name is missing/, 'ann', '--scope', 'read'],
    [64, /--scope is missing/, 'ann', '--name', 'x'],
    [64, /Name the user/, '--name', 'x', '--scope', 'read'],
    [64, /--scope must be one of read, write, admin/, 'ann', '--name', 'x', '--scope', 'all'],
    [64, /--board must be a UUID/, 'ann', '--name', 'x', '--scope', 'read', '--board', 'mine'],
    [64, /--expires must be a time/, 'ann', '--name', 'x', '--scope', 'read', '--expires', 'soon'],
    [1, /must be in the future/, 'ann', '--name', 'x', '--scope', 'read', '--expires', '2001-01-01'],
    [1, /Only superusers/, 'ann', '--name', 'x', '--scope', 'read,admin'],
    [1, /not a member/, 'ann', '--name', 'x', '--scope', 'read', '--board', nowhere],
    [1, /There is no user "zoe"/, 'zoe', '--name', 'x', '--scope', 'read'],
  ];
  for (const [code, stderr, ...args] of refusals) {
    t.match(await run(folder, ['user', 'token', ...args]), { code, stdout: '', stderr }, args.join(' '));
  }
  await run(folder, ['user', 'deactivate', 'ann']);
  t.match(await run(folder, ['user', 'token', 'ann', '--name', 'x', '--scope', 'read']), { code: 1, stdout: '', stderr: /deactivated/ });
});
