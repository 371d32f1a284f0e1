import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { readinessOf, type ReadinessFacts } from '../../../src/partitions/health/readiness.js';
import { WriteHealth } from '../../../src/partitions/health/writeHealth.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { Api } from '../../support/http/api.js';
import { startTestApp } from '../../support/service/app.js';
import { TestCluster } from '../../support/cluster/cluster.js';
import { logLines } from '../../support/service/logLines.js';
import { findNatsServer } from '../../support/cluster/natsServer.js';
import { skipWithout } from '../../support/service/programs.js';
import { RawConnection } from '../../support/http/rawHttp.js';
import { rawRequest } from '../../support/http/rawRequest.js';
import { ServiceProcess } from '../../support/service/serviceProcess.js';
import { smallDisk } from '../../support/store/smallDisk.js';
import { newUser } from '../../support/http/users.js';
import { until } from '../../support/until.js';

t.test('READY1 a serving service is ready and says so without a credential', async (t) => {
  const { api } = await startTestApp(t);
  const { status, body } = await api.request('GET', '/ready');
  t.equal(status, 200);
  t.strictSame(body, { detail: 'Ready' });
});

t.test('READY1 a service that is about to stop is alive and not ready', async (t) => {
  const { url, close } = await startTestApp(t);
  const busy = await RawConnection.open(url);
  const [balancer, prober] = [await RawConnection.open(url), await RawConnection.open(url)];
  const body = ['Content-Type: application/json', 'Content-Length: 20'];
  // Half a body delays the stop; the answer on the other connection proves that the service has read it.
  await busy.send(rawRequest('POST /auth/register', body, '{'));
  await balancer.send(rawRequest('GET /ready'));
  t.equal((await balancer.response()).status, 200);

  const closed = close();
  await balancer.send(rawRequest('GET /ready'));
  await prober.send(rawRequest('GET /health'));
  const draining = await balancer.response();
  t.equal(draining.status, 503);
  t.match(new Map(draining.headers).get('retry-after'), /^[1-9]\d*$/);
  t.strictSame(JSON.parse(draining.body.toString()), { detail: 'Not ready' });
  t.equal((await prober.response()).status, 200, 'it lives');

  await busy.send(' '.repeat(19));
  t.equal((await busy.response()).status, 400, 'the request in flight is answered');
  await closed;
});

// The tests wait for a full disk and held locks.

const DISK_BYTES = 12 * 1024 * 1024;
const BALLAST_STEP = Buffer.alloc(64 * 1024);

/** A service on a disk that the test can fill and empty; null where none can be mounted. */
async function startOnSmallDisk(t: Test) {
  const disk = await smallDisk(t, DISK_BYTES);
  if ('missing' in disk) {
    t.pass('a full disk', { skip: disk.missing });
    return null;
  }
  const lines = logLines();
  const app = await startTestApp(t, { DATA_DIR: join(disk.folder, 'data'), SHARDS: '2', JWT_SECRET: 'of the tests' }, lines.log);
  const ballast = join(disk.folder, 'ballast');
  const fill = async (): Promise<void> => {
    for (;;) {
      try {
        await appendFile(ballast, BALLAST_STEP);
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
        throw error;
      }
    }
  };
  const warnings = () => lines.lines().filter(({ level }) => Number(level) >= 40);
  return { app, fill, empty: () => rm(ballast), warnings };
}

/** Asks until the answer has this status. */
async function untilReady(api: Api, status: number): Promise<string> {
  const { detail } = await until(async () => {
    const answer = await api.request<{ detail: string }>('GET', '/ready');
    return answer.status === status && answer.body;
  });
  return detail;
}

t.test('READY3 with a full disk the service is not ready until there is room, and each change is one log line', async (t) => {
  const scene = await startOnSmallDisk(t);
  if (scene === null) return;
  const { app, fill, empty, warnings } = scene;
  const { token } = await newUser(app.api);
  const post = async <Body>(path: string, json: object) => app.api.request<Body>('POST', path, { token, json });
  const board = (await post<{ id: Uuid }>('/boards', { title: 'Plans' })).body.id;
  const column = (await post<{ id: Uuid }>(`/boards/${board}/columns`, { title: 'To do' })).body.id;
  const addCards = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const json = { title: 'A card', description: 'x'.repeat(9_000) };
        return (await post(`/boards/${board}/columns/${column}/cards`, json)).status;
      }),
    );
  await fill();
  const statuses: number[] = [];
  const refused = (): number => statuses.filter((status) => status === 503).length;
  const isFull = async (): Promise<boolean> => {
    statuses.push(...(await addCards(20)));
    return refused() >= 40;
  };
  await until(isFull, () => statuses);
  const { status, body, headers } = await app.api.request<{ detail: string }>('GET', '/ready');
  t.equal(status, 503);
  t.match(body.detail, /^Not ready: .*cannot write shard \d/);
  t.ok(headers.get('retry-after'));
  t.equal((await app.api.request('GET', '/health')).status, 200, 'it lives');
  t.match(warnings(), [{ msg: 'changes cannot be stored', err: { message: /could not be stored/ } }]);
  t.match(JSON.stringify(warnings()), 'database or disk is full');
  t.equal(warnings().length, 1, 'one line for all of them');

  await empty();
  t.equal(await untilReady(app.api, 200), 'Ready');
  t.strictSame(await addCards(1), [201]);
  t.match(warnings().slice(1), [{ msg: 'changes can be stored again', failures: Number, seconds: Number }]);
  t.ok(Number(warnings()[1]?.['failures']) >= refused(), 'with the number of those that failed');
  t.equal(warnings().length, 2);
});

