import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import t from 'tap';
import { RunningDirectory } from '../support/store/runningDirectory.js';
import { temporaryFolder } from '../support/store/folder.js';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { parsePrometheus } from '../support/service/prometheusText.js';
import { newRegistration, register } from '../support/http/users.js';

const METRICS_TOKEN = 'for-prometheus-alone';
const JSON_BODY = { 'content-type': 'application/json' };
const FORM_BODY = { 'content-type': 'application/x-www-form-urlencoded' };

/** The number of hashing threads, as the service computes it. */
const PASSWORD_THREADS = Math.min(4, Math.max(1, availableParallelism() - 1));

/** One is under way; others may end while the counts are read, more of them on a busy machine. */
const MAX_BETWEEN = IS_LONG_FORM ? 5 : 8;

/** From the service's own metrics: a busy test gets answers late. */
async function searchesAnswered({ url }: AttackedService): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const { samples = [] } = parsePrometheus(await response.text()).get('switchboard_requests_total') ?? {};
  const searches = samples.filter(({ labels }) => labels['operation'] === 'users.search' && labels['status'] === '200');
  return searches.reduce((sum, { value }) => sum + value, 0);
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
  const attacked = await AttackedService.start(t, { DATA_DIR: dataDir, METRICS_TOKEN });
  const headers = { authorization: `Bearer ${attacked.bystander.token}` };
  const damage = await attacked.suffer(t, async () => {
    const flood = Array.from({ length: 200 }, async (_, index) => {
      const { status } = await attacked.send('GET', `/users?search=nobody-${index}`);
      return status;
    });
    await Promise.race(flood);
    for (let count = 0; count < 3; count += 1) {
      const before = await searchesAnswered(attacked);
      const found = await fetch(`${attacked.url}/users/${attacked.attacker.id}`, { headers });
      const between = (await searchesAnswered(attacked)) - before;
      t.equal(found.status, 200);
      t.ok(between <= MAX_BETWEEN, `${between} searches were answered meanwhile`);
    }
    const statuses = await Promise.all(flood);
    const searched = statuses.filter((status) => status === 200).length;
    t.equal(searched + statuses.filter((status) => status === 429).length, 200);
    t.ok(searched >= 16, `${searched} searches were answered`);
    t.equal(await searchesAnswered(attacked), searched);
  });
  await expectUnharmed(t, attacked, damage);
});
