import { join } from 'node:path';
import t from 'tap';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { MACHINE_SHARDS, Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { newUser } from '../support/http/users.js';
import { runProgram } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { sql } from '../support/store/sqlFile.js';

const nats = await findClusterNats();
const ALL = [0, 1, 2];
const HALTED = 2;
const FILES = ['directory.sqlite', ...Array.from({ length: MACHINE_SHARDS }, (_, shard) => `shard-0${shard}.sqlite`)];
/** Copies that halted at the same number share a line. */
const HALT = /^directory(, .+)?: the copy on .+ has halted: record \d+ follows another history/;
/** Enough that every shard has one. */
const BOARDS = 24;
/** Instances compute their placement four times a second. A partition that cannot be taken came back after one or two seconds. */
const WATCHED_MS = 4_000;

interface Health {
  readonly log: string;
  readonly problems?: readonly string[];
}

t.test(
  'PLACE10 what a machine with halted copies cannot take stays with the others, and every request is answered',
  { skip: skipWithout(nats) },
  async (t) => {
    const machines = await Machines.start(t, pathOf(nats));
    const { token } = await newUser(machines.api(0));
    const create = async (_: unknown, n: number): Promise<string> =>
      (await machines.api(n % 2).request<{ id: string }>('POST', '/boards', { token, json: { title: 'Board' } })).body.id;
    const health = async (machine: number): Promise<Health> => (await machines.api(machine).request<Health>('GET', '/health')).body;
    const terms = async (): Promise<Map<string, number>> => {
      const { replicated = [] } = await machines.overview(0);
      return new Map(replicated.map(({ partition, copies }) => [partition, Math.max(...copies.map(({ term }) => term))]));
    };

    await machines.service(HALTED).stop();
    for (const file of FILES) sql(join(machines.machine(HALTED).dataDir, file), `UPDATE log_position SET chain = '${'f'.repeat(32)}'`);
    await machines.startInstance(HALTED);
    // Each partition gets a record, which does not follow what the copy has.
    await newUser(machines.api(0));
    const boards = await Promise.all(Array.from({ length: BOARDS }, create));
    for (const machine of ALL) {
      const halted = async (): Promise<number> =>
        (await machines.overview(machine)).replicated?.flatMap(({ copies }) => copies.filter(({ state }) => state === 'halted')).length ?? 0;
      await until(
        async () => (await halted()) === FILES.length,
        () => health(machine),
      );
      t.match((await health(machine)).problems, [HALT], 'and it is named');
      t.equal((await health(machine)).log, machine === HALTED ? 'halted' : 'ok');
    }
    const loads = async (): Promise<number[]> => (await machines.overview(0)).instances.map(({ partitions }) => partitions.length).sort();
    await until(async () => String(await loads()) === '0,2,3', loads);

    const before = await terms();
    const statuses = new Map<number, number>();
    for (const end = performance.now() + WATCHED_MS; performance.now() < end;) {
      const answers = await Promise.all(
        boards.map((board, n) => machines.api(n % ALL.length).request('PATCH', `/boards/${board}`, { token, json: { title: 'Changed' } })),
      );
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    t.strictSame([...statuses.keys()], [200], 'every change through every machine is answered');
    t.strictSame(await terms(), before, 'and no partition has changed its owner');

    const { code, stdout } = await runProgram(['cluster', 'doctor'], { JWT_SECRET: 'of the tests alone', ...machines.settingsOf(0) });
    t.equal(code, 1);
    t.match(stdout, /^problem +copies: .+ has halted: record \d+ follows another history than this copy\. Run `switchboard cluster verify`/m);
  },
);
