/**
 * Restarts of nats-servers under load, of logs that do not begin with record 1: made from existing data, and from a copy
 * after a loss. Servers of some versions emptied such logs when they restarted.
 */
import { mkdir, rm } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { boardKeyOf, shardOf } from '../../src/domain/ids.js';
import { removeLog } from '../../src/log/clusterStreams.js';
import { ExactWriter } from '../support/cluster/exactWriter.js';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { SnapshotView } from '../support/cluster/snapshotView.js';
import { Api } from '../support/http/api.js';
import { newUser } from '../support/http/users.js';
import { runProgram } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';

const nats = await findClusterNats();
const ALL = [0, 1, 2];
/** The log of shard 0 begins with a copy after a loss, those of shard 1 and of the directory with existing data. */
const SHARDS = 2;
/** Changes between two troubles, so that each finds records of its own. */
const CHANGES = 20;

interface WrittenBoard {
  readonly id: string;
  readonly columnId: string;
}

interface FullBoard {
  readonly columns: ReadonlyArray<{ readonly cards: ReadonlyArray<{ readonly title: string }> }>;
}

t.test(
  'SNAPSHOT17 nothing acknowledged is lost when nats-servers restart one by one, all at once, and by a power cut',
  { skip: skipWithout(nats) },
  async (t) => {
    const settings = { SHARDS: String(SHARDS) };
    const machines = await Machines.over(t, await NatsCluster.start(t, pathOf(nats)), settings);
    const { folder, token, boards } = await folderOfOneMachine(t, settings);
    await machines.command(0, 'cluster', 'init', '--from', folder);
    await startAll(machines);
    t.comment('reseed');
    const view = new SnapshotView(t, machines);
    await view.server.connected();
    await Promise.all(ALL.map((each) => machines.service(each).stop()));
    await removeLog(view.server, 'boards', 'shard 0');
    await machines.command(0, 'cluster', 'reseed', 'shard-0');
    await startAll(machines);
    t.ok((await view.bounds('shard 0')).first > 1_000_000, 'one log begins with a copy');
    t.equal((await view.bounds('shard 1')).first, 2, 'and one with existing data');

    let turn = 0;
    const writer = new ExactWriter({ token, boards, parallel: 4, pace: 20, pickUrl: () => machines.service((turn += 1) % ALL.length).url });
    const moreChanges = async (): Promise<void> => {
      const before = writer.answered;
      await until(
        async () => writer.answered >= before + CHANGES,
        async () => ({ answered: writer.answered - before, failures: writer.failures, missing: await machines.unsettled() }),
      );
    };
    await moreChanges();
    for (const server of ALL) {
      t.comment(`restart of nats-server ${server}`);
      await machines.nats.stop(server);
      await machines.nats.start(server);
      await machines.whole();
      await moreChanges();
    }
    t.comment('restart of all');
    await Promise.all(ALL.map((server) => machines.nats.stop(server)));
    await machines.nats.startAll();
    await moreChanges();
    t.comment('power cut');
    // What was not flushed is lost; the writer goes on with what was not answered.
    await Promise.all(ALL.flatMap((each) => [machines.service(each).kill(), machines.nats.kill(each)]));
    await Promise.all([machines.nats.startAll(), ...ALL.map((each) => machines.startInstance(each))]);
    await moreChanges();
    await writer.stop();
    t.strictSame(writer.failures, [], 'every change was acknowledged');
    await machines.settled();
    for (const each of ALL) {
      for (const { id } of boards) {
        const { body } = await machines.api(each).request<FullBoard>('GET', `/boards/${id}`, { token });
        t.strictSame(
          writer.judge(
            id,
            body.columns.flatMap(({ cards }) => cards.map(({ title }) => title)),
          ),
          [],
          `and is there once, through machine ${each}`,
        );
      }
    }
    const { code, stdout } = await runProgram(['cluster', 'doctor'], {
      JWT_SECRET: 'of the tests alone',
      ...machines.settingsOf(0),
      NATS_SYSTEM_URL: machines.nats.systemUrls.join(','),
    });
    t.equal(code, 0, stdout);
    t.match(stdout, /^ok +records: 3 servers have the same first and last records$/m);
    t.match(stdout, /^ok +snapshots: /m);
    t.comment('an empty machine');
    await machines.service(2).kill();
    await rm(machines.machine(2).dataDir, { recursive: true });
    await mkdir(machines.machine(2).dataDir);
    await machines.startInstance(2);
    await machines.settled();
    t.match(await machines.command(2, 'cluster', 'verify'), /^6 of 6 copies on 2 other instances are equal/, 'an empty machine gets all copies');
  },
);

/** A board on each shard, and the token of their user. */
async function folderOfOneMachine(t: Test, settings: Record<string, string>): Promise<{ folder: string; token: string; boards: WrittenBoard[] }> {
  const folder = await temporaryFolder(t);
  const alone = await ServiceProcess.start({ DATA_DIR: folder, ...settings });
  t.teardown(() => (alone.isRunning ? alone.kill() : undefined));
  const api = await Api.connect(alone.url);
  const { token } = await newUser(api);
  const boards = new Map<number, WrittenBoard>();
  while (boards.size < SHARDS) {
    const { body: board } = await api.request<{ id: string }>('POST', '/boards', { token, json: { title: 'Board' } });
    const { body: column } = await api.request<{ id: string }>('POST', `/boards/${board.id}/columns`, { token, json: { title: 'Column' } });
    boards.set(shardOf(boardKeyOf(board.id), SHARDS), { id: board.id, columnId: column.id });
  }
  await alone.stop();
  return { folder, token, boards: [...boards.values()] };
}

async function startAll(machines: Machines): Promise<void> {
  await Promise.all(ALL.map((each) => machines.startInstance(each)));
  await machines.settled();
}
