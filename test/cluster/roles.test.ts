import t from 'tap';
import { first, TestCluster, type Instance } from '../support/cluster/cluster.js';
import { boardOwnedBy } from '../support/cluster/clusterBoard.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { fileForm } from '../support/board/populatedBoard.js';
import { newKey } from '../support/http/keys.js';
import { newUser } from '../support/http/users.js';
import type { SocketMessage } from '../support/realtime/messageChecker.js';
import { TestSharedSocket } from '../support/realtime/sharedSocket.js';
import { skipWithout } from '../support/service/programs.js';
import { until } from '../support/until.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('MEMBER5', skip);

const cluster = await TestCluster.start(t, 2);
const [here, elsewhere] = cluster.running as [Instance, Instance];

/** The board is owned by the first instance; Ben works on the other one. */
t.test('MEMBER5 a new role holds for requests, keys, repetitions and signals through every instance', async (t) => {
  const [ann, ben] = await Promise.all([newUser(first(cluster.running).api), newUser(first(cluster.running).api)]);
  const { id } = await boardOwnedBy(cluster, here, ann);
  await here.api.request('POST', `/boards/${id}/invite`, { token: ann.token, json: { user_id: ben.id } });
  const send = (method: string, path: string, json?: object, headers: Record<string, string> = {}, token = ben.token) =>
    elsewhere.api.request<{ id: string }>(method, path, { token, headers, ...(json === undefined ? {} : { json }) });
  const setRole = async (role: string): Promise<void> => {
    const { status } = await here.api.request('PATCH', `/boards/${id}/members/${ben.id}`, { token: ann.token, json: { role } });
    t.equal(status, 200, role);
  };
  const column = (await send('POST', `/boards/${id}/columns`, { title: 'To do' })).body.id;
  const key = await newKey(elsewhere.api, ben);
  const kept = { 'idempotency-key': 'before-the-demotion' };
  const card = (await send('POST', `/boards/${id}/columns/${column}/cards`, { title: 'A card' }, kept)).body.id;
  const writes = async (): Promise<number[]> => {
    const upload = await elsewhere.api.request('POST', `/cards/${card}/attachments`, { token: ben.token, body: fileForm() });
    const answers = [
      await send('PATCH', `/cards/${card}`, { title: 'Changed' }),
      await send('POST', `/boards/${id}/batch`, { operations: [{ method: 'PATCH', path: `/cards/${card}`, body: { title: 'Changed' } }] }),
      await send('PATCH', `/cards/${card}`, { title: 'By a key' }, {}, key.key),
      await send('POST', `/boards/${id}/columns/${column}/cards`, { title: 'A card' }, kept),
      upload,
    ];
    return answers.map(({ status }) => status);
  };
  t.strictSame(await writes(), [200, 200, 200, 201, 201]);

  const [benAway, annHere] = [await TestSharedSocket.enter(elsewhere.url, ben), await TestSharedSocket.enter(here.url, ann)];
  await Promise.all([benAway.subscribe(id), annHere.subscribe(id)]);
  let signals = 0;
  /** Whether a signal of Ben is refused, or arrives. */
  const isRefused = async (): Promise<boolean> => {
    const data = `signal ${(signals += 1)}`;
    const from = benAway.messages.length;
    benAway.tell({ type: 'signal', board_id: id, data });
    await benAway.handled();
    const answers = benAway.messages.slice(from).filter(({ type }) => type === 'error');
    if (answers.length > 0) t.match(answers, [{ code: 'forbidden', board_id: id }]);
    else await annHere.find((message: SocketMessage) => message.type === 'signal' && message['data'] === data);
    return answers.length > 0;
  };
  t.notOk(await isRefused(), 'a member sends signals');

  for (const role of ['viewer', 'commenter']) {
    await setRole(role);
    const since = performance.now();
    t.strictSame(await writes(), [403, 403, 403, 403, 403], `writes of a ${role}`);
    await until(isRefused);
    t.ok(performance.now() - since < 5_000, 'the socket knows it soon, on a busy machine too');
    const reads = [
      await send('GET', `/boards/${id}`),
      await send('GET', `/cards/${card}`),
      await send('GET', `/boards/${id}`, undefined, {}, key.key),
    ];
    t.strictSame(
      reads.map(({ status }) => status),
      [200, 200, 200],
    );
    await setRole('member');
    await until(async () => !(await isRefused()));
    t.strictSame(await writes(), [200, 200, 200, 201, 201], 'as before');
  }

  await setRole('viewer');
  const late = await TestSharedSocket.enter(elsewhere.url, ben);
  t.equal((await late.subscribe(id)).type, 'subscribed', 'a viewer follows the board');
  t.match(await late.refused({ type: 'signal', board_id: id, data: 1 }), { code: 'forbidden' });
  late.tell({ type: 'state', board_id: id, state: 'looking' });
  await annHere.find((message) => message.type === 'state' && message['state'] === 'looking');
  await here.api.request('PATCH', `/cards/${card}`, { token: ann.token, json: { title: 'For viewers' } });
  await late.find((message) => message.type === 'card.updated');
  t.equal(benAway.about(id).filter(({ type }) => type === 'unsubscribed').length, 0, 'no socket was closed');
});
