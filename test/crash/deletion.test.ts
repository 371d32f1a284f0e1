/** The deletion of a user is interrupted. */
import t, { type Test } from 'tap';
import { operatorOf } from '../support/service/operator.js';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { Api } from '../support/http/api.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { TestSocket } from '../support/realtime/socket.js';
import { runProgram } from '../support/service/program.js';
import { ServiceProcess, type Settings } from '../support/service/serviceProcess.js';
import { changeUser } from '../support/service/operator.js';
import { temporaryFolder } from '../support/store/folder.js';
import { query } from '../support/store/sqlFile.js';
import { untilResolved } from '../support/until.js';

const SHARDS = 2;

interface Scene {
  readonly settings: Settings & { readonly DATA_DIR: string };
  readonly service: ServiceProcess;
  readonly api: Api;
  readonly owner: TestUser;
  readonly user: TestUser;
  /** With both; by id. */
  readonly boards: readonly string[];
}

async function prepare(t: Test, count: number): Promise<Scene> {
  const settings = { SHARDS: String(SHARDS), SHARD_THREADS: '1', DATA_DIR: await temporaryFolder(t) };
  const service = await ServiceProcess.start(settings);
  t.teardown(() => service.kill());
  const api = await Api.connect(service.url);
  const [owner, user] = [await newUser(api), await newUser(api)];
  const boards = await Promise.all(
    Array.from({ length: count }, async () => {
      const { body } = await api.request<{ id: string }>('POST', '/boards', { token: owner.token, json: { title: 'Board' } });
      await api.request('POST', `/boards/${body.id}/invite`, { token: owner.token, json: { user_id: user.id } });
      return body.id;
    }),
  );
  return { settings, service, api, owner, user, boards: boards.sort() };
}

function shardFiles({ settings }: Scene): string[] {
  return Array.from({ length: SHARDS }, (_, n) => `${settings.DATA_DIR}/shard-0${n}.sqlite`);
}

function membershipsOf(scene: Scene): number {
  const count = `SELECT count(*) AS count FROM member WHERE id = '${scene.user.id}'`;
  return shardFiles(scene).reduce((sum, file) => sum + (query<{ count: number }>(file, count)[0]?.count ?? 0), 0);
}

/** The first step of a deletion, and nothing more. */
function beginDeletion(t: Test, { settings, user }: Scene): void {
  const directory = new RunningDirectory({ dataDir: settings.DATA_DIR, durability: 'full', onError: (error) => t.error(error) });
  const [outcome] = directory.runNow([{ op: 'user.delete', input: { id: user.id, heir_id: null, now: new Date().toISOString() } }]);
  t.match(outcome, { ok: true });
  directory.close();
}

async function finishedIn(scene: Scene): Promise<void> {
  const operator = await operatorOf(scene.settings.DATA_DIR);
  const deletion = await operator.ask('user.deletion', { user: scene.user.id, by: 'id' });
  if (deletion?.isPending !== false) throw new Error('boards are still visited');
}

function traces(scene: Scene): string[] {
  const tables = [
    ['member', 'user'],
    ['event', 'json'],
  ] as const;
  return shardFiles(scene).flatMap((file) =>
    tables.flatMap(([table, column]) => {
      const rows = query<{ text: string }>(file, `SELECT ${column} AS text FROM ${table}`);
      return rows.filter(({ text }) => text.includes(scene.user.email)).map(() => `${table} of ${file}`);
    }),
  );
}

t.test('DEL1 a deletion that is killed half way is finished by the next start of the service', async (t) => {
  const scene = await prepare(t, 40);
  const { api, owner, user, boards, settings, service } = scene;
  await changeUser(settings.DATA_DIR, owner.id, { is_superuser: true });
  const first = await TestSocket.open(api.url, boards[0] ?? '', { token: owner.token });
  const answer = api.request('DELETE', `/admin/users/${user.id}`, { token: owner.token }).catch(() => undefined);
  await first.find('board.member_removed');
  await service.kill();
  await answer;
  t.comment(`killed with ${membershipsOf(scene)} of ${boards.length} boards left`);

  const next = await ServiceProcess.start(settings);
  t.teardown(() => next.kill());
  await untilResolved(() => finishedIn(scene));
  const again = await Api.connect(next.url);
  const { body } = await again.request<{ members: unknown[] }>('GET', `/boards/${boards.at(-1)}`, { token: owner.token });
  t.equal(body.members.length, 1);
  t.equal(await next.stop(), 0);
  t.equal(membershipsOf(scene), 0);
  t.strictSame(traces(scene), []);
});

t.test('DEL1 a deletion that is killed after its first step is finished by the same command, by the name of the user', async (t) => {
  const scene = await prepare(t, 6);
  const { settings, user } = scene;
  t.equal(await scene.service.stop(), 0);
  beginDeletion(t, scene);
  t.equal(membershipsOf(scene), 6, 'no board was visited');
  const args = ['user', 'delete', user.username];
  t.match(await runProgram(args, settings), { code: 0, stdout: `Deleted ${user.username}.\n`, stderr: '' });
  t.equal(membershipsOf(scene), 0);
  t.strictSame(traces(scene), []);
  t.match(await runProgram(args, settings), { code: 1, stderr: /There is no user/ }, 'and then there is no such user');
  t.match(await runProgram(['check'], settings), { code: 0 });
});

t.test('DEL1 a copy of the files from the middle of a deletion is no problem for check', async (t) => {
  const scene = await prepare(t, 3);
  t.equal(await scene.service.stop(), 0);
  beginDeletion(t, scene);
  t.match(await runProgram(['check'], scene.settings), { code: 0 });
});
