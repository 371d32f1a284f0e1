import t, { type Test } from 'tap';
import { healthOperations } from '../../src/api/operations/service/health.js';
import type { Services } from '../../src/api/operation/operation.js';
import { AppError } from '../../src/domain/errors.js';
import { startTestApp } from '../support/service/app.js';
import { startEdge } from '../support/http/edge.js';

t.test('HEALTH1 a single service is healthy and says so without a credential', async (t) => {
  const { api } = await startTestApp(t);
  const { status, body } = await api.request('GET', '/health');
  t.equal(status, 200);
  t.strictSame(body, { status: 'ok', database: 'connected', pubsub: 'embedded' });
});

/** The answer of a service whose database and network are as given. */
async function healthWith(t: Test, database: 'well' | 'failing', pubsub: ReturnType<Services['pubsub']>): Promise<Response> {
  const failure = new AppError('unavailable', 'the disk is gone');
  const ask = (): Promise<never> => (database === 'well' ? Promise.resolve(true as never) : Promise.reject(failure));
  const { url } = await startEdge(t, healthOperations, { directory: { ask }, pubsub: () => pubsub, replicated: null, differingSettings: () => [] });
  return fetch(`${url}/health`);
}

t.test('HEALTH1 a service that is cut off from the others is degraded and still serves', async (t) => {
  const connected = await healthWith(t, 'well', 'connected');
  t.equal(connected.status, 200);
  t.strictSame(await connected.json(), { status: 'ok', database: 'connected', pubsub: 'connected' });
  const alone = await healthWith(t, 'well', 'disconnected');
  t.equal(alone.status, 200);
  t.strictSame(await alone.json(), { status: 'degraded', database: 'connected', pubsub: 'disconnected' });
});

t.test('HEALTH1 a service without its database is unavailable', async (t) => {
  for (const pubsub of ['embedded', 'disconnected'] as const) {
    const response = await healthWith(t, 'failing', pubsub);
    t.equal(response.status, 503);
    t.strictSame(await response.json(), { status: 'error', database: 'error', pubsub });
    t.match(response.headers.get('retry-after'), /^[1-9]\d*$/);
  }
});
