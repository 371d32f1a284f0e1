import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { boundedFetch, MAX_ANSWER_BYTES } from '../../../src/auth/sso/boundedFetch.js';
import { rejectionOf } from '../../support/rejection.js';

async function serve(t: Test, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/?secret=1`;
}

const GET = { method: 'GET', headers: {} } as const;

t.test('SSO14 an answer up to the limit is read, a longer one is not', async (t) => {
  let size = MAX_ANSWER_BYTES;
  const url = await serve(t, (_request, response) => response.end(Buffer.alloc(size, 'a')));
  t.equal((await (await boundedFetch(url, GET)).text()).length, MAX_ANSWER_BYTES);
  size += 1;
  t.match(await rejectionOf(boundedFetch(url, GET)), { name: 'ProviderUnreachable', message: /more than 262144 bytes/ });
});

t.test('SSO14 the time limit covers the head and the body of an answer', async (t) => {
  const silent = await serve(t, () => undefined);
  const slow = await serve(t, (_request, response) => response.writeHead(200).write('{'));
  for (const url of [silent, slow]) {
    const error = await rejectionOf(boundedFetch(url, { ...GET, signal: AbortSignal.timeout(200) }));
    t.match(error, { name: 'ProviderUnreachable', message: 'it did not answer in time' });
  }
});

t.test('LOG1 a failed request says why, without its address', async (t) => {
  const url = await serve(t, (_request, response) => response.destroy());
  const error = await rejectionOf(boundedFetch(url, GET));
  t.match(error, { name: 'ProviderUnreachable' });
  t.notMatch(JSON.stringify([error, String(error)]), /secret/);
});
