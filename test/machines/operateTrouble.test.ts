/** What operators see when a copy or a setting of one machine is wrong. */
import { join } from 'node:path';
import t from 'tap';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { newUser } from '../support/http/users.js';
import { runProgram, type Finished } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';
import { sql } from '../support/store/sqlFile.js';

const nats = await findClusterNats();

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test('OPERATE7 a copy with another history is named, halts, and takes no instance out of service', { skip: skipWithout(nats) }, async (t) => {
  const machines = await Machines.start(t, pathOf(nats));
  const run = (number: number, ...words: string[]): Promise<Finished> =>
    runProgram(words, { JWT_SECRET: 'of the tests alone', ...machines.settingsOf(number) });
  const { token } = await newUser(machines.api(0));
  const createBoards = async (): Promise<void> => {
    // Enough that every shard gets one.
    for (let n = 0; n < 24; n += 1) {
      const { status } = await machines.api(n % 2).request('POST', '/boards', { token, json: { title: `Board ${n}` } });
      t.equal(status, 201);
    }
  };
  await createBoards();
  await machines.service(2).stop();
  sql(join(machines.machine(2).dataDir, 'shard-00.sqlite'), `UPDATE log_position SET chain = '${'f'.repeat(32)}'`);
  await machines.startInstance(2, { JWT_SECRET: 'another one than on the other machines' });

  const verified = await run(0, 'cluster', 'verify');
  t.equal(verified.code, 1);
  t.match(verified.stdout, /^shard 0: the copy of \w+ (differs at record \d+|was not compared, its last record is \d+: it has halted: .+)$/m);
  t.match(verified.stdout, /^9 of 10 copies on 2 other instances are equal to those of this machine\.$/m);

  await createBoards();
  await until(async () => (await machines.api(2).request<{ log: string }>('GET', '/health')).body.log === 'halted');
  t.match(await machines.api(2).request('GET', '/health'), { status: 200, body: { status: 'degraded', log: 'halted' } });
  t.match(await machines.api(2).request('GET', '/ready'), { status: 200, body: { detail: 'Ready' } });
  await until(async () => (await machines.api(0).request<{ log: string }>('GET', '/health')).body.log === 'ok');
  t.match((await run(0, 'cluster')).stdout, /^ +\w+ +halted +\d+ +\d+ +record \d+ follows another history than this copy$/m);
  const again = await run(0, 'cluster', 'verify');
  t.equal(again.code, 1);
  t.match(again.stdout, /^shard 0: the copy of \w+ /m);

  const examined = await run(0, 'cluster', 'doctor');
  t.equal(examined.code, 1);
  t.match(examined.stdout, /^problem +JWT_SECRET: not the same on \w+ on .+\. Set the same value on all machines, and restart$/m);
  t.match(
    examined.stdout,
    /^problem +copies: shard 0: the copy on .+ \(\w+\) has halted: record \d+ follows another history than this copy\. Run `switchboard cluster verify`/m,
  );
  const seen = (await machines.api(0).request<{ reserve: string; problems: string[] }>('GET', '/health')).body;
  t.match(
    seen,
    { reserve: 'lost', problems: [/^shard 0: the copy on .+ has halted: .+`switchboard cluster verify`/] },
    'also on the machines whose copies are sound',
  );
  t.match(examined.stdout, /^ok +CLUSTER_SECRET: /m);
  t.notMatch(examined.stdout, /another one than|of the tests alone/, 'no secret is shown');
});
