/** What operators see and do on three machines. */
import t from 'tap';
import type { Finding } from '../../src/cli/cluster/doctor/finding.js';
import type { Overview } from '../../src/operator/commands.js';
import { partitionNames } from '../../src/partitions/partitionNames.js';
import { Machines, MACHINE_SHARDS } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { newUser } from '../support/http/users.js';
import { changeUser } from '../support/service/operator.js';
import { runProgram, type Finished } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { parsePrometheus, valueOf } from '../support/service/prometheusText.js';

const nats = await findClusterNats();
const PARTITIONS = partitionNames(MACHINE_SHARDS);
const METRICS_TOKEN = 'for-prometheus-alone';

interface AdminOverview {
  readonly replicated: ReadonlyArray<{
    readonly partition: string;
    readonly owner: string | null;
    readonly log: { readonly leader: string; readonly has_quorum: boolean; readonly servers: readonly unknown[] };
    readonly copies: readonly unknown[];
  }>;
}

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test(
  'CLUSTER16 operators see the copies and logs of all partitions, compare and check them, and move partitions',
  { skip: skipWithout(nats) },
  async (t) => {
    const machines = await Machines.start(t, pathOf(nats), { METRICS_TOKEN });
    const run = (number: number, ...words: string[]): Promise<Finished> =>
      runProgram(words, { JWT_SECRET: 'of the tests alone', ...machines.settingsOf(number) });
    const user = await newUser(machines.api(0));
    const { token } = user;
    for (let n = 0; n < 8; n += 1) await machines.api(n % 3).request('POST', '/boards', { token, json: { title: `Board ${n}` } });

    await t.test('CLUSTER16 `cluster` shows owner, term, copies, lag, lease and log of each partition', async (t) => {
      await machines.settled();
      // A late commit, such as that of a delivery, is on some copies first.
      const { replicated, instances } = await until(async () => {
        const overview = JSON.parse(await machines.command(0, 'cluster', '--json')) as Overview;
        return overview.replicated?.every(({ copies }) => new Set(copies.map(({ chain }) => chain)).size === 1) === true && overview;
      });
      t.strictSame(
        replicated?.map(({ partition }) => partition),
        PARTITIONS,
      );
      for (const { partition, owner, term, leaseLeftMs, log, copies } of replicated ?? []) {
        t.equal(instances.find(({ id }) => id === owner)?.partitions.includes(partition), true, 'the owner owns it');
        t.ok(term > 0 && leaseLeftMs !== null && leaseLeftMs <= 2_000);
        t.match(log, { hasQuorum: true, leader: /^machine-[012]$/ });
        t.strictSame(
          log.servers.map(({ isCurrent }) => isCurrent),
          [true, true, true],
        );
        t.equal(new Set(copies.map(({ applied, chain }) => `${applied} ${chain}`)).size, 1, 'all copies are equal');
        t.strictSame(copies.map(({ state }) => state).sort(), ['following', 'following', 'owning']);
      }
      const { stdout } = await run(1, 'cluster');
      t.match(stdout, /^PARTITION +TERM +LOG +LEASE +INSTANCE +STATE +SEQ +LAG +REASON$/m);
      t.match(stdout, /^directory +\d+ +machine-\d +\d+ ms +\w+ +(owning|following) +\d+ +0$/m);

      await changeUser(machines.machine(0).dataDir, user.id, { is_superuser: true });
      const { body } = await machines.api(2).request<AdminOverview>('GET', '/admin/cluster', { token });
      t.strictSame(
        body.replicated.map(({ partition }) => partition),
        PARTITIONS,
      );
      for (const { owner, log, copies } of body.replicated) {
        t.ok(owner !== null && log.has_quorum && log.servers.length === 3 && copies.length === 3);
      }
    });

    await t.test('OPERATE8 /health has `log` only with replicated data, and it is ok while every log can be written', async (t) => {
      // A server that is late with one answer makes it `no quorum` until the next.
      const { status, body } = await until(async () => {
        const answer = await machines.api(1).request<{ log: string; reserve: string }>('GET', '/health');
        return answer.body.log === 'ok' && answer.body.reserve === 'ok' && answer;
      });
      t.strictSame([status, body], [200, { status: 'ok', database: 'connected', pubsub: 'connected', log: 'ok', reserve: 'ok' }]);
      t.match(await machines.api(1).request('GET', '/ready'), { status: 200, body: { detail: 'Ready' } });
    });

    await t.test('OPERATE6 appends, lag, terms, claims and halted copies are measured', async (t) => {
      let claims = 0;
      for (const number of [0, 1, 2]) {
        const families = await until(async () => {
          const response = await fetch(`${machines.service(number).url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
          const parsed = parsePrometheus(await response.text());
          return valueOf(parsed, 'switchboard_replication_logs_without_quorum') === 0 && parsed;
        });
        claims += valueOf(families, 'switchboard_replication_events_total', { event: 'claimed' });
        for (const event of ['fenced', 'unknown', 'resolved_by_reading']) {
          t.ok(valueOf(families, 'switchboard_replication_events_total', { event }) >= 0, event);
        }
        t.strictSame(
          families.get('switchboard_replication_lag_records')?.samples.map(({ labels }) => labels['partition']),
          PARTITIONS,
        );
        t.ok(valueOf(families, 'switchboard_replication_term', { partition: 'directory' }) > 0);
        t.equal(valueOf(families, 'switchboard_replication_halted_copies'), 0);
        t.ok(valueOf(families, 'switchboard_replication_append_duration_seconds') > 0, 'appends took time');
      }
      t.ok(claims >= PARTITIONS.length, 'every partition was claimed');
    });

    await t.test('OPERATE2 `cluster verify` compares all copies, also while they change', async (t) => {
      const writing = { isOver: false };
      const writer = (async () => {
        for (let n = 0; !writing.isOver; n += 1) await machines.api(0).request('POST', '/boards', { token, json: { title: `More ${n}` } });
      })();
      const { code, stdout } = await run(0, 'cluster', 'verify');
      writing.isOver = true;
      await writer;
      t.strictSame({ code, stdout }, { code: 0, stdout: '10 of 10 copies on 2 other instances are equal to those of this machine.\n' });
    });

    await t.test('OPERATE3 `cluster doctor` finds nothing wrong with a sound cluster, and proves flushes with a system user', async (t) => {
      const settings = { JWT_SECRET: 'of the tests alone', ...machines.settingsOf(0), NATS_SYSTEM_URL: machines.nats.systemUrls[0] ?? '' };
      const { code, stdout } = await runProgram(['cluster', 'doctor'], settings);
      t.equal(code, 0, stdout);
      t.strictSame(
        [...stdout.matchAll(/^(.{10}) {2}([^:]+):/gm)].map(([, verdict, check]) => `${verdict?.trim()} ${check}`),
        [
          'ok servers',
          'ok server versions',
          'ok logs',
          'ok records',
          'ok quorum',
          'ok replicas',
          'ok current',
          'ok cluster',
          'ok size of logs',
          'ok snapshots',
          'ok JetStream',
          'ok flushes',
          'ok space in NATS',
          'ok copies',
          'ok clocks',
          'ok time of day',
          'ok CLUSTER_SECRET',
          'ok JWT_SECRET',
          'ok settings',
          'ok disk',
        ],
      );
      const unproven = await run(0, 'cluster', 'doctor', '--json');
      t.equal(unproven.code, 0);
      const findings = JSON.parse(unproven.stdout) as Finding[];
      t.strictSame(
        findings.filter(({ verdict }) => verdict !== 'ok').map(({ verdict, check }) => [verdict, check]),
        [
          ['not proven', 'records'],
          ['not proven', 'JetStream'],
          ['not proven', 'flushes'],
          ['not proven', 'space in NATS'],
        ],
      );
    });

    await t.test('OPERATE4 a drained instance owns nothing, serves on, and takes its share again', async (t) => {
      const { code, stdout } = await run(1, 'cluster', 'drain');
      t.equal(code, 0, stdout);
      const { instances } = await machines.overview(1);
      t.match(instances[0], { drained: true, partitions: [] });
      // The others share the partitions anew, and one that moves between them has no owner meanwhile.
      const ownersNow = async (): Promise<Array<string | null>> => (await machines.overview(1)).replicated?.map(({ owner }) => owner) ?? [];
      const isOwned = (owners: Array<string | null>): boolean => owners.length > 0 && !owners.includes(null);
      const owners = await until(async () => [await ownersNow()].find(isOwned), ownersNow);
      t.notOk(owners.includes(instances[0]?.id ?? null), 'others own all of them');
      t.match((await run(1, 'cluster')).stdout, / drained +\d+ +nothing$/m);
      const created = await machines.api(1).request('POST', '/boards', { token, json: { title: 'By a standby' } });
      t.equal(created.status, 201);
      t.match(await machines.api(1).request('GET', '/ready'), { status: 200 });

      t.equal((await run(2, 'cluster', 'drain')).code, 0);
      const last = await run(0, 'cluster', 'drain');
      t.equal(last.code, 1);
      t.match(last.stderr, 'There is no other instance that could take the partitions. Nothing was changed.');
      for (const number of [1, 2]) t.equal((await run(number, 'cluster', 'undrain')).code, 0);
      await until(async () => (await machines.overview(1)).instances.every(({ partitions }) => partitions.length > 0));
    });
  },
);
