import t from 'tap';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { newUser } from '../support/http/users.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findClusterNats();
const HUB = 2;

/** Servers elect, and instances start, more slowly on a busy machine. */

t.test(
  'PLACE11 with one broken link the machine that reaches both others serves every board, and the two say that they are not ready',
  { skip: skipWithout(nats) },
  async (t) => {
    const machines = await Machines.prepare(t, pathOf(nats));
    // On a busy machine a client takes a slow server for dead, and goes on with another one, which the broken link does not concern.
    const ownServer = (machine: number): Record<string, string> => ({ NATS_URL: machines.nats.urlsFrom(machine)[0] ?? '' });
    await Promise.all(machines.all.map(({ number }) => machines.startInstance(number, ownServer(number))));
    await machines.settled();
    const api = machines.api(HUB);
    const { token } = await newUser(api);
    const boards = await Promise.all(
      Array.from(
        { length: 8 },
        async (_, n) => (await api.request<{ id: string }>('POST', '/boards', { token, json: { title: `Board ${n}` } })).body.id,
      ),
    );
    const isReady = async (machine: number): Promise<boolean> => (await fetch(`${machines.service(machine).url}/ready`)).status === 200;

    machines.nats.links.cut(0, 1);
    await until(
      async () => !(await isReady(0)) && !(await isReady(1)),
      () => Promise.all(machines.all.map(({ number }) => machines.overview(number))),
    );
    t.ok(await isReady(HUB));
    await until(async () => {
      const { instances, partitions } = await machines.overview(HUB);
      return instances.find(({ url }) => url === machines.service(HUB).url)?.partitions.length === partitions.length;
    });
    // The two servers do not hear each other either, and elect several times: a change waits ten seconds, and then gets 503.
    const change = async (board: string, title: string): Promise<number> => {
      let last: unknown;
      const isAnswered = async (): Promise<number | false> => {
        const { status, body } = await api.request('PATCH', `/boards/${board}`, { token, json: { title } });
        last = body;
        return status !== 503 && status;
      };
      return until(isAnswered, () => last);
    };
    const statuses = await Promise.all(boards.flatMap((board) => Array.from({ length: 3 }, (_, n) => change(board, `Change ${n}`))));
    t.strictSame([...new Set(statuses)], [200], 'every board is served');

    machines.nats.links.heal();
    await until(async () => (await isReady(0)) && (await isReady(1)));
    await machines.settled();
    const reads = await Promise.all(boards.map((board) => machines.api(0).request<{ title: string }>('GET', `/boards/${board}`, { token })));
    for (const { status, body } of reads) t.match([status, body.title], [200, /^Change/]);
  },
);
