/** Machines with different versions of the program. */
import t from 'tap';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { newUser } from '../support/http/users.js';
import { programWithNewerSchema } from '../support/service/newerSchema.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findClusterNats();

t.test(
  'REPLICA3 machines are upgraded one by one; an older program that meets a newer schema asks the others',
  { skip: skipWithout(nats) },
  async (t) => {
    const newer = await programWithNewerSchema(t);
    const machines = await Machines.start(t, pathOf(nats));
    const { token } = await newUser(machines.api(0));
    const { body } = await machines.api(0).request<{ id: string }>('POST', '/boards', { token, json: { title: 'Plans' } });
    const rename = async (through: number, title: string, readers = [0, 1, 2]): Promise<void> => {
      let last: unknown;
      const isRenamed = async (): Promise<boolean> => {
        const answer = await machines.api(through).request('PATCH', `/boards/${body.id}`, { token, json: { title } });
        last = answer.body;
        return answer.status === 200;
      };
      await until(isRenamed, async () => ({ last, overview: await machines.overview(through) }));
      for (const number of readers) {
        t.match(await machines.api(number).request('GET', `/boards/${body.id}`, { token }), { status: 200, body: { title } });
      }
    };
    const halted = async (through: number): Promise<string[]> => {
      const { replicated = [] } = await machines.overview(through);
      return replicated.flatMap(({ copies }) => copies.flatMap(({ state, reason }) => (state === 'halted' ? [reason ?? ''] : [])));
    };
    for (const number of [1, 2]) {
      await machines.service(number).stop();
      await machines.startInstance(number, {}, newer);
      await rename(number, `With ${number} upgraded`);
    }
    t.strictSame(await halted(0), [], 'while an older program lives, nobody writes what it cannot read');
    await machines.service(0).stop();
    // An owner begins that knows of newer programs only.
    await machines.service(1).stop();
    await machines.startInstance(1, {}, newer);
    await rename(1, 'Without the older program', [1, 2]);
    await machines.startInstance(0);
    await until(async () => (await halted(0)).length > 0);
    t.match((await halted(0))[0], /begins commits for schema \d+, and this program knows \d+: upgrade it/);
    await rename(0, 'Through the older program');
    await machines.service(0).stop();
    await machines.startInstance(0, {}, newer);
    await until(async () => (await halted(0)).length === 0);
    await rename(0, 'All upgraded');
  },
);
