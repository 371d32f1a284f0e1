/** Clients that send slowly, or more than others. */
import t from 'tap';
import { send, startWorld, type World } from '../support/board/boardWorld.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { RawConnection } from '../support/http/rawHttp.js';

const MEGABYTE = 1_000_000;

/** The tests run one after another and share it. */
const shared = startWorld(t);

/** A request whose body lacks its last byte. */
async function sendMost({ app }: World, { token }: TestUser, request: string, body: string): Promise<RawConnection> {
  const connection = await RawConnection.open(app.url);
  const lines = ['Host: test', `Authorization: Bearer ${token}`, 'Content-Type: application/json'];
  await connection.send(`${request} HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n`);
  await connection.send(body.slice(0, -1));
  return connection;
}

/** Resolves when the service has read what was sent before. */
async function readByNow(world: World): Promise<void> {
  for (let n = 0; n < 3; n += 1) await send(world, world.owner, 'GET /auth/me');
}

t.test('HOSTILE30 four accounts whose imports do not end keep no other user from importing', async (t) => {
  const world = await shared;
  const victim = await newUser(world.api);
  const document = JSON.stringify({ format: 'switchboard-board', version: 1, title: 'Board' });
  const users = [world.owner, world.member, world.helper, world.stranger];
  const slow = await Promise.all([...users, ...users].map((user) => sendMost(world, user, 'POST /boards/import', document)));
  t.teardown(() => slow.forEach((connection) => connection.close()));
  await readByNow(world);
  t.match(await send(world, victim, 'POST /boards/import', JSON.parse(document)), { board: { title: 'Board' } });
  await Promise.all(slow.map((connection) => connection.send('}')));
  const statuses = await Promise.all(slow.map(async (connection) => (await connection.response()).status));
  t.strictSame(
    statuses,
    users.flatMap(() => [201, 201]),
    'the slow ones succeed as well',
  );
});

t.test('HOSTILE30 a large body waits for one of each other caller, not for all of them', async (t) => {
  const world = await shared;
  const { id: board } = await send<{ id: string }>(world, world.owner, 'POST /boards', { title: 'Board' });
  const { id: column } = await send<{ id: string }>(world, world.owner, `POST /boards/${board}/columns`, { title: 'To do' });
  const body = `{"title":${JSON.stringify('x'.repeat(MEGABYTE - 100))}}`;
  const flood = await Promise.all(Array.from({ length: 40 }, () => sendMost(world, world.stranger, 'POST /boards', body)));
  t.teardown(() => flood.forEach((connection) => connection.close()));
  await readByNow(world);
  let answered = 0;
  const answers = flood.map(async (connection) => {
    await connection.send('}');
    const { status } = await connection.response();
    answered += 1;
    return status;
  });
  const card = { title: 'Work', description: 'y'.repeat(9_000), unknown: 'z'.repeat(32_000) };
  await send(world, world.owner, `POST /boards/${board}/columns/${column}/cards`, card);
  t.ok(answered < 20, `${answered} of 40 earlier bodies were answered before`);
  t.strictSame(new Set(await Promise.all(answers)), new Set([422]));
});

t.test('HOSTILE30 slow bodies are kept within 64 MiB, and the caller with the most loses some', async (t) => {
  const world = await shared;
  const body = (bytes: number): string => `{"title":${JSON.stringify('x'.repeat(bytes))}}`;
  const own = await sendMost(world, world.owner, 'POST /boards', body(200_000));
  const slow = await Promise.all(Array.from({ length: 72 }, () => sendMost(world, world.stranger, 'POST /boards', body(MEGABYTE))));
  t.teardown(() => [own, ...slow].forEach((connection) => connection.close()));
  await readByNow(world);
  const statuses: number[] = [];
  // One after another: of complete bodies only some may wait.
  for (const connection of [own, ...slow]) {
    await connection.send('}');
    statuses.push((await connection.response()).status);
  }
  t.equal(statuses.shift(), 422, 'another caller loses none');
  const refused = statuses.filter((status) => status === 503).length;
  t.ok(refused >= 5 && refused < 20, `${refused} of 72 megabytes are refused`);
  t.equal(statuses.filter((status) => status === 422).length, 72 - refused);
});

t.test('COMMIT13 the boards of all shards together stay within the memory budget', async (t) => {
  const BUDGET_BYTES = 8_000_000;
  const token = 'for-this-test-alone';
  const world = await startWorld(t, { BOARD_MEMORY_BYTES: String(BUDGET_BYTES), METRICS_TOKEN: token, SHARDS: '16' });
  const cards = Array.from({ length: 250 }, (_, n) => ({ title: `Card ${n}`, description: 'x'.repeat(3_000) }));
  const document = { format: 'switchboard-board', version: 1, title: 'Board', columns: [{ id: 'c', title: 'All', cards }] };
  for (let n = 0; n < 8; n += 1) {
    const { board } = await send<{ board: { id: string } }>(world, world.owner, 'POST /boards/import', document);
    await send(world, world.owner, `GET /boards/${board.id}`);
  }
  const metrics = await (await fetch(`${world.app.url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
  const bytes = Number(/^switchboard_active_board_bytes (\S+)$/m.exec(metrics)?.[1]);
  t.ok(bytes > 1_000_000 && bytes <= BUDGET_BYTES, `${bytes} bytes of boards are in memory`);
});