t.test('READY3 a disk that fills up while nothing is written is noticed', async (t) => {
  const scene = await startOnSmallDisk(t);
  if (scene === null) return;
  const { app, fill, empty } = scene;
  t.equal((await app.api.request('GET', '/ready')).status, 200);
  await fill();
  t.match(await untilReady(app.api, 503), /^Not ready: the disk is full/);
  await empty();
  t.equal(await untilReady(app.api, 200), 'Ready');
});

const withoutNats = skipWithout(await findNatsServer());
t.test('READY6 an instance whose data another process holds is not ready until it gets them', { skip: withoutNats }, async (t) => {
  const cluster = await TestCluster.prepare(t);
  const { NATS_URL, ...alone } = cluster.settings;
  t.ok(NATS_URL);
  const holder = await ServiceProcess.start(alone);
  t.teardown(() => holder.kill());
  const instance = await cluster.add();
  const { status, body } = await instance.api.request('GET', '/ready');
  t.equal(status, 503);
  t.strictSame(body, { detail: 'Not ready: cannot reach directory, shards 0-7' });
  await holder.stop();
  // One after the other, and ready from the first shard on.
  await until(async () => (await untilReady(instance.api, 200)) === 'Ready');
});

t.test('READY6 an instance is ready if the directory and some shard are within reach and writable', async (t) => {
  const facts = (more: Partial<ReadinessFacts>): ReadinessFacts => ({
    partitions: ['directory', 'shard 0', 'shard 1'],
    locate: () => 'here',
    isConnected: true,
    failing: new Set(),
    isDiskFull: false,
    exclusion: null,
    withoutQuorum: null,
    ...more,
  });
  const lost =
    (...names: readonly string[]): ReadinessFacts['locate'] =>
    (name) =>
      names.includes(name) ? 'out of reach' : 'elsewhere';
  const cases: ReadonlyArray<readonly [Partial<ReadinessFacts>, boolean, string]> = [
    [{}, true, 'Ready'],
    [{ locate: () => 'moving' }, true, 'Ready'],
    [{ failing: new Set(['shard 1']) }, false, 'Not ready: cannot write shard 1'],
    [{ isDiskFull: true }, false, 'Not ready: the disk is full'],
    [{ locate: lost('directory') }, false, 'Not ready: cannot reach directory'],
    [{ locate: lost('shard 0', 'shard 1') }, false, 'Not ready: cannot reach shards 0-1'],
    // Its peers lack the same shard: sending requests elsewhere would not help.
    [{ locate: lost('shard 1') }, true, 'Ready, but cannot reach shard 1'],
    // The same while NATS is away: each instance continues with its own partitions.
    [{ isConnected: false, locate: lost('directory', 'shard 1') }, true, 'Ready, but cannot reach directory, shard 1'],
    [{ isConnected: false, locate: () => 'out of reach' }, false, 'Not ready: cannot reach directory, shards 0-1'],
  ];
  // Copies on several machines: without NATS, or on the smaller side of a network, nothing can be served.
  const replicated: typeof cases = [
    [{ withoutQuorum: [] }, true, 'Ready'],
    [{ withoutQuorum: ['shard 1'] }, true, 'Ready, but cannot reach shard 1'],
    [{ withoutQuorum: ['directory'] }, false, 'Not ready: cannot reach directory'],
    [{ withoutQuorum: ['shard 0', 'shard 1'] }, false, 'Not ready: cannot reach shards 0-1'],
    [{ withoutQuorum: [], isConnected: false, locate: lost('directory', 'shard 1') }, false, 'Not ready: cannot reach directory, shard 1'],
  ];
  for (const [more, isReady, detail] of [...cases, ...replicated]) t.strictSame(readinessOf(facts(more)), { isReady, detail }, detail);
});

t.test('READY3 a partition with occasional failures is reported once, until it had none for three seconds', async (t) => {
  const sent: object[] = [];
  let time = 0;
  let isBroken = true;
  const health = new WriteHealth({
    send: (message) => void sent.push(message),
    probe: () => {
      if (isBroken) throw new Error('full');
      return 'works';
    },
    now: () => time,
  });
  t.teardown(() => health.release('shard 1'));
  const error = new Error('full');
  for (let failure = 0; failure < 3; failure += 1) health.failed('shard 1', error);
  health.probeAll();
  t.strictSame(sent.splice(0), [{ kind: 'failing', partition: 'shard 1', error }], 'four failures, one message');
  isBroken = false;
  time = 2_999;
  health.probeAll();
  t.strictSame(sent, [], 'not yet');
  health.failed('shard 1', error);
  time = 5_998;
  health.probeAll();
  t.strictSame(sent, [], 'it failed again meanwhile');
  time = 5_999;
  health.probeAll();
  t.strictSame(sent.splice(0), [{ kind: 'working', partition: 'shard 1', failures: 5 }]);
  health.failed('shard 1', error);
  health.release('shard 1');
  health.release('shard 1');
  t.match(sent, [{ kind: 'failing' }, { kind: 'released', failures: 1 }]);
  t.equal(sent.length, 2);
});
