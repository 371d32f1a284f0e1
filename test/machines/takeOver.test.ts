/** Three machines: an instance and a nats-server each, with copies of everything. */
import t from 'tap';
import { newUser } from '../support/http/users.js';
import { Machines, until } from '../support/cluster/machines.js';
import { REPLICATION_NATS } from '../support/cluster/natsCluster.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { skipWithout } from '../support/service/programs.js';

const nats = await findNatsServer({ atLeast: REPLICATION_NATS });
const machinesTest = { skip: skipWithout(nats) };
const program = 'path' in nats ? nats.path : '';

t.test('REPLICA1 every machine serves every board, and all survive the loss of one', machinesTest, async (t) => {
  const machines = await Machines.start(t, program);
  const [first, second, third] = [machines.api(0), machines.api(1), machines.api(2)];
  const user = await newUser(first);
  const { token } = user;
  const boards: string[] = [];
  for (let n = 0; n < 8; n += 1) {
    const { status, body } = await first.request<{ id: string }>('POST', '/boards', { token, json: { title: `Board ${n}` } });
    t.equal(status, 201);
    boards.push(body.id);
  }
  for (const api of [second, third]) {
    const { body } = await api.request<unknown[]>('GET', '/boards', { token });
    t.equal(body.length, boards.length, 'another machine shows them at once');
  }
  await machines.service(0).kill();
  const killedAt = performance.now();
  for (const id of boards) {
    await until(async () => (await second.request('PATCH', `/boards/${id}`, { token, json: { title: 'Changed' } })).status === 200);
  }
  t.comment(`all boards were written again after ${Math.round(performance.now() - killedAt)} ms`);
  for (const id of boards) {
    t.match(await third.request('GET', `/boards/${id}`, { token }), { status: 200, body: { title: 'Changed' } });
  }
  await machines.startInstance(0);
  t.match(await machines.api(0).request('GET', `/boards/${boards[0]}`, { token }), { status: 200, body: { title: 'Changed' } });
});
