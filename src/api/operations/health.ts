import { Unreachable } from '../../partitions/askPort.js';
import { withDeadline } from '../../partitions/deadline.js';
import { AppError } from '../../domain/errors.js';
import { CONTENT_TYPE } from '../../metrics/prometheus.js';
import { answer, operation, type Operation } from '../operation.js';
import { Detail, Health } from '../schemas/resources.js';
import { STATUS_OF } from '../statuses.js';

/** Longer than any commit should take; a prober waits at least this long. */
const DATABASE_DEADLINE_MS = 2_000;

const health = operation({
  name: 'health',
  method: 'GET',
  path: '/health',
  access: 'public',
  tag: 'Health',
  summary: 'Is the service well?',
  description:
    '`pubsub` is `embedded` when one process does everything, `disconnected` when the instances cannot reach each ' +
    'other (`status` is then `degraded`). 503 when the database does not answer.',
  success: { status: 200, description: 'It serves', schema: Health },
  errors: { 503: 'The database does not answer' },
  errorSchemas: { 503: Health },
  async handle(_call, { directory, pubsub }) {
    const bus = pubsub();
    const database = await withDeadline(directory.ask('health.check', {}), DATABASE_DEADLINE_MS).then(
      () => 'connected' as const,
      // An instance that is cut off from the directory still serves its own boards.
      (error: unknown) => (bus === 'disconnected' && error instanceof Unreachable ? 'connected' : 'error'),
    );
    const status = database === 'error' ? 'error' : bus === 'disconnected' ? 'degraded' : 'ok';
    const body = { status, database, pubsub: bus };
    return status === 'error' ? { ...answer(body, [['Retry-After', '1']]), status: STATUS_OF.unavailable } : answer(body);
  },
});

const ready = operation({
  name: 'ready',
  method: 'GET',
  path: '/ready',
  access: 'public',
  tag: 'Health',
  summary: 'Does it want requests?',
  description:
    'For load balancers: 503 while the service starts or stops, and while it cannot do what changes need: store them, ' +
    'and reach the directory and the shards. `detail` says what is missing. `/health` tells whether it lives.',
  success: { status: 200, description: 'Send requests', schema: Detail },
  errors: { 503: 'Send them elsewhere' },
  async handle(_call, { readiness }) {
    const { isReady, detail } = readiness();
    if (!isReady) throw new AppError('unavailable', detail, { retryAfter: 1 });
    return answer({ detail });
  },
});

const metrics = operation({
  name: 'metrics',
  method: 'GET',
  path: '/metrics',
  access: 'metrics',
  tag: 'Health',
  summary: 'Measurements for Prometheus',
  success: { status: 200, description: 'In the text format of Prometheus', contentType: 'text/plain' },
  async handle(_call, services) {
    return { json: null, text: { type: CONTENT_TYPE, content: await services.metrics() } };
  },
});

export const healthOperations: readonly Operation[] = [health, ready, metrics];
