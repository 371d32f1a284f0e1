/** What operators see when most NATS servers are gone. */
import t from 'tap';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { newUser } from '../support/http/users.js';
import { runProgram } from '../support/service/program.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findClusterNats();

/** How long a request may wait, and what a busy machine adds to that. */
const MAX_WAIT_MS = 10_000 + 4_000;
/** From the loss of the quorum; the lease ends, and remembered users are forgotten, in the meantime. */
const SENT_AT_MS = [0, 500, 1_000, 2_000, 3_000, 5_000, 8_000, 12_000];

interface Wait {
  readonly request: string;
  readonly status: number;
  readonly milliseconds: number;
}

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

t.test(
  'HTTP27 without a quorum no request waits longer than ten seconds, however many parts of the data it needs',
  { skip: skipWithout(nats) },
  async (t) => {
    const machines = await Machines.prepare(t, pathOf(nats));
    await machines.startInstance(0);
    const api = machines.api(0);
    const owner = await newUser(api);
    const guest = await newUser(api);
    const create = async (path: string, json: object): Promise<string> => {
      const { status, body } = await api.request<{ id: string }>('POST', path, { token: owner.token, json });
      t.equal(status, 201);
      return body.id;
    };
    const board = await create('/boards', { title: 'Board' });
    const column = await create(`/boards/${board}/columns`, { title: 'Column' });
    const requests: ReadonlyArray<readonly [method: string, path: string, json?: object]> = [
      ['GET', '/auth/me'],
      ['GET', '/boards'],
      ['GET', `/boards/${board}`],
      ['POST', `/boards/${board}/columns/${column}/cards`, { title: 'Card' }],
      ['POST', `/boards/${board}/invite`, { user_id: guest.id }],
      ['POST', '/boards', { title: 'Another' }],
    ];
    await Promise.all([machines.nats.kill(1), machines.nats.kill(2)]);
    const waits: Wait[] = [];
    const send = async ([method, path, json]: (typeof requests)[number]): Promise<void> => {
      const startedAt = performance.now();
      const response = await fetch(api.url + path, {
        method,
        headers: { authorization: `Bearer ${owner.token}`, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      await response.arrayBuffer();
      waits.push({ request: `${method} ${path}`, status: response.status, milliseconds: Math.round(performance.now() - startedAt) });
    };
    await Promise.all(
      SENT_AT_MS.map(async (milliseconds) => {
        await new Promise((resolve) => setTimeout(resolve, milliseconds));
        await Promise.all(requests.map(send));
      }),
    );
    t.equal(waits.length, SENT_AT_MS.length * requests.length);
    t.strictSame(
      waits.filter(({ milliseconds }) => milliseconds > MAX_WAIT_MS),
      [],
      'none waits longer',
    );
    const answers = new Set(waits.map(({ request, status }) => `${request.split(' ')[0]} ${status}`));
    t.strictSame([...answers].sort(), ['GET 200', 'GET 503', 'POST 503'], 'reads under the lease are answered, everything else is told to come back');
    t.comment(
      JSON.stringify(Object.fromEntries(requests.map(([method, path]) => [`${method} ${path.split('/')[1]}`, longest(waits, `${method} ${path}`)]))),
    );
  },
);

function longest(waits: readonly Wait[], request: string): number {
  return Math.max(...waits.filter((wait) => wait.request === request).map(({ milliseconds }) => milliseconds));
}
