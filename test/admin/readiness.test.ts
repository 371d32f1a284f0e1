import t from 'tap';
import { startTestApp } from '../support/app.js';
import { RawConnection } from '../support/rawHttp.js';
import { rawRequest } from '../support/rawRequest.js';

t.test('READY1 a service that serves is ready, and says so to everyone', async (t) => {
  const { api } = await startTestApp(t);
  const { status, body } = await api.request('GET', '/ready');
  t.equal(status, 200);
  t.strictSame(body, { detail: 'Ready' });
});

t.test('READY2 a service that is about to stop is alive and not ready', async (t) => {
  const { url, close } = await startTestApp(t);
  const busy = await RawConnection.open(url);
  const [balancer, prober] = [await RawConnection.open(url), await RawConnection.open(url)];
  const body = ['Content-Type: application/json', 'Content-Length: 20'];
  // Half a body keeps the stop waiting; the answer to the other connection shows that the service has read it.
  await busy.send(rawRequest('POST /auth/register', body, '{'));
  await balancer.send(rawRequest('GET /ready'));
  t.equal((await balancer.response()).status, 200);

  const closed = close();
  await balancer.send(rawRequest('GET /ready'));
  await prober.send(rawRequest('GET /health'));
  const draining = await balancer.response();
  t.equal(draining.status, 503);
  t.match(new Map(draining.headers).get('retry-after'), /^[1-9]\d*$/);
  t.strictSame(JSON.parse(draining.body.toString()), { detail: 'Not ready' });
  t.equal((await prober.response()).status, 200, 'it lives');

  await busy.send(' '.repeat(19));
  t.equal((await busy.response()).status, 400, 'what was begun is answered');
  await closed;
});
