/**
 * Restarts of nats-servers under load, of logs that do not begin with record 1: made from existing data, and from a copy
 * after a loss. Servers of some versions emptied such logs when they restarted.
 */
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Overview } from '../../src/control/overview.js';
import { removeLog } from '../../src/log/clusterStreams.js';
import { ExactWriter } from '../support/cluster/exactWriter.js';
import { Machines, until } from '../support/cluster/machines.js';
import { NatsCluster, REPLICATION_NATS } from '../support/cluster/natsCluster.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { SnapshotView } from '../support/cluster/snapshotView.js';
import { logIn } from '../support/http/users.js';
import { runProgram } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { temporaryFolder } from '../support/store/folder.js';
import { currentFixture, EXPECTED_FILE, FIXTURE_SHARDS, PASSWORD } from '../support/store/upgradeFixture.js';

const nats = await findNatsServer({ atLeast: REPLICATION_NATS });
const ALL = [0, 1, 2];
const SHARD = 'shard 0';
/** Changes between two troubles, so that each finds records of its own. */
const CHANGES = 20;

interface FullBoard {
  readonly columns: ReadonlyArray<{ readonly cards: ReadonlyArray<{ readonly title: string }> }>;
}

/** Servers elect, and instances start, more slowly on a busy machine. */
t.setTimeout(600_000);

t.test('SNAPSHOT17 nothing acknowledged is lost when nats-servers restart one by one, all at once, and by a power cut', { skip: skipWithout(nats) }, async (t) => {
  const machines = await Machines.over(t, await NatsCluster.start(t, pathOf(nats)), { SHARDS: FIXTURE_SHARDS });
  const folder = await temporaryFolder(t);
  await cp(currentFixture(), folder, { recursive: true });
  await rm(join(folder, EXPECTED_FILE));
  await machines.command(0, 'cluster', 'init', '--from', folder);
  const view = new SnapshotView(t, machines);
  await view.server.connected();
  await startAll(machines);
  const token = await logIn(machines.api(0), 'ann', PASSWORD);

  const endure = async (t: Test): Promise<void> => {
    const { body: board } = await machines.api(0).request<{ id: string }>('POST', '/boards', { token, json: { title: 'Board' } });
    const { body: column } = await machines.api(0).request<{ id: string }>('POST', `/boards/${board.id}/columns`, { token, json: { title: 'Column' } });
    let turn = 0;
    const writer = new ExactWriter({
      token, boards: [{ id: board.id, columnId: column.id }], parallel: 3, pace: 20,
      pickUrl: () => machines.service((turn += 1) % ALL.length).url,
    });
    const moreChanges = async (): Promise<void> => {
      const before = writer.answered;
      await until(async () => writer.answered >= before + CHANGES);
    };
    await moreChanges();
    for (const server of ALL) {
      t.comment(`restart of nats-server ${server}`);
      await machines.nats.stop(server);
      await machines.nats.start(server);
      await machines.settled();
      await moreChanges();
    }
    t.comment('restart of all');
    await Promise.all(ALL.map((server) => machines.nats.stop(server)));
    await Promise.all(ALL.map((server) => machines.nats.start(server)));
    await moreChanges();
    t.comment('power cut');
    // What was not flushed is lost; the writer goes on with what was not answered.
    await Promise.all(ALL.flatMap((each) => [machines.service(each).kill(), machines.nats.kill(each)]));
    await Promise.all(ALL.map((server) => machines.nats.start(server)));
    await startAll(machines);
    await moreChanges();
    await writer.stop();
    t.strictSame(writer.failures, [], 'every change was acknowledged');
    await machines.settled();
    for (const each of ALL) {
      const { body } = await machines.api(each).request<FullBoard>('GET', `/boards/${board.id}`, { token });
      t.strictSame(writer.judge(board.id, body.columns.flatMap(({ cards }) => cards.map(({ title }) => title))), [], `and is there once, through machine ${each}`);
    }
    const settings = { JWT_SECRET: 'of the tests alone', ...machines.settingsOf(0), NATS_SYSTEM_URL: machines.nats.systemUrls.join(',') };
    const { code, stdout } = await runProgram(['cluster', 'doctor'], settings);
    t.equal(code, 0, stdout);
    t.match(stdout, /^ok +records: 3 servers have the same first and last records$/m);
    t.match(stdout, /^ok +snapshots: /m);
    t.comment('an empty machine');
    await machines.service(2).kill();
    await rm(machines.machine(2).dataDir, { recursive: true });
    await mkdir(machines.machine(2).dataDir);
    await machines.startInstance(2);
    await machines.settled();
    t.match(await machines.command(2, 'cluster', 'verify'), /^4 of 4 copies on 2 other instances are equal/, 'an empty machine gets all copies');
  };

  await t.test('SNAPSHOT17 after `cluster init --from`', endure);

  await t.test('SNAPSHOT18 `cluster reseed` names the record that `cluster` shows as SEQ', async (t) => {
    // Reads renew leases: records without a change, which a file learns of later.
    const [{ id }] = (await machines.api(0).request<[{ id: string }]>('GET', '/boards', { token })).body;
    await until(async () => {
      await machines.api(0).request('GET', `/boards/${id}`, { token });
      return (await view.bounds(SHARD)).last > view.fileState(0, SHARD).followed.position.applied;
    });
    await machines.settled();
    await removeLog(view.server, 'boards', SHARD);
    // Nothing more can be added.
    const { replicated, instances } = JSON.parse(await machines.command(0, 'cluster', '--json')) as Overview;
    const copies = replicated?.find(({ partition }) => partition === SHARD)?.copies ?? [];
    const seq = copies.find(({ instance }) => instance === instances[0]?.id)?.applied;
    await Promise.all(ALL.map((each) => machines.service(each).stop()));
    const said = await machines.command(0, 'cluster', 'reseed', 'shard-0');
    t.equal(Number(/up to record (\d+) of the old one/.exec(said)?.[1]), seq);
    await startAll(machines);
  });

  await t.test('SNAPSHOT17 after `cluster reseed`', endure);
});

async function startAll(machines: Machines): Promise<void> {
  await Promise.all(ALL.map((each) => machines.startInstance(each)));
  await machines.settled();
}
