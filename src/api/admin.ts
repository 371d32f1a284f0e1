/** For superusers. */
import { answer, operation, type Operation } from './operation.js';
import { ClusterOverview } from './resources.js';

const cluster = operation({
  name: 'admin.cluster',
  method: 'GET',
  path: '/admin/cluster',
  access: 'superuser',
  tag: 'Administration',
  summary: 'The instances of the service',
  description: 'Every instance that is heard of, what it owns and how many sockets it holds; the one that answers first.',
  success: { status: 200, description: 'The instances', schema: ClusterOverview },
  async handle(_call, { instances, pubsub }) {
    return answer({
      pubsub: pubsub(),
      instances: instances().map(({ id, host, pid, url, version, startedAt, leaving, sockets, stations }) => {
        return { id, host, pid, url, version, started_at: startedAt, leaving, sockets, owns: stations };
      }),
    });
  },
});

export const adminOperations: readonly Operation[] = [cluster];
