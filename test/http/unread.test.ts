import t from 'tap';
import * as v from 'valibot';
import { operation, type OperationAnswer, type Operation } from '../../src/api/operation/operation.js';
import { startTestApp } from '../support/service/app.js';
import { startEdge } from '../support/http/edge.js';
import { SilentClient } from '../support/hostile/silentClient.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { until } from '../support/until.js';

/** What the kernel takes for one connection on one machine, and room. */
const MAX_TAKEN_BYTES = 24 * 1024 * 1024;

/** A connection without an answer for this long is checked. */
const ANSWERED_MS = 1_000;

/** A public operation with the answer of the test. */
function answering(answer: () => OperationAnswer): Operation {
  return operation({
    name: 'text',
    method: 'GET',
    path: '/text',
    access: 'public',
    tag: 'Test',
    summary: 'Some text',
    success: { status: 200, description: 'Text', schema: v.string() },
    handle: async () => answer(),
  });
}

t.test('HTTP19 too many unread answers with separate bodies are cut, and an answer that is read is not', async (t) => {
  const bytes = 10_000_000;
  let answers = 0;
  const { url } = await startEdge(t, [
    answering(() => {
      answers += 1;
      return { json: Buffer.alloc(bytes, String(answers % 10)) };
    }),
  ]);
  const clients: SilentClient[] = [];
  t.teardown(() => clients.forEach((client) => client.close()));
  const ask = async (): Promise<SilentClient> => {
    const client = await SilentClient.open(url);
    clients.push(client);
    const before = answers;
    await client.send(rawRequest('GET /text'));
    await until(
      () => answers > before,
      () => answers,
    );
    return client;
  };
  for (let n = 0; n < 30; n += 1) await ask();
  const last = await ask();
  t.equal((await last.read(bytes)).length, bytes, 'a client that reads gets all of it');
  const bodies = await Promise.all(clients.slice(0, 30).map((client) => client.read(bytes)));
  const whole = bodies.filter((body) => body.length === bytes).length;
  t.ok(whole >= 9 && whole <= 14, `${whole} of 30 were kept`);
  t.ok(
    bodies.slice(0, 14).every((body) => body.length < bytes),
    'the oldest are cut first',
  );
});

t.test('HTTP19 a stream arrives complete, however late and slowly its client reads', async (t) => {
  const content = Buffer.alloc(20_000_000, 'some content ');
  // Chunks that are available at once are sent while uWebSockets still reports room in the socket.
  const stream = { size: content.length, read: async (from: number, to: number) => content.subarray(from, to) };
  const { url } = await startEdge(t, [answering(() => ({ json: null, stream }))]);
  for (let round = 0; round < 5; round += 1) {
    const client = await SilentClient.open(url);
    t.teardown(() => client.close());
    await client.send(rawRequest('GET /text'));
    t.ok((await client.read(content.length)).equals(content));
  }
});

t.test('HTTP19 a client that sends requests and reads nothing is cut off, at every size of the answers', async (t) => {
  for (const bytes of [3_000, 30_000, 300_000]) {
    let answers = 0;
    const text = answering(() => {
      answers += 1;
      return { json: JSON.stringify('x'.repeat(bytes)) };
    });
    const { url } = await startEdge(t, [text]);
    const client = await SilentClient.open(url);
    t.teardown(() => client.close());
    for (let isAnswered = true; isAnswered && answers * bytes < MAX_TAKEN_BYTES;) {
      const before = answers;
      await client.send(rawRequest('GET /text'));
      // One at a time: uWebSockets ends a connection that sends a request while an answer is pending.
      const deadline = performance.now() + ANSWERED_MS;
      while (answers === before && performance.now() < deadline) await new Promise(setImmediate);
      isAnswered = answers > before;
      await new Promise(setImmediate);
    }
    t.ok(await client.isCutOff(), `cut off after ${answers} answers of ${bytes} bytes`);
  }
});

t.test('one caller gets sixteen large answers at a time, and another caller does not wait for them', async (t) => {
  const { api, url } = await startTestApp(t);
  const [greedy, other] = [await newUser(api), await newUser(api)];
  const cards = Array.from({ length: 1_000 }, (_, n) => ({ title: `Card ${n}`, description: 'x'.repeat(6_000) }));
  const json = { format: 'switchboard-board', version: 1, title: 'Large', columns: [{ id: 'a', title: 'All', cards }] };
  const importFor = async ({ token }: TestUser): Promise<string> => {
    const { body } = await api.request<{ board: { id: string } }>('POST', '/boards/import', { token, json });
    return rawRequest(`GET /boards/${body.board.id}`, [`Authorization: Bearer ${token}`]);
  };
  const [request, otherRequest] = [await importFor(greedy), await importFor(other)];
  const clients = await SilentClient.openAll(url, 20);
  t.teardown(() => clients.forEach((client) => client.close()));
  for (const client of clients) {
    await client.send(request);
    // The requests are sent in this order.
    await api.request('GET', '/auth/me', { token: greedy.token });
  }
  const patient = await SilentClient.open(url);
  await patient.send(otherRequest);
  t.ok((await patient.read(6_000_000)).length >= 6_000_000, 'another caller is served');
  const begun = await Promise.all(clients.map((client) => client.hasReceived()));
  t.equal(begun.filter(Boolean).length, 16);
  clients.forEach((client) => client.close());
});
