import t from 'tap';
import * as v from 'valibot';
import { operation } from '../../src/api/operation.js';
import { startEdge } from '../support/edge.js';
import { SilentClient } from '../support/hostile/silentClient.js';
import { rawRequest } from '../support/rawRequest.js';

/** What the kernel takes for one connection on one machine, and room. */
const MAX_TAKEN_BYTES = 24 * 1024 * 1024;

/** Without an answer for this long the connection is looked at. */
const ANSWERED_MS = 1_000;

t.test('HTTP23 a client that asks on and reads nothing is cut off, whatever the size of the answers', async (t) => {
  for (const bytes of [3_000, 30_000, 300_000]) {
    let answers = 0;
    const text = operation({
      name: 'text',
      method: 'GET',
      path: '/text',
      access: 'public',
      tag: 'Test',
      summary: 'Some text',
      success: { status: 200, description: 'Text', schema: v.string() },
      handle: async () => {
        answers += 1;
        return { json: JSON.stringify('x'.repeat(bytes)) };
      },
    });
    const { url } = await startEdge(t, [text]);
    const client = await SilentClient.open(url);
    t.teardown(() => client.close());
    for (let isAnswered = true; isAnswered && answers * bytes < MAX_TAKEN_BYTES; ) {
      const before = answers;
      await client.send(rawRequest('GET /text'));
      // One at a time: uWebSockets ends a connection that asks on while an answer is being made.
      const deadline = performance.now() + ANSWERED_MS;
      while (answers === before && performance.now() < deadline) await new Promise(setImmediate);
      isAnswered = answers > before;
      await new Promise(setImmediate);
    }
    t.ok(await client.isCutOff(), `cut off after ${answers} answers of ${bytes} bytes`);
  }
});
