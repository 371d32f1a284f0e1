/** Clusters that begin with existing data: the folder of one machine, or a copy after its log was lost. */
import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { findLog, removeLog } from '../../src/log/clusterStreams.js';
import { checkFolder } from '../../src/store/check/checkFolder.js';
import { Machines } from '../support/cluster/machines.js';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { SnapshotView } from '../support/cluster/snapshotView.js';
import { Api } from '../support/http/api.js';
import { logIn } from '../support/http/users.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';
import { currentFixture, EXPECTED_FILE, FIXTURE_SHARDS, PASSWORD, readEverything } from '../support/store/upgradeFixture.js';

const nats = await findClusterNats();
const machinesTest = { skip: skipWithout(nats) };

const SHARD = 'shard 0';
// The data of the fixture grows old, and its events must not be pruned.
const SETTINGS = { SHARDS: FIXTURE_SHARDS, EVENT_RETENTION_DAYS: '36500' };

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test('SNAPSHOT8 the data folder of one machine becomes a cluster, complete and unchanged', machinesTest, async (t) => {
  const machines = await Machines.over(t, await NatsCluster.start(t, pathOf(nats), 1), SETTINGS, 1);
  const view = new SnapshotView(t, machines);
  const { folder, expected } = await folderOfOneMachine(t);
  const alone = await ServiceProcess.start({ DATA_DIR: folder, ...SETTINGS });
  await t.rejects(machines.command(0, 'cluster', 'init', '--from', folder), /in use by a service\. Stop it first/);
  await alone.stop();
  const before = await contentsOf(folder);
  t.match(await machines.command(0, 'cluster', 'init', '--from', folder), /Start every instance with an empty data folder/);
  t.strictSame(await contentsOf(folder), before, 'the folder is not changed');
  await t.rejects(machines.command(0, 'cluster', 'init'), /exists already/);

  await killServer(machines);
  await view.server.connected();
  t.match(await view.bounds(SHARD), { first: 2, last: 2 }, 'a killed nats-server has the beginning of each log');
  await machines.startInstance(0);
  t.hasStrict(await readEverything(machines.api(0)), expected, 'boards, events, files, users and their passwords');
  const second = await startSecond(t, machines);
  t.hasStrict(await readEverything(second.api), expected, 'also through another machine');
  await second.service.stop();
  t.match(await checkFolder(second.dataDir), { problems: [] }, 'whose folder is sound');

  await t.test('SNAPSHOT9 a lost log is replaced by a copy, and every machine takes it over when it is restarted', async (t) => {
    await t.rejects(machines.command(0, 'cluster', 'reseed', 'shard-0'), /in use by a service/);
    const { epoch } = await someBoard(machines.api(0));
    await machines.service(0).stop();
    await t.rejects(machines.command(0, 'cluster', 'reseed', 'shard-0'), /has all \d+ records of this copy.*--force/);
    await view.server.connected();
    await removeLog(view.server, 'boards', SHARD);
    await t.rejects(machines.startInstance(0), /NATS has no log of the shard 0.*cluster reseed/);
    t.match(await machines.command(0, 'cluster', 'reseed', 'shard-0'), /a new log, of generation 2[^]*Restart every instance/);
    t.match(await findLog(view.server, 'boards', SHARD), { identity: { generation: 2 } });
    await machines.startInstance(0);
    t.hasStrict(withoutHistory(await readEverything(machines.api(0))), withoutHistory(expected), 'nothing is lost');
    t.not((await someBoard(machines.api(0))).epoch, epoch, 'and clients read the boards again');
    t.ok(view.filesOf(0).includes('shard-00.sqlite.generation-1'), 'the old file is kept');
    const before = await view.bounds(SHARD);
    await killServer(machines);
    const { first, last } = await view.bounds(SHARD);
    t.equal(first, before.first, 'a killed nats-server has the new log, too');
    t.ok(last >= before.last, 'with all records; the instance goes on');
    const again = await startSecond(t, machines, second.dataDir);
    t.hasStrict(withoutHistory(await readEverything(again.api)), withoutHistory(expected), 'a machine that was away takes it over too');
    await again.service.stop();
    await machines.service(0).stop();
    t.match(await checkFolder(machines.machine(0).dataDir), { problems: [], notes: [] });
    await t.rejects(machines.command(0, 'cluster', 'reseed', 'shard-1'), /There is no partition "shard-1"/);
  });
});

/** All that it had not flushed is lost. */
async function killServer(machines: Machines): Promise<void> {
  await machines.nats.kill(0);
  await machines.nats.start(0);
}

async function folderOfOneMachine(t: Test): Promise<{ folder: string; expected: unknown }> {
  const folder = await temporaryFolder(t);
  await cp(currentFixture(), folder, { recursive: true });
  const expected: unknown = JSON.parse(await readFile(join(folder, EXPECTED_FILE), 'utf8'));
  await rm(join(folder, EXPECTED_FILE));
  return { folder, expected };
}

async function contentsOf(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => /\.(sqlite|json)$/.test(name));
  return new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'base64')] as const)));
}

/** Another machine, which uses the same nats-server. */
async function startSecond(t: Test, machines: Machines, dataDir?: string): Promise<{ service: ServiceProcess; api: Api; dataDir: string }> {
  const folder = dataDir ?? (await temporaryFolder(t));
  const service = await ServiceProcess.start({ ...machines.settingsOf(0), DATA_DIR: folder });
  t.teardown(() => (service.isRunning ? service.kill() : undefined));
  return { service, api: await Api.connect(service.url), dataDir: folder };
}

async function someBoard(api: Api): Promise<{ epoch: string }> {
  const token = await logIn(api, 'ann', PASSWORD);
  const { body } = await api.request<{ id: string }[]>('GET', '/boards', { token });
  const { body: events } = await api.request<{ epoch: string }>('GET', `/boards/${body[0]?.id}/events?since=0`, { token });
  return events;
}

/** After a loss the events of before count no longer. */
function withoutHistory(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data, (field, value: unknown) => (field === 'epoch' || field === 'events' ? undefined : value)));
}
