/** Requests with a key through several instances. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { ApiRequest, ApiResponse } from '../support/http/api.js';
import { first, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { boardOwnedBy, titlesOn } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { fileForm } from '../support/board/populatedBoard.js';
import { skipWithout } from '../support/service/programs.js';
import { newRegistration, newUser } from '../support/http/users.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('IDEM1 and IDEM30', skip);

const cluster = await TestCluster.start(t, 3);
const ann = await newUser(first(cluster.running).api);

function once<Body>({ api }: Instance, key: string, request: string, sent: ApiRequest = {}): Promise<ApiResponse<Body>> {
  const [method = '', path = ''] = request.split(' ');
  const headers = { ...sent.headers, 'idempotency-key': key };
  return api.request<Body>(method, path, { token: ann.token, ...sent, headers });
}

t.test('IDEM17 equal requests at once through several instances make one change, and all get its answer', async (t) => {
  const owner = first(cluster.running);
  const board = await boardOwnedBy(cluster, owner, ann);
  const cards = `POST /boards/${board.id}/columns/${board.columnId}/cards`;
  const created = await once<{ id: string }>(owner, randomUUID(), cards, { json: { title: 'with a file' } });
  const exported = await owner.api.request('GET', `/boards/${board.id}/export`, { token: ann.token });
  const json = { 'content-type': 'application/json' };
  const requests: Array<[string, () => ApiRequest]> = [
    [cards, () => ({ json: { title: 'once' } })],
    [`POST /cards/${created.body.id}/attachments`, () => ({ body: fileForm() })],
    ['POST /boards', () => ({ json: { title: 'Once' } })],
    ['POST /boards/import', () => ({ body: JSON.stringify(exported.body), headers: json })],
    ['PATCH /auth/me', () => ({ json: { firstname: 'Ann' } })],
  ];
  const registration = newRegistration();
  requests.push(['POST /auth/register', () => ({ json: registration })]);
  for (const [request, sent] of requests) {
    const key = randomUUID();
    const answers = await Promise.all([...cluster.running, ...cluster.running].map((instance) => once(instance, key, request, sent())));
    t.ok(
      answers.every(({ status }) => status < 300),
      request,
      { answers: answers.map(({ status, body }) => ({ status, body })) },
    );
    t.equal(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1, `${request}: one answer`);
    const replayed = answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true');
    t.equal(replayed.length, answers.length - 1, `${request}: one change`);
    t.equal((await once(first(cluster.running), key, request, { json: { other: true } })).status < 300, false, `${request}: and no other`);
  }
  t.strictSame(await titlesOn(owner, ann, board), ['with a file', 'once']);
});

t.test('IDEM1 requests with a key are carried out exactly once, although owners are killed and clients repeat them', async (t) => {
  const [entry, ...others] = cluster.running;
  if (entry === undefined) throw new Error('three were started');
  const boards = await Promise.all(others.map((instance) => boardOwnedBy(cluster, instance, ann)));
  const written = new Map(boards.map(({ id }) => [id, [] as string[]]));
  let isOver = false;
  let answered = 0;
  const write = async (board: (typeof boards)[number], name: string): Promise<void> => {
    for (let n = 0; !isOver; n += 1) {
      const title = `${name} ${n}`;
      const key = randomUUID();
      const cards = `/boards/${board.id}/columns/${board.columnId}/cards`;
      const add = (each: string): object => ({ method: 'POST', path: cards, body: { title: each } });
      const isBatch = name === 'c';
      const titles = isBatch ? [title, `${title} too`] : [title];
      const [request, json, done] = isBatch
        ? ([`POST /boards/${board.id}/batch`, { operations: titles.map(add) }, 200] as const)
        : ([`POST ${cards}`, { title }, 201] as const);
      // A client repeats the request until it has an answer, through any instance.
      while ((await once(entry, key, request, { json })).status !== done);
      written.get(board.id)?.push(...titles);
      answered += 1;
    }
  };
  const writers = boards.flatMap((board) => ['a', 'b', 'c'].map((name) => write(board, name)));
  for (const victim of others) {
    const before = answered;
    await until(async () => answered > before + 60);
    await victim.kill();
    const after = answered;
    await until(async () => answered > after + 60);
  }
  isOver = true;
  await Promise.all(writers);
  for (const board of boards) {
    const titles = await titlesOn(entry, ann, board);
    t.strictSame([...titles].sort(), [...(written.get(board.id) ?? [])].sort(), `${titles.length} cards`);
  }
});
