/** What operators see when most NATS servers are gone. */
import t from 'tap';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { REPLICATION_NATS } from '../support/cluster/natsCluster.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { runProgram } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findNatsServer({ atLeast: REPLICATION_NATS });

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test('OPERATE8 without a quorum the instance says so, and is not ready once an election would be over', { skip: skipWithout(nats) }, async (t) => {
  const machines = await Machines.prepare(t, pathOf(nats));
  await machines.startInstance(0);
  const api = machines.api(0);
  const ready = () => api.request<{ detail: string }>('GET', '/ready');
  await until(async () => (await api.request<{ log: string }>('GET', '/health')).body.log === 'ok');
  await Promise.all([machines.nats.kill(1), machines.nats.kill(2)]);
  const examined = runProgram(['cluster', 'doctor'], { JWT_SECRET: 'of the tests alone', ...machines.settingsOf(0) });
  await until(async () => (await api.request<{ log: string }>('GET', '/health')).body.log === 'no quorum');
  t.match(await ready(), { status: 200 }, 'requests still wait for an election');
  const { code, stdout } = await examined;
  t.equal(code, 1);
  t.match(stdout, /^problem +servers: .+ does not answer: start it, or correct NATS_URL$/m);
  await until(async () => (await ready()).body.detail === 'Not ready: cannot reach directory, shards 0-3');
  t.equal((await ready()).status, 503);
  t.match((await runProgram(['cluster'], { JWT_SECRET: 'of the tests alone', ...machines.settingsOf(0) })).stdout, /\(no quorum\)/);
});
