/** For superusers: the service as a whole, and its users. */
import * as v from 'valibot';
import { AppError } from '../../../domain/errors.js';
import type { AuditKind } from '../../../domain/audit.js';
import type { UserChanges } from '../../../domain/commands/directoryCommands.js';
import type { PartitionOverview } from '../../../partitions/health/replicationOverview.js';
import { answer, operation, type Operation } from '../../operation/operation.js';
import { ClusterOverview, PublicUser, Statistics } from '../../schemas/resources.js';
import { clientOf } from '../../operation/audited.js';
import { requireOtherOwners } from '../../accounts/deleteUser.js';
import { changeOnce, earlierAnswer, keyedRequest } from '../../operation/keyedChange.js';
import { uuid } from '../../schemas/fields.js';
import { userListQuery } from '../accounts/users.js';

/** These operations are not served if the setting `ADMIN_API` is off. */
export const ADMINISTRATION = 'Administration';

const tag = ADMINISTRATION;

const cluster = operation({
  name: 'admin.cluster',
  method: 'GET',
  path: '/admin/cluster',
  access: 'superuser',
  tag,
  summary: 'List the instances',
  description:
    'Lists every live instance, its partitions and its number of sockets. The answering instance comes first. If several ' +
    'machines have copies of the data, `replicated` lists the copies and the log of each partition.',
  success: { status: 200, description: 'The instances', schema: ClusterOverview },
  async handle(_call, { instances, pubsub, replicated }) {
    return answer({
      pubsub: pubsub(),
      instances: instances().map(({ id, host, pid, url, version, startedAt, leaving, drained, sockets, partitions }) => {
        return { id, host, pid, url, version, started_at: startedAt, leaving, drained: drained === true, sockets, owns: partitions };
      }),
      ...(replicated === null ? {} : { replicated: replicated.overview().map(toResource) }),
    });
  },
});

function toResource({ leaseLeftMs, log, ...rest }: PartitionOverview) {
  const { leader, hasQuorum, servers, bytes } = log;
  return {
    ...rest,
    lease_left_ms: leaseLeftMs,
    log: { leader, has_quorum: hasQuorum, servers: servers.map(({ name, isCurrent }) => ({ name, current: isCurrent })), bytes },
  };
}

const statistics = operation({
  name: 'admin.stats',
  method: 'GET',
  path: '/admin/stats',
  access: 'superuser',
  tag,
  summary: 'Get statistics',
  success: { status: 200, description: 'The statistics', schema: Statistics },
  async handle(_call, { directory, instances }) {
    const counts = await directory.ask('stats', {});
    const living = instances();
    const sockets = living.reduce((sum, instance) => sum + instance.sockets, 0);
    return answer({ ...counts, instances: living.length, sockets });
  },
});

const AdminUser = v.object({
  ...PublicUser.entries,
  has_second_factor: v.pipe(v.boolean(), v.description('Whether logins with the password need a code')),
});

const listUsers = operation({
  name: 'admin.listUsers',
  method: 'GET',
  path: '/admin/users',
  access: 'superuser',
  quota: 'search',
  tag,
  summary: 'List all users',
  query: userListQuery,
  success: { status: 200, description: 'Users, ordered by username', schema: v.array(AdminUser) },
  async handle({ query: { search, limit, offset } }, { directory }) {
    const users = await directory.ask('user.search', { search: search || null, limit, offset, with: 'factors' });
    // An older owner of the directory knows no second factors.
    return answer(users.map((user) => ({ has_second_factor: false, ...user })));
  },
});

/** Changes of a user, each at its own path. */
const changes: ReadonlyArray<readonly [verb: string, kind: AuditKind, summary: string, description: string, change: UserChanges]> = [
  ['activate', 'user.activated', 'Activate a user', 'The user can log in again.', { is_active: true }],
  [
    'deactivate',
    'user.deactivated',
    'Deactivate a user',
    'All sessions of the user end: the service refuses their tokens and closes their sockets at once.',
    { is_active: false },
  ],
  ['promote', 'user.promoted', 'Promote a user to superuser', '', { is_superuser: true }],
  ['demote', 'user.demoted', 'Demote a superuser to ordinary user', 'All sessions of the user end.', { is_superuser: false }],
];

const changeOperations = changes.map(([verb, kind, summary, description, change]) =>
  operation({
    name: `admin.${verb}User`,
    method: 'POST',
    path: `/admin/users/{user_id}/${verb}`,
    access: 'superuser',
    tag,
    summary,
    description,
    success: { status: 200, description: 'The user after the change', schema: PublicUser },
    errors: { 404: 'No such user', 409: 'Superusers cannot lock themselves out' },
    async handle(call, services) {
      const { caller, params, idempotency } = call;
      const client = clientOf(call);
      const id = params['user_id'] ?? '';
      if (id === caller.id && Object.values(change).includes(false)) {
        throw new AppError('conflict', 'You cannot lock yourself out');
      }
      const input = { id, now: services.now().toISOString(), changes: change };
      const request = keyedRequest(services, caller.id, idempotency);
      const { value: user, headers } = await changeOnce(services, request, 'user.update', input, { kind, user: caller, client, subject: { id } });
      return answer(user, headers);
    },
  }),
);

const deleteUser = operation({
  name: 'admin.deleteUser',
  method: 'DELETE',
  path: '/admin/users/{user_id}',
  access: 'superuser',
  tag,
  summary: 'Delete a user',
  description:
    'The account is gone at once, with its sessions and invitations: nobody finds the user any more, and the names can be ' +
    'registered again. Then the user leaves every board; their cards stay. If a board has no other owner, this is refused ' +
    'unless `give_boards_to` names an active user, who becomes the owner of such boards.',
  query: {
    give_boards_to: {
      schema: v.optional(uuid()),
      description: 'The id of the user who gets boards without another owner',
      document: { type: 'string', format: 'uuid' },
    },
  },
  success: { status: 204, description: 'Deleted' },
  errors: { 404: 'No such user', 409: 'The user is the last owner of a board, is yourself, or `give_boards_to` is no active user' },
  async handle(call, services) {
    const { caller, params, query, idempotency } = call;
    const client = clientOf(call);
    const id = params['user_id'] ?? '';
    const request = keyedRequest(services, caller.id, idempotency);
    const earlier = await earlierAnswer(services, request);
    if (earlier !== null) return { json: null, headers: earlier.headers };
    if (id === caller.id) throw new AppError('conflict', 'You cannot delete yourself');
    const user = await services.directory.ask('user.get', { id });
    if (user === null) throw new AppError('not_found', 'User not found');
    const heir_id = query.give_boards_to ?? null;
    if (heir_id === null) await requireOtherOwners(services, id);
    const input = { id, heir_id, now: services.now().toISOString() };
    const { headers } = await changeOnce(services, request, 'user.delete', input, {
      kind: 'user.deleted',
      user: caller,
      client,
      // Without the name, which is to be forgotten.
      subject: { id },
      // Who became the owner of boards.
      ...(heir_id === null ? {} : { details: { heir_id } }),
    });
    return { json: null, headers };
  },
});

export const adminOperations: readonly Operation[] = [cluster, statistics, listUsers, ...changeOperations, deleteUser];
