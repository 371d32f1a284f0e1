/** Three machines: an instance and a nats-server each, with copies of everything. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import type { ApiResponse } from '../support/http/api.js';
import { newUser } from '../support/http/users.js';
import { Machines } from '../support/cluster/machines.js';
import { until } from '../support/until.js';
import { findClusterNats } from '../support/cluster/natsServer.js';
import { ALLOWED, HookScene } from '../support/webhooks/hookScene.js';
import { Receiver } from '../support/webhooks/receiver.js';
import { skipFile } from '../support/runner/skippedFile.js';
import { pathOf, skipWithout } from '../support/service/programs.js';

const nats = await findClusterNats();
const skip = skipWithout(nats);
if (skip !== false) skipFile('REPLICA2, IDEM29 and HOOK1', skip);

// One cluster for all: each test kills machine 0, and the next one begins with the whole cluster again.
const machines = await Machines.start(t, pathOf(nats), ALLOWED);

async function whole(): Promise<void> {
  if (!machines.service(0).isRunning) await machines.startInstance(0);
  await machines.settled();
}

t.test('REPLICA2 every machine serves every board, and all survive the loss of one', async (t) => {
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
    // An answer waits two seconds at most for the list of the user.
    const { body } = await until(async () => {
      const answer = await api.request<unknown[]>('GET', '/boards', { token });
      return answer.status === 200 && answer.body.length >= boards.length && answer;
    });
    t.equal(body.length, boards.length, 'another machine shows them');
  }
  const { body: column } = await second.request<{ id: string }>('POST', `/boards/${boards[0]}/columns`, { token, json: { title: 'To do' } });
  const cards = `/boards/${boards[0]}/columns/${column.id}/cards`;
  const { body: card } = await third.request<{ id: string }>('POST', cards, { token, json: { title: 'With a file' } });
  const file = randomBytes(3_000_000);
  const form = new FormData();
  form.set('file', new Blob([file]), 'large.bin');
  const uploaded = await second.request<{ id: string }>('POST', `/cards/${card.id}/attachments`, { token, body: form });
  t.equal(uploaded.status, 201, 'a file is uploaded through any machine');
  await machines.service(0).kill();
  const killedAt = performance.now();
  for (const id of boards) {
    await until(async () => (await second.request('PATCH', `/boards/${id}`, { token, json: { title: 'Changed' } })).status === 200);
  }
  t.comment(`all boards were written again after ${Math.round(performance.now() - killedAt)} ms`);
  for (const id of boards) {
    t.match(await third.request('GET', `/boards/${id}`, { token }), { status: 200, body: { title: 'Changed' } });
  }
  for (const api of [second, third]) {
    const { status, body } = await api.request<Uint8Array>('GET', `/attachments/${uploaded.body.id}`, { token });
    t.ok(status === 200 && Buffer.from(body).equals(file), 'and every machine has all of it');
  }
  await machines.startInstance(0);
  t.match(await machines.api(0).request('GET', `/boards/${boards[0]}`, { token }), { status: 200, body: { title: 'Changed' } });
});

t.test('IDEM29 kept answers are on every machine: after the loss of one, repeated requests get them', async (t) => {
  await whole();
  const { token } = await newUser(machines.api(0));
  const keys = Array.from({ length: 8 }, (_, n) => `board-${n}`);
  const create = (through: number, key: string): Promise<ApiResponse<{ id: string }>> =>
    machines.api(through).request('POST', '/boards', { token, json: { title: 'Once' }, headers: { 'idempotency-key': key } });
  const rename = (through: number): Promise<ApiResponse> =>
    machines.api(through).request('PATCH', '/auth/me', { token, json: { firstname: 'Ann' }, headers: { 'idempotency-key': 'name' } });
  const first = await Promise.all(keys.map((key, n) => create(n % 3, key)));
  t.strictSame([...new Set(first.map(({ status }) => status))], [201]);
  t.equal((await rename(0)).status, 200);
  await machines.service(0).kill();
  for (const [n, key] of keys.entries()) {
    // Until the boards of the lost machine have an owner.
    const again = await until(async () => {
      const answer = await create(1 + (n % 2), key);
      return answer.status === 201 && answer;
    });
    t.strictSame([again.body, again.headers.get('idempotency-replayed')], [first[n]?.body, 'true'], key);
  }
  t.equal((await until(async () => (await rename(1)).status === 200 && rename(2))).headers.get('idempotency-replayed'), 'true');
  t.equal((await machines.api(2).request<unknown[]>('GET', '/boards', { token })).body.length, keys.length);
});

t.test('IDEM29 a batch with a key that was carried out on a lost machine is answered by the next owner, and happens once', async (t) => {
  await whole();
  const { token } = await newUser(machines.api(0));
  // Enough boards that the lost machine owns some.
  const boards = await Promise.all(
    Array.from(
      { length: 8 },
      async () => (await machines.api(0).request<{ id: string }>('POST', '/boards', { token, json: { title: 'Plans' } })).body.id,
    ),
  );
  type Batched = { readonly answers: ReadonlyArray<{ readonly body: { readonly id: string } }> };
  const send = (through: number, board: string): Promise<ApiResponse<Batched>> => {
    const operations = [
      { method: 'POST', path: `/boards/${board}/columns`, body: { title: 'To do' } },
      { method: 'POST', path: `/boards/${board}/columns/$0.id/cards`, body: { title: 'Call Ann' } },
    ];
    return machines.api(through).request('POST', `/boards/${board}/batch`, { token, json: { operations }, headers: { 'idempotency-key': board } });
  };
  const first = await Promise.all(boards.map((board, n) => send(n % 3, board)));
  t.strictSame([...new Set(first.map(({ status }) => status))], [200]);
  await machines.service(0).kill();
  for (const [n, board] of boards.entries()) {
    const again = await until(async () => {
      const answer = await send(1 + (n % 2), board);
      return answer.status === 200 && answer;
    });
    t.strictSame([again.body, again.headers.get('idempotency-replayed')], [first[n]?.body, 'true']);
    const [column, card] = again.body.answers.map(({ body }) => body.id);
    const { body } = await machines.api(2).request('GET', `/boards/${board}`, { token });
    t.match(body, { columns: [{ id: column, cards: [{ id: card }] }] });
    t.equal((body as { columns: Array<{ cards: unknown[] }> }).columns.flatMap(({ cards }) => [...cards, 1]).length, 2, 'one column with one card');
  }
});

t.test('HOOK1 with copies on machines, the next owner goes on with deliveries, without a gap and in order', async (t) => {
  await whole();
  const receiver = await Receiver.start(t);
  // Slower than the changes, so that some are under way when the machine is lost.
  receiver.behaviour = (response) => setTimeout(() => response.writeHead(204).end(), 30);
  // Enough boards that the lost machine owns some.
  const scenes: HookScene[] = [];
  for (let n = 0; n < 6; n += 1) scenes.push(await HookScene.on(machines.api(0)));
  for (const scene of scenes) await scene.hook({ url: receiver.url });
  const changes = 12;
  for (let n = 1; n < changes; n += 1) await Promise.all(scenes.map((scene) => scene.rename(`Title ${n}`)));
  await receiver.until(({ length }) => length >= 10);
  await machines.service(0).kill();
  for (const { owner, boardId } of scenes) {
    const json = { title: 'The last' };
    await until(async () => (await machines.api(1).request('PATCH', `/boards/${boardId}`, { token: owner.token, json })).status === 200);
  }
  const seqsOf = (boardId: string): number[] => receiver.all.filter(({ body }) => body.board_id === boardId).map(({ body }) => body.seq);
  for (const { boardId } of scenes) {
    await receiver.until(() => seqsOf(boardId).includes(changes));
    const firsts = seqsOf(boardId).filter((seq, index, all) => all.indexOf(seq) === index);
    t.strictSame(
      firsts,
      Array.from({ length: changes }, (_, index) => index + 1),
      'every event, and none before an earlier one',
    );
  }
});
