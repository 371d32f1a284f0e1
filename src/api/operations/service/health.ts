import { Unreachable } from '../../../partitions/askPort.js';
import { withDeadline } from '../../../partitions/deadline.js';
import { AppError } from '../../../domain/errors.js';
import { CONTENT_TYPE } from '../../../metrics/prometheus.js';
import { answer, operation, type Operation } from '../../operation/operation.js';
import { Detail, Health } from '../../schemas/resources.js';
import { STATUS_OF } from '../../operation/statuses.js';

/** Longer than any commit should take; a prober waits at least this long. */
const DATABASE_DEADLINE_MS = 2_000;

const health = operation({
  name: 'health',
  method: 'GET',
  path: '/health',
  access: 'public',
  tag: 'Health',
  summary: 'Check health',
  description:
    '`pubsub` is `embedded` if the service is a single process, and `disconnected` if the instances cannot reach each ' +
    'other; `status` is then `degraded`. If the database does not answer, the status code is 503. `log` is present if ' +
    'several machines have copies of the data: `no quorum` if too few NATS servers are within reach to store a change, ' +
    '`halted` if a copy of this instance needs an operator; `status` is then `degraded` too. `reserve` is present with ' +
    '`log`: `lost` while any machine lacks a sound copy or a current log of a partition, so that the next loss may stop ' +
    'the service. `problems` is present if there are any: each sentence names the partitions, the machine, the cause and ' +
    'what to do. `differing_settings` names settings that all instances must share and another instance has otherwise.',
  success: { status: 200, description: 'The service works', schema: Health },
  errors: { 503: 'The database does not answer' },
  errorSchemas: { 503: Health },
  async handle(_call, { directory, pubsub, replicated, differingSettings }) {
    const bus = pubsub();
    const database = await withDeadline(directory.ask('health.check', {}), DATABASE_DEADLINE_MS).then(
      () => 'connected' as const,
      // An instance that is cut off from the directory still serves its own boards.
      (error: unknown) => (bus === 'disconnected' && error instanceof Unreachable ? 'connected' : 'error'),
    );
    const log = replicated === null ? {} : { log: replicated.status(), reserve: replicated.reserve() };
    const problems = replicated?.problems() ?? [];
    const differing = differingSettings();
    const isDegraded = bus === 'disconnected' || (log.log ?? 'ok') !== 'ok' || differing.length > 0;
    const status = database === 'error' ? 'error' : isDegraded ? 'degraded' : 'ok';
    const more = { ...(problems.length === 0 ? {} : { problems }), ...(differing.length === 0 ? {} : { differing_settings: differing }) };
    const body = { status, database, pubsub: bus, ...log, ...more };
    return status === 'error' ? { ...answer(body, [['Retry-After', '1']]), status: STATUS_OF.unavailable } : answer(body);
  },
});

const ready = operation({
  name: 'ready',
  method: 'GET',
  path: '/ready',
  access: 'public',
  tag: 'Health',
  summary: 'Check readiness',
  description:
    'For load balancers. The status code is 503 while the service starts or stops, and while it cannot store changes ' +
    'or reach the directory or the shards, and if several machines have copies of the data, while too few NATS servers ' +
    'are within reach to store a change. `detail` names what is missing. `/health` reports whether the service is alive.',
  success: { status: 200, description: 'The instance accepts requests', schema: Detail },
  errors: { 503: 'Send requests to another instance' },
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
  summary: 'Get metrics',
  success: { status: 200, description: 'Metrics in the text format of Prometheus', contentType: 'text/plain' },
  async handle(_call, services) {
    return { json: null, text: { type: CONTENT_TYPE, content: await services.metrics() } };
  },
});

export const healthOperations: readonly Operation[] = [health, ready, metrics];
