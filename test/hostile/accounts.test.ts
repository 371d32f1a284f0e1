import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import t from 'tap';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { temporaryFolder } from '../support/store/folder.js';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { until } from '../support/until.js';
import { newRegistration, register } from '../support/http/users.js';

const JSON_BODY = { 'content-type': 'application/json' };
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' };

/** The number of hashing threads, as the service computes it. */
const PASSWORD_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));

/** One is under way when a request comes, and few others go before it. */
const MAX_BETWEEN = 5;

/** What the service says of a request when it has answered it. */
interface Answered {
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Of the answer. */
  readonly time: number;
}

/** From the service's own log: a busy test gets answers late. */
function answersTo({ service }: AttackedService, path: string): Answered[] {
  const lines = service.log.filter(({ msg }) => msg === 'answered') as unknown as Answered[];
  return lines.filter((line) => line.path === path && line.status === 200);
}

t.test('HOSTILE40 registrations from one address do not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  // Without flushes: those who wait for a slow disk are answered together, whatever their order was.
  const attacked = await AttackedService.start(t, { DURABILITY: 'normal' });
  const { email, password } = await register(attacked.api);
  let answered = 0;
  const damage = await attacked.suffer(t, async () => {
    const flood = Array.from({ length: 200 }, async () => {
      const body = JSON.stringify(newRegistration());
      // A proxy on this machine is trusted, so a test can use any address.
      const headers = { ...JSON_BODY, 'x-forwarded-for': '203.0.113.1' };
      const { status } = await fetch(`${attacked.url}/auth/register`, { method: 'POST', headers, body });
      answered += 1;
      return status;
    });
    // The first refusals come at once: by then every place in the queue is taken.
    await Promise.race(flood);
    const overtaken: number[] = [];
    for (let count = 0; count < 6; count += 1) {
      const before = answered;
      const headers = { ...FORM_BODY, 'x-forwarded-for': `192.0.2.${count}` };
      const body = String(new URLSearchParams({ username: email, password }));
      const login = await fetch(`${attacked.url}/auth/login`, { method: 'POST', headers, body });
      t.equal(login.status, 200);
      if (count > 0) overtaken.push(answered - before);
    }
    // Some are answered while a login is on its way to the service, so one figure alone says little.
    const ascending = overtaken.toSorted((a, b) => a - b);
    const [middle = Infinity, most = Infinity] = [ascending[2], ascending.at(-1)];
    t.ok(middle <= 2 * PASSWORD_THREADS && most <= 4 * PASSWORD_THREADS, `${overtaken.join(', ')} went before it`);
    const statuses = await Promise.all(flood);
    const made = statuses.filter((status) => status === 201).length;
    t.ok(made >= 100, `${made} were registered`);
    t.equal(made + statuses.filter((status) => status === 429).length, 200, 'the others are refused until later');
  });
  await expectUnharmed(t, attacked, damage);
});

t.test('HOSTILE40 searches through all users do not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const dataDir = await temporaryFolder(t);
  const directory = new RunningDirectory({ dataDir, durability: 'normal', onError: () => undefined });
  const now = new Date().toISOString();
  directory.runNow(
    Array.from({ length: 20_000 }, (_, index) => ({
      op: 'user.create' as const,
      input: {
        id: randomUUID(),
        email: `person-${index}@example.org`,
        username: `person-${index}`,
        hashed_password: 'none',
        firstname: null,
        lastname: null,
        is_superuser: false,
        now,
      },
    })),
  );
  directory.close();
  const attacked = await AttackedService.start(t, { DATA_DIR: dataDir, LOG_LEVEL: 'debug' });
  const headers = { authorization: `Bearer ${attacked.bystander.token}` };
  const path = `/users/${attacked.attacker.id}`;
  const damage = await attacked.suffer(t, async () => {
    const flood = Array.from({ length: 200 }, async (_, index) => {
      const { status } = await attacked.send('GET', `/users?search=nobody-${index}`);
      return status;
    });
    await Promise.race(flood);
    for (let count = 0; count < 3; count += 1) t.equal((await fetch(attacked.url + path, { headers })).status, 200);
    const statuses = await Promise.all(flood);
    const searched = statuses.filter((status) => status === 200).length;
    t.equal(searched + statuses.filter((status) => status === 429).length, 200);
    t.ok(searched >= 16, `${searched} searches were answered`);
    const searches = await until(() => (answersTo(attacked, '/users').length === searched ? answersTo(attacked, '/users') : null));
    for (const { time, milliseconds } of answersTo(attacked, path)) {
      const between = searches.filter((search) => search.time > time - milliseconds && search.time < time).length;
      t.ok(between <= MAX_BETWEEN, `${between} searches were answered meanwhile`);
    }
    t.equal(answersTo(attacked, path).length, 3);
  });
  await expectUnharmed(t, attacked, damage);
});
