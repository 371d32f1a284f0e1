/** Cards move between boards of different instances, also while one of these is frozen or killed. */
import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { CardJson } from '../support/board/boardSnapshot.js';
import { first, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { addCard, boardOwnedBy, titlesOn, type ClusterBoard } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { skipFile } from '../support/runner/skippedFile.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('MOVE2', skip);

const cluster = await TestCluster.start(t, 3);
const [a, b, c] = cluster.instances as [Instance, Instance, Instance];

async function newCard(through: Instance, { token }: TestUser, { id, columnId }: ClusterBoard, title: string): Promise<string> {
  return (await through.api.request<CardJson>('POST', `/boards/${id}/columns/${columnId}/cards`, { token, json: { title } })).body.id;
}

function move(through: Instance, { token }: TestUser, card: string, { id, columnId }: ClusterBoard, key = randomUUID()) {
  const json = { board_id: id, column_id: columnId };
  return through.api.request<CardJson>('POST', `/cards/${card}/move`, { token, json, headers: { 'idempotency-key': key } });
}

t.test('MOVE1 a card moves between boards of two instances, asked for at a third', async (t) => {
  const ann = await newUser(c.api);
  const [from, to] = [await boardOwnedBy(cluster, a, ann), await boardOwnedBy(cluster, b, ann)];
  const card = await newCard(c, ann, from, 'Wanders');
  const { status, body } = await move(c, ann, card, to);
  t.equal(status, 200);
  t.strictSame([await titlesOn(a, ann, from), await titlesOn(a, ann, to)], [[], ['Wanders']]);
  t.equal((await b.api.request('GET', `/cards/${card}`, { token: ann.token })).headers.get('location'), `/cards/${body.id}`);
  t.equal((await move(b, ann, body.id, from)).status, 200, 'and back');
  const large = await newCard(c, ann, from, 'Large');
  for (let n = 0; n < 7; n += 1) {
    const comment = await c.api.request('POST', `/cards/${large}/comments`, { token: ann.token, json: { body: `${n} ${'ä"'.repeat(17_000)}` } });
    t.equal(comment.status, 201);
  }
  const arrived = await move(c, ann, large, to);
  t.strictSame([arrived.status, arrived.body.comment_count], [200, 7], 'as large as it may be');
});

t.test('MOVE2 a card to a frozen instance arrives when it can be asked, and nothing else waits for it', async (t) => {
  const ann = await newUser(a.api);
  const [from, to, other] = [await boardOwnedBy(cluster, a, ann), await boardOwnedBy(cluster, b, ann), await boardOwnedBy(cluster, c, ann)];
  const card = await newCard(a, ann, from, 'Waits');
  const [beside, free] = [await newCard(a, ann, from, 'Beside'), await newCard(a, ann, from, 'Free')];
  const key = randomUUID();
  b.freeze();
  const late = move(a, ann, card, to, key);
  t.equal((await move(a, ann, free, other)).status, 200, 'a move to another board goes on');
  t.equal(await addCard(a, ann, from, 'New'), 201);
  t.equal((await a.api.request('DELETE', `/cards/${beside}`, { token: ann.token })).status, 204);
  b.resume();
  // The frozen instance counts as dead after a while, and its boards go to others.
  await late;
  const there = await until(async () => {
    const { status, body } = await move(a, ann, card, to, key);
    return status === 200 && body;
  });
  t.equal(there.title, 'Waits');
  t.strictSame(await titlesOn(c, ann, to), ['Waits']);
  t.strictSame(await titlesOn(c, ann, from), ['New']);
});

t.test('MOVE2 a card arrives although the owner of its board is killed', async (t) => {
  const ann = await newUser(c.api);
  const keys = Array.from({ length: 4 }, () => randomUUID());
  const [from, to] = [await boardOwnedBy(cluster, a, ann), await boardOwnedBy(cluster, first(cluster.others(a, c)), ann)];
  const cards = [];
  for (const index of keys.keys()) cards.push(await newCard(c, ann, from, `Card ${index}`));
  const under = cards.map((card, index) => move(c, ann, card, to, keys[index]).catch(() => undefined));
  await a.kill();
  await Promise.all(under);
  for (const [index, card] of cards.entries()) await until(async () => (await move(c, ann, card, to, keys[index])).status === 200);
  t.strictSame((await titlesOn(c, ann, to)).sort(), ['Card 0', 'Card 1', 'Card 2', 'Card 3']);
  t.strictSame(await titlesOn(c, ann, from), []);
});
