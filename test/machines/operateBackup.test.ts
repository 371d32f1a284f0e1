/** Data folders of machines: backups, checks, and what refuses them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Api } from '../support/http/api.js';
import { logIn, newUser } from '../support/http/users.js';
import { Machines } from '../support/cluster/machines.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { rejectionOf } from '../support/rejection.js';
import { runProgram, type Finished } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { query } from '../support/store/sqlFile.js';

const nats = await findClusterNats();
const SECRET = { JWT_SECRET: 'of the tests alone' };

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test('OPERATE9 a backup of a machine restores to one machine, with all data and without the cluster', { skip: skipWithout(nats) }, async (t) => {
  const machines = await Machines.start(t, pathOf(nats), {}, 1);
  const { dataDir } = machines.machine(0);
  const run = (words: readonly string[], settings = {}, input = ''): Promise<Finished> =>
    runProgram(words, { ...SECRET, ...machines.settingsOf(0), ...settings }, { input });
  const alone = { REPLICATION: 'off', NATS_URL: '' };
  const user = await newUser(machines.api(0));
  const { token } = user;
  const boards: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    boards.push((await machines.api(0).request<{ id: string }>('POST', '/boards', { token, json: { title: `Board ${n}` } })).body.id);
  }
  const folder = await temporaryFolder(t);
  const backup = join(folder, 'backup');
  t.match(await run(['backup', backup]), { code: 0 }, 'beside the running service');

  await t.test('OPERATE11 user commands reach a running instance, and refuse to write a copy without one', async (t) => {
    const create = ['user', 'create', '--email', 'ann@example.org', '--username', 'ann', '--password-stdin'];
    t.match(await run(create, {}, 'a password\n'), { code: 0 });
    t.ok(await logIn(machines.api(0), 'ann@example.org', 'a password'), 'the service knows the user');
    await machines.service(0).stop();
    t.match(await run(['user', 'promote', 'ann']), { code: 75, stderr: /can only be read and changed through a running instance: start it first/ });
    t.match(await run(['user', 'promote', 'ann'], alone), {
      code: 75,
      stderr: /directory\.sqlite is a copy in the cluster [0-9a-f-]+\. Start it with REPLICATION=jetstream/,
    });
    t.match(await run(['cluster', 'verify']), { code: 75, stderr: /No service on .+ answers/ });
  });

  await t.test('OPERATE11 a copy refuses to be started alone, and a folder with its own data to be a copy', async (t) => {
    const refusal = await rejectionOf(ServiceProcess.start({ ...SECRET, ...machines.settingsOf(0), ...alone }));
    t.match(String(refusal), /is a copy in the cluster [0-9a-f-]+\. Start it with REPLICATION=jetstream/);
    const own = join(folder, 'own');
    await mkdir(own);
    const settings = { ...SECRET, ...machines.settingsOf(0), DATA_DIR: own };
    const single = await ServiceProcess.start({ ...settings, ...alone });
    await newUser(await Api.connect(single.url));
    await single.stop();
    t.match(String(await rejectionOf(ServiceProcess.start(settings))), /directory\.sqlite has data that the cluster does not know/);
    t.match(await run(['cluster', 'doctor'], { DATA_DIR: own }), {
      code: 1,
      stdout: /^problem +cluster: NATS has the cluster [0-9a-f-]+, and directory\.sqlite is no copy\. Correct NATS_PREFIX or DATA_DIR/m,
    });
  });

  const checked = await run(['check']);
  t.match(checked, { code: 0, stdout: /Note: the files are copies in a cluster.*\n.*no problems in 5 files with 8 boards/ });
  t.match(await run(['check', backup]), { code: 0, stdout: /no problems in 5 files with 8 boards/ });
  const restored = join(folder, 'restored');
  t.match(await run(['restore', backup], { DATA_DIR: restored, ...alone }), { code: 0 });
  for (const name of ['directory.sqlite', 'shard-00.sqlite']) {
    t.strictSame(query(join(restored, name), 'SELECT * FROM log_position'), [], `${name} follows no log`);
    t.not(query(join(dataDir, name), 'SELECT * FROM log_position').length, 0, 'as the original does');
  }
  t.match(await run(['check'], { DATA_DIR: restored, ...alone }), { code: 0, stdout: /^.*no problems in 5 files with 8 boards/ });
  const service = await ServiceProcess.start({ ...SECRET, ...machines.settingsOf(0), ...alone, DATA_DIR: restored });
  t.teardown(() => service.kill());
  const api = await Api.connect(service.url);
  t.strictSame((await api.request<Array<{ id: string }>>('GET', '/boards', { token })).body.map(({ id }) => id).sort(), boards.sort());
  t.match(await api.request('PATCH', `/boards/${boards[0]}`, { token, json: { title: 'Alone' } }), { status: 200 });
  t.notOk('log' in (await api.request<object>('GET', '/health')).body, 'there is no log');
});
