import t from 'tap';
import { createClient } from '../../src/client/index.js';
import { startScriptedHttp } from './scriptedHttp.js';

t.test('CLIENT9 without an XMLHttpRequest a call reports the beginning and the end of each attempt', async (t) => {
  const service = await startScriptedHttp(t, { status: 503, headers: { 'retry-after': '0' } }, { status: 201 });
  const client = createClient({ baseUrl: service.url, token: 'x', random: () => 0 });
  const seen: number[] = [];
  await client.attachment.create({ card_id: 'x' }, { name: 'file', content: 'content' }, { onProgress: (sent) => seen.push(sent) });
  t.strictSame(seen, [0, 1, 0, 1]);
  const nothing: number[] = [];
  await client.board.get({ board_id: 'x' }, { onProgress: (sent) => nothing.push(sent) });
  t.strictSame(nothing, [], 'a call without a body has none');
});

t.test('CLIENT9 a client with a `fetch` of its own uses it for every call', async (t) => {
  const sent: string[] = [];
  const client = createClient({
    baseUrl: 'http://service.test',
    token: 'x',
    fetch: async (input) => {
      sent.push(String(input));
      return new Response('{"id":"1"}', { status: 201 });
    },
  });
  const answer = await client.board.create({ title: 'Plans' }, { onProgress: () => undefined });
  t.strictSame([answer, sent], [{ id: '1' }, ['http://service.test/boards']]);
});
