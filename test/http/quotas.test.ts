import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ImportTurns } from '../../src/api/importTurns.js';
import { answer, operation, type Quota } from '../../src/api/operation/operation.js';
import { operations } from '../../src/api/operations/table.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import { AppError } from '../../src/domain/errors.js';
import { Quotas, type Release } from '../../src/http/quotas.js';
import { testConfig } from '../support/service/app.js';
import { startEdge } from '../support/http/edge.js';
import { rejectionOf } from '../support/rejection.js';

/** With the default settings: how many of a user's may be under way, and how a refusal names that. */
const LIMITS: Readonly<Record<Quota, readonly [number, string]>> = {
  upload: [16, 'Too many uploads at once: a user may run 16'],
  import: [2, 'Too many imports at once: a user may run 2'],
  export: [4, 'Too many exports at once: a user may run 4'],
  search: [16, 'Too many searches at once: a user may run 16'],
};
const QUOTAS = Object.keys(LIMITS) as Quota[];

/** Every user exists. */
const everyone = {
  ask: (_op: string, { id }: { id: string }) => Promise.resolve({ id, is_active: true }),
} as unknown as DirectoryPort;

/** One operation for each quota, which answers when the test says so. */
async function startQuotaEdge(t: Test) {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const edge = await startEdge(
    t,
    QUOTAS.map((quota) =>
      operation({
        name: quota,
        method: 'POST',
        path: `/${quota}`,
        access: 'user',
        quota,
        tag: 'Test',
        summary: quota,
        success: { status: 200, description: 'Done' },
        async handle() {
          await opened;
          return answer({});
        },
      }),
    ),
    { directory: everyone },
  );
  const newToken = (): Promise<string> => edge.tokens.issue(randomUUID());
  const call = (quota: Quota, token: string): Promise<Response> =>
    fetch(`${edge.url}/${quota}`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  return { open, call, newToken };
}

t.test('LIMIT11 a user has a bounded number of uploads, imports, exports and searches under way', async (t) => {
  const declared = operations.flatMap(({ name, quota }) => (quota === undefined ? [] : [[name, quota]]));
  t.strictSame(Object.fromEntries(declared), {
    'admin.audit': 'search',
    'attachment.create': 'upload',
    'commentFile.create': 'upload',
    'board.import': 'import',
    'board.export': 'export',
    'board.copy': 'import',
    'card.copy': 'upload',
    'users.search': 'search',
    'admin.listUsers': 'search',
  });
  const { open, call, newToken } = await startQuotaEdge(t);
  const allowed: Promise<Response>[] = [];
  for (const quota of QUOTAS) {
    const [limit, detail] = LIMITS[quota];
    const token = await newToken();
    const calls = Array.from({ length: limit + 1 }, () => call(quota, token));
    // All but one are answered later.
    const [refused, index] = await Promise.race(calls.map(async (each, place) => [await each, place] as const));
    t.strictSame([refused.status, await refused.json()], [429, { detail }], quota);
    t.equal(refused.headers.get('retry-after'), '1');
    allowed.push(...calls.filter((_call, place) => place !== index), call(quota, await newToken()));
  }
  open();
  const statuses = (await Promise.all(allowed)).map(({ status }) => status);
  t.ok(
    statuses.every((status) => status === 200),
    'the others, and another user, are served',
  );
});

t.test('LIMIT11 every answer frees a place', async (t) => {
  const { open, call, newToken } = await startQuotaEdge(t);
  open();
  const token = await newToken();
  for (let count = 0; count < 10; count += 1) t.equal((await call('import', token)).status, 200);
});

t.test('LIMIT11 searches run one after another, and users take turns', async (t) => {
  const quotas = new Quotas(testConfig({}));
  const order: string[] = [];
  const search = async (name: string, user: string): Promise<Release> => {
    const release = await quotas.take('search', user);
    order.push(name);
    return release;
  };
  const searches = [search('a1', 'a'), search('a2', 'a'), search('a3', 'a'), search('b1', 'b')];
  const releases: Release[] = [];
  for (const place of [0, 1, 3, 2]) {
    releases.push(await (searches[place] ?? Promise.reject(new Error('no such search'))));
    t.equal(order.length, releases.length, 'one at a time');
    releases.at(-1)?.();
  }
  t.strictSame(order, ['a1', 'a2', 'b1', 'a3']);
});

t.test('LIMIT11 at most a thousand searches wait, and the user with the most makes room', async (t) => {
  const quotas = new Quotas(testConfig({ MAX_SEARCHES_PER_USER: '2000' }));
  const first = await quotas.take('search', 'a');
  const crowd = Array.from({ length: 1000 }, () => Promise.resolve(quotas.take('search', 'a')));
  const refused = rejectionOf(crowd.at(-1) ?? Promise.resolve());
  const other = Promise.resolve(quotas.take('search', 'b'));
  t.match(await refused, { code: 'unavailable', detail: 'Too many searches at once: 1000 may wait' });
  first();
  (await crowd[0])?.();
  (await other)();
});

t.test('LIMIT11 a bounded number of imports work at once, users take turns, and a refused document leaves the line', async (t) => {
  const turns = new ImportTurns(testConfig({ MAX_IMPORTS: '2' }));
  const order: string[] = [];
  const ends = new Map<string, () => void>();
  const refusals = new Map<string, (reason: Error) => void>();
  const run = (name: string, bytes: number): Promise<string> => {
    const memory = { keep: () => undefined, onRefused: (listener: (reason: Error) => void) => refusals.set(name, listener) };
    const document = { memory, receive: () => Promise.reject(new Error('it has arrived')) };
    return turns.run(name.slice(0, 1), bytes, document, async () => {
      order.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    });
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await nextTurn();
  };
  const [small, large] = [1_000, 2 * 1024 * 1024];
  const first = [run('a1', small), run('a2', small), run('a3', small), run('b1', small), run('c1', small)];
  const documents = [run('d1', large), run('e1', large)];
  t.strictSame(order, ['a1', 'a2', 'd1'], 'one large document at a time, which keeps no small one waiting');
  const reason = new AppError('unavailable', 'The memory is needed');
  const refused = rejectionOf(first[3] ?? Promise.resolve());
  refusals.get('b1')?.(reason);
  t.equal(await refused, reason);
  await end('a1');
  t.strictSame(order.slice(3), ['a3'], 'a was served before c came');
  await end('a2');
  t.strictSame(order.slice(4), ['c1']);
  await end('d1');
  t.strictSame(order.slice(5), ['e1']);
  for (const name of ['a3', 'c1', 'e1']) await end(name);
  const done = await Promise.all([...first.filter((_import, place) => place !== 3), ...documents]);
  t.strictSame(done, ['a1', 'a2', 'a3', 'c1', 'd1', 'e1']);
});
