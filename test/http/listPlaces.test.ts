/** Lists are assembled in the I/O thread: what many requests for them hold at once. */
import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import { boardOperations } from '../../src/api/operations/boards/boards.js';
import { keyOperations } from '../../src/api/operations/accounts/keys.js';
import { ALWAYS_ROOM } from '../../src/partitions/cache/largeAnswers.js';
import { ListPlaces } from '../../src/partitions/cache/listPlaces.js';
import type { DirectoryPort } from '../../src/domain/commands/directoryCommands.js';
import type { BoardAnswer } from '../../src/domain/ports/boardsPort.js';
import { startEdge } from '../support/http/edge.js';

const [attacker, victim] = [randomUUID(), randomUUID()];

interface Boards {
  readonly count: number;
  readonly description: string;
}

/** An edge whose boards answer in the next turn, or when the test says so, and count what they have answered. */
async function startBoards(t: Test, of: Readonly<Record<string, Boards>>) {
  const ids = new Map(Object.entries(of).map(([user, { count }]) => [user, Array.from({ length: count }, () => randomUUID())]));
  const asks = { underWay: 0, most: 0, held: null as Promise<void> | null };
  const directory = {
    ask: async (op: string, input: { id: string; user_id: string; limit: number; offset: number }) => {
      if (op === 'membership.list') return ids.get(input.user_id)?.slice(input.offset, input.offset + input.limit);
      if (op === 'key.list') return counted(async () => []);
      return { id: input.id, is_active: true };
    },
  } as unknown as DirectoryPort;
  const counted = async <Value>(value: () => Promise<Value>): Promise<Value> => {
    asks.underWay += 1;
    asks.most = Math.max(asks.most, asks.underWay);
    await new Promise(setImmediate);
    const answer = await value();
    asks.underWay -= 1;
    return answer;
  };
  const ask = ({ target, caller }: { target: string; caller: 'system' | { user_id: string } }): Promise<BoardAnswer> =>
    counted(async () => {
      const user = caller === 'system' ? '' : caller.user_id;
      if (user === attacker) await asks.held;
      return { ok: true, json: JSON.stringify({ id: target, description: of[user]?.description }) };
    });
  const { url, tokens } = await startEdge(t, [...boardOperations, ...keyOperations], { directory, boards: { ask } });
  const request = async (user: string, path: string): Promise<Response> =>
    fetch(url + path, { headers: { authorization: `Bearer ${await tokens.issue(user)}` } });
  return { asks, ids, request };
}

/** The ids in all pages, as a client follows them. */
async function readAll(request: (path: string) => Promise<Response>): Promise<{ ids: string[]; sizes: number[] }> {
  const [ids, sizes]: [string[], number[]] = [[], []];
  for (let path: string | undefined = '/boards'; path !== undefined;) {
    const response = await request(path);
    const text = await response.text();
    ids.push(...(JSON.parse(text) as Array<{ id: string }>).map(({ id }) => id));
    sizes.push(Buffer.byteLength(text));
    const next: string | undefined = /^<(\?.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
    path = next && `/boards${next}`;
  }
  return { ids, sizes };
}

t.test('HOSTILE24 of many parallel lists of one user a few are begun, and all are answered', async (t) => {
  const { asks, ids, request } = await startBoards(t, { [attacker]: { count: 60, description: 'x'.repeat(8_000) } });
  const lists = await Promise.all(Array.from({ length: 60 }, () => request(attacker, '/boards')));
  for (const list of lists) {
    t.equal(list.status, 200);
    t.strictSame(
      ((await list.json()) as Array<{ id: string }>).map(({ id }) => id),
      ids.get(attacker),
    );
  }
  t.ok(asks.most <= 5 * 32, `${asks.most} boards were asked at once`);
});

t.test('HOSTILE24 a user with hundreds of lists under way gets 429 for more', async (t) => {
  const places = new ListPlaces(ALWAYS_ROOM);
  let release = (): void => undefined;
  const held = new Promise<string>((resolve) => (release = () => resolve('list')));
  const underWay = Array.from({ length: 256 }, () => places.small(attacker, () => held));
  const refusal = { code: 'too_many', detail: 'Too many lists at once: a user may request 256' };
  await t.rejects(
    places.small(attacker, () => held),
    refusal,
  );
  await t.rejects(
    places.sized(
      attacker,
      () => held,
      () => held,
    ),
    refusal,
  );
  t.equal(await places.small(victim, async () => 'other'), 'other', 'other users get theirs');
  release();
  t.strictSame(new Set(await Promise.all(underWay)), new Set(['list']));
  t.equal(await places.small(attacker, () => held), 'list', 'afterwards there are places again');
});

t.test('HOSTILE24 a page is measured in bytes, not in characters', async (t) => {
  const { ids, request } = await startBoards(t, { [victim]: { count: 300, description: '語'.repeat(10_000) } });
  const read = await readAll((path) => request(victim, path));
  t.strictSame(read.ids, ids.get(victim));
  t.ok(
    read.sizes.every((size) => size < 8.1 * 1024 * 1024),
    `pages of ${read.sizes.join(' and ')} bytes`,
  );
});

t.test('HOSTILE24 another user gets lists while those of an attacker do not end', async (t) => {
  const own = { count: 100, description: 'x'.repeat(8_000) };
  const { asks, ids, request } = await startBoards(t, { [attacker]: own, [victim]: own });
  let release = (): void => undefined;
  asks.held = new Promise((resolve) => (release = resolve));
  const attack = Array.from({ length: 100 }, () => request(attacker, '/boards'));
  t.strictSame((await readAll((path) => request(victim, path))).ids, ids.get(victim), 'a large one');
  t.equal((await request(victim, '/boards?limit=2')).status, 200, 'a small one');
  t.ok(asks.most <= 4 + 32, `${asks.most} boards were asked at once`);
  release();
  for (const list of await Promise.all(attack)) await list.arrayBuffer();
});

t.test('HOSTILE24 a small list waits for no large one of the same user', async (t) => {
  const places = new ListPlaces(ALWAYS_ROOM);
  let finish = (): void => undefined;
  const large = places.sized(
    victim,
    async () => null,
    () => new Promise<string>((resolve) => (finish = () => resolve('large'))),
  );
  for (let n = 0; n < 20; n += 1)
    void places
      .sized(
        victim,
        async () => null,
        async () => 'later',
      )
      .catch(t.fail);
  t.equal(
    await places.sized(
      victim,
      async () => 'small',
      async () => 'large',
    ),
    'small',
  );
  finish();
  t.equal(await large, 'large');
});

t.test('HOSTILE24 a user’s parallel lists of keys are made a few at a time', async (t) => {
  const { asks, request } = await startBoards(t, {});
  const lists = await Promise.all(Array.from({ length: 50 }, () => request(attacker, '/auth/keys')));
  for (const list of lists) t.strictSame(await list.json(), []);
  t.ok(asks.most <= 4, `${asks.most} at once`);
});
