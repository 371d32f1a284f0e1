/** What `cluster doctor`, `/health` and metrics say while a server elects, is out, or has a full disk, and while a machine is out. */
import { createWriteStream } from 'node:fs';
import { cp, rm, symlink } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import t from 'tap';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { NatsCluster } from '../support/cluster/natsCluster.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { newUser } from '../support/http/users.js';
import { runProgram, type Finished } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { parsePrometheus, valueOf } from '../support/service/prometheusText.js';
import { smallDisk } from '../support/store/smallDisk.js';

const nats = await findClusterNats();
const METRICS_TOKEN = 'for-prometheus-alone';
const LOG = 'boards-log-shard-0';
const DISK_BYTES = 32 * 1024 * 1024;
/** Its disks are small. */
const SMALL = 2;

interface Health {
  readonly status: string;
  readonly log: string;
  readonly reserve: string;
  readonly problems?: readonly string[];
}

t.test('DOCTOR3 doctor, /health and metrics tell the truth about elections, lost reserves and full disks', { skip: skipWithout(nats) }, async (t) => {
  const [disk, dataDisk] = [await smallDisk(t, DISK_BYTES), await smallDisk(t, DISK_BYTES)];
  const cluster = await NatsCluster.start(t, pathOf(nats), 3, 'folder' in disk ? { [SMALL]: disk.folder } : {});
  const settings = { SHARDS: '1', METRICS_TOKEN, NATS_SYSTEM_URL: cluster.systemUrls.join(',') };
  const machines = await Machines.over(t, cluster, settings);
  await machines.command(0, 'cluster', 'init');
  await Promise.all([0, 1, 2].map((each) => machines.startInstance(each)));
  await machines.settled();
  const { token } = await newUser(machines.api(0));
  const doctor = (number: number): Promise<Finished> =>
    runProgram(['cluster', 'doctor'], { JWT_SECRET: 'of the tests alone', ...machines.settingsOf(number) });
  const health = async (number: number): Promise<Health> => (await machines.api(number).request<Health>('GET', '/health')).body;
  const gauge = async (number: number, name: string): Promise<number> => {
    const response = await fetch(`${machines.service(number).url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    return valueOf(parsePrometheus(await response.text()), name);
  };
  const whole = (number: number): Promise<unknown> => until(async () => (await health(number)).reserve === 'ok');

  await t.test('DOCTOR3 a killed leader of a log is an election, and its server is named', async (t) => {
    const leader = await cluster.leaderOf(LOG);
    const other = (leader + 1) % 3;
    await cluster.kill(leader);
    const { code, stdout } = await doctor(other);
    t.equal(code, 1, 'a server is out');
    t.match(stdout, /^ok +quorum: .+ An election was under way, and has ended: .*shard 0$/m);
    t.match(stdout, new RegExp(`^problem +current: directory, shard 0: a server is away or lacks records: machine-${leader}\\.`, 'm'));
    t.notMatch(stdout, 'reseed');

    await t.test('DOCTOR8 the lost reserve is in /health and in metrics on every machine', async (t) => {
      const named = new RegExp(
        `^directory, shard 0: the NATS server machine-${leader} is away or lacks records of the log\\..+\`systemctl restart nats-cluster\` there$`,
      );
      for (const number of [0, 1, 2]) {
        const seen = await until(async () => {
          const answer = await health(number);
          return answer.log === 'ok' && answer.problems?.some((text) => named.test(text)) && answer;
        });
        t.match(seen, { status: 'ok', log: 'ok', reserve: 'lost' }, 'the service works, and the next loss may stop it');
        t.equal(await gauge(number, 'switchboard_replication_missing_log_servers'), 2);
      }
    });
    await cluster.start(leader);
    await Promise.all([0, 1, 2].map(whole));
  });

  await t.test('DOCTOR8 a machine whose instance is out is a lost reserve', async (t) => {
    await machines.service(1).kill();
    const seen = await until(async () => {
      const answer = await health(0);
      return answer.reserve === 'lost' && answer;
    });
    t.match(seen.problems, [/^directory, shard 0: of 3 machines 2 report a copy: .+`systemctl start switchboard` there\. If they run, /]);
    t.equal(await gauge(0, 'switchboard_replication_missing_copies'), 2);
    const { code, stdout } = await doctor(0);
    t.equal(code, 1);
    t.match(stdout, /^problem +copies: directory, shard 0: of 3 machines 2 report a copy: /m);
    await machines.startInstance(1);
    await whole(0);
    t.equal((await doctor(0)).code, 0);
  });

  await t.test('OPERATE3 a full disk that switched JetStream off is named', { skip: 'missing' in disk ? disk.missing : false }, async (t) => {
    if ('folder' in disk) await fill(join(disk.folder, 'ballast'));
    await until(async () => {
      await machines.api(0).request('POST', '/boards', { token, json: { title: 'More' } });
      return (await health(0)).problems?.some((text) => text.includes(`machine-${SMALL} is away or lacks records`));
    });
    const { code, stdout } = await doctor(0);
    t.equal(code, 1);
    t.match(stdout, /^problem +JetStream: machine-2 runs and stores nothing: JetStream is off, as after its disk was full\. Make room/m);
    t.notMatch(stdout, /sync_interval|reseed/);

    await t.test('CLUSTER60 with room and a restart its JetStream takes part again', async (t) => {
      if ('folder' in disk) await rm(join(disk.folder, 'ballast'));
      await cluster.stop(SMALL);
      await cluster.start(SMALL);
      await whole(0);
      t.equal((await doctor(0)).code, 0);
    });
  });

  await t.test(
    'CLUSTER60 a copy that halted for a full disk goes on after room is made and the instance restarted',
    { skip: 'missing' in dataDisk ? dataDisk.missing : false },
    async (t) => {
      const { dataDir } = machines.machine(SMALL);
      await machines.service(SMALL).stop();
      if ('folder' in dataDisk) {
        await cp(dataDir, dataDisk.folder, { recursive: true });
        await rm(dataDir, { recursive: true });
        await symlink(dataDisk.folder, dataDir);
      }
      await machines.startInstance(SMALL);
      await whole(0);
      await fill(join(dataDir, 'ballast'));
      await until(
        async () => {
          const { status } = await machines.api(0).request('POST', '/boards', { token, json: { title: 'More' } });
          t.equal(status, 201, 'the others go on');
          return (await health(SMALL)).log === 'halted';
        },
        () => health(SMALL),
      );
      // The other machines hear of it with its next heartbeat.
      const halted = / has halted: .+ Make room on its disk, and run `systemctl restart switchboard` there$/;
      const problems = await until(
        async () => {
          const seen = (await health(0)).problems ?? [];
          return seen.some((text) => halted.test(text)) && seen;
        },
        () => health(0),
      );
      t.match(problems, [halted]);
      await rm(join(dataDir, 'ballast'));
      await machines.service(SMALL).stop();
      await machines.startInstance(SMALL);
      await whole(0);
      t.match(await machines.command(0, 'cluster', 'verify'), /^4 of 4 copies on 2 other instances are equal/);
    },
  );
});

/** Until nothing more fits. */
async function fill(file: string): Promise<void> {
  const stream = createWriteStream(file);
  const failed = once(stream, 'error') as Promise<[NodeJS.ErrnoException]>;
  const zeros = Buffer.alloc(64 * 1024);
  const write = (): void => {
    if (!stream.destroyed) stream.write(zeros, (error) => (error === null || error === undefined ? write() : undefined));
  };
  write();
  const [error] = await failed;
  if (error.code !== 'ENOSPC') throw error;
}
