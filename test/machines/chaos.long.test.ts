/**
 * Machines fail in every way while clients write and read through all of them. The result names the seed; run it again with
 * that seed, or for longer: `CHAOS_SEED=… CHAOS_SECONDS=1800 node dist/test/machines/chaos.long.test.js`. With CHAOS_FROM=on the
 * cluster begins with the data of one machine.
 */
import t, { type Test } from 'tap';
import { boardKeyOf, shardOf, type Uuid } from '../../src/domain/ids.js';
import { ExactWriter } from '../support/cluster/exactWriter.js';
import { ListClients } from '../support/cluster/listClients.js';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { MachineTrouble, type TroubleName } from '../support/cluster/machineTrouble.js';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { Api } from '../support/http/api.js';
import { newUser } from '../support/http/users.js';
import { Follower } from '../support/realtime/follower.js';
import { SharedFollower } from '../support/realtime/sharedFollower.js';
import { randomNumbers } from '../support/seededRandom.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';

const nats = await findClusterNats();
const SECONDS = Number(process.env['CHAOS_SECONDS'] ?? 0);
const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const TROUBLES = (process.env['CHAOS_TROUBLES']?.split(',') ?? [
  'kill',
  'freeze',
  'blink',
  'isolate',
  'killServer',
  'killBoth',
  'freezeServer',
  'restart',
  'killAll',
  'cutLink',
  'restartServers',
  'reseed',
]) as TroubleName[];

const BEGINS_WITH_DATA = process.env['CHAOS_FROM'] === 'on';
const SHARDS = 8;
const QUIET_SHARD = 0;
const SETTINGS = { MAX_BOARDS_PER_USER: '100000', SHARDS: String(SHARDS) };

/** Lists whose changes the WebSockets of each machine follow: one for each list, and one for all. */
const FOLLOWED = 2;

interface Listed {
  readonly columns: ReadonlyArray<{ readonly cards: ReadonlyArray<{ readonly title: string }> }>;
}

t.setTimeout((SECONDS + 600) * 1000);

t.test('REPLICA2 nothing acknowledged is lost or done twice, and no read is stale, while machines fail', { skip: skipWithout(nats) }, async (t) => {
  t.comment(`CHAOS_SEED=${SEED}`);
  const random = randomNumbers(SEED);
  const machines = await startMachines(t, pathOf(nats));
  const { token } = await newUser(machines.api(0));
  const clients = new ListClients({
    token,
    random,
    clients: SECONDS > 0 ? 36 : 12,
    lists: 6,
    longest: 150,
    pace: SECONDS > 0 ? 10 : 60,
    machineOf: (client) => machines.service(client % machines.all.length).url,
    isQuiet: (boardId) => shardOfBoard(boardId) === QUIET_SHARD,
  });
  await clients.start();
  // A list of their own: the judge of the others knows all its values.
  let exactBoard = await newList(machines.api(0), token);
  while (shardOfBoard(exactBoard.id) === QUIET_SHARD) exactBoard = await newList(machines.api(0), token);
  const exact = new ExactWriter({
    token,
    boards: [exactBoard],
    pickUrl: () => machines.service(Math.floor(random() * machines.all.length)).url,
    parallel: 3,
    pace: 40,
  });
  const boardIds = clients.lists.slice(0, FOLLOWED).map(({ boardId }) => boardId);
  const ofOne = boardIds.flatMap((boardId) =>
    machines.all.map(({ number }) => new Follower({ boardId, token, pick: () => machines.service(number) })),
  );
  const ofAll = machines.all.map(({ number }) => new SharedFollower({ boardIds, token, pick: () => machines.service(number) }));
  t.teardown(() => [...ofOne, ...ofAll].forEach((follower) => follower.close()));
  const startedAt = performance.now();
  const say = (what: string): void => t.comment(`${((performance.now() - startedAt) / 1000).toFixed(1)} s: ${what}`);
  const followed = new Set(boardIds.map(shardOfBoard));
  const reseeds = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => !followed.has(shard));
  const trouble = new MachineTrouble(machines, {
    random,
    seconds: SECONDS,
    say,
    reseeds: ['directory', ...reseeds.map((shard) => `shard-${shard}`)],
  });
  if (SECONDS > 0) {
    await trouble.goOn(TROUBLES);
  } else {
    // Once in each way that needs different code; the long form repeats and mixes them.
    await trouble.make('kill', 0);
    await trouble.make('blink', 1);
    await trouble.make('isolate', 2);
  }
  const { stored, reads } = clients.counts;
  await until(async () => clients.counts.stored > stored + 50 && clients.counts.reads > reads + 50);
  await Promise.all([clients.stop(), exact.stop()]);
  t.strictSame(exact.failures, [], 'every call through the client was answered');
  t.comment(`${exact.answered} calls through the client, in ${exact.attempts} attempts`);
  t.comment(`faults: ${JSON.stringify(Object.fromEntries(trouble.done))}`);
  t.comment(JSON.stringify(clients.counts), `longest time without an acknowledgement: ${Math.round(clients.takeLongestSilence())} ms`);
  const problems = await clients.judge(machines.all.map(({ service }) => service?.url ?? ''));
  t.strictSame(problems.slice(0, 10), []);
  for (const { service } of machines.all) {
    const titles = await until(() => titlesOf(service?.url ?? '', exactBoard.id, token));
    t.strictSame(exact.judge(exactBoard.id, titles), [], 'and what was sent through the client happened exactly once');
  }
  for (const follower of [...ofOne, ...ofAll.flatMap(({ boards }) => boards)]) {
    const { body, headers } = await until(async () => {
      const answer = await machines.api(0).request<Listed>('GET', `/boards/${follower.boardId}`, { token });
      return answer.status === 200 && answer;
    });
    await follower.reach(Number(JSON.parse(headers.get('etag') ?? '0')));
    t.strictSame(follower.violations, [], 'a client of any machine saw every number once, in order');
    t.strictSame(
      follower.titles,
      body.columns.flatMap(({ cards }) => cards.map(({ title }) => title)),
    );
  }
  for (const { service } of machines.all)
    t.strictSame(
      service?.warnings.filter((text) => /halted/.test(text)),
      [],
      'no copy halted',
    );
});

async function startMachines(t: Test, program: string): Promise<Machines> {
  if (!BEGINS_WITH_DATA) return Machines.start(t, program, SETTINGS);
  const folder = await temporaryFolder(t);
  const alone = await ServiceProcess.start({ DATA_DIR: folder, ...SETTINGS });
  const api = await Api.connect(alone.url);
  await newList(api, (await newUser(api)).token);
  await alone.stop();
  const machines = await Machines.over(t, await NatsCluster.start(t, program), SETTINGS);
  await machines.command(0, 'cluster', 'init', '--from', folder);
  await Promise.all(machines.all.map(({ number }) => machines.startInstance(number)));
  await machines.settled();
  return machines;
}

function shardOfBoard(boardId: string): number {
  return shardOf(boardKeyOf(boardId as Uuid), SHARDS);
}

async function newList(api: Api, token: string): Promise<{ readonly id: string; readonly columnId: string }> {
  const create = async (path: string): Promise<string> => {
    const { status, body } = await api.request<{ id: string }>('POST', path, { token, json: { title: 'Exact' } });
    if (status !== 201) throw new Error(`POST ${path} answered ${status}`);
    return body.id;
  };
  const id = await create('/boards');
  return { id, columnId: await create(`/boards/${id}/columns`) };
}

/** False while the machine cannot answer. */
async function titlesOf(url: string, id: string, token: string): Promise<string[] | false> {
  const response = await fetch(`${url}/boards/${id}`, { headers: { authorization: `Bearer ${token}` } });
  if (response.status !== 200) return false;
  const { columns } = (await response.json()) as Listed;
  return columns.flatMap(({ cards }) => cards.map(({ title }) => title));
}
