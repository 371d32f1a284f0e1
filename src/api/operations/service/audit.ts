/** The audit log, for superusers. */
import * as v from 'valibot';
import { AUDIT_KINDS, AUDIT_POSITION, readAuditPosition, writeAuditPosition } from '../../../domain/audit.js';
import { answer, operation, type Operation } from '../../operation/operation.js';
import { integerParameter } from '../../operation/queryParameters.js';
import { documentedCheck, uuid } from '../../schemas/fields.js';
import { id, timestamp } from '../../schemas/basics.js';
import { ADMINISTRATION } from './admin.js';

const PAGE = 50;
const MAX_PAGE = 200;

const position = v.pipe(
  v.string(),
  documentedCheck((text) => readAuditPosition(text) !== null, 'must be the `next` of an earlier answer', {}),
  v.transform(readAuditPosition),
);

const AuditEntry = v.object({
  id: id(),
  at: timestamp(),
  kind: v.pipe(v.string(), v.description('What happened. Later versions may add kinds')),
  user_id: v.pipe(
    v.nullable(id()),
    v.description('Who did it; of a failed login, the account that was meant. Null for the operator and for anonymous clients'),
  ),
  username: v.pipe(v.nullable(v.string()), v.description('At that time')),
  subject_id: v.pipe(v.nullable(id()), v.description('The user, board, session, key, invitation or webhook that it was done to')),
  subject: v.pipe(v.nullable(v.string()), v.description('Its name at that time')),
  address: v.pipe(v.nullable(v.string()), v.description('Of the client')),
  device: v.pipe(v.nullable(v.string()), v.description('What the client calls itself (`User-Agent`)')),
  details: v.pipe(
    v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
    v.description('`key_id`: the API key that the request came with; `more`: how many further entries of the kind were left out'),
  ),
});

const list = operation({
  name: 'admin.audit',
  method: 'GET',
  path: '/admin/audit',
  access: 'superuser',
  quota: 'search',
  tag: ADMINISTRATION,
  summary: 'Read the audit log',
  description:
    'Who did what, from where and when: logins, failures, ended sessions, keys, invitations, roles, deletions, changed ' +
    'passwords and second factors, starts of the service with their settings. The latest first. Entries are kept for a year, ' +
    'at most 100,000 of them and 20,000 failed logins; beyond that the user with the most entries of a kind loses the oldest. ' +
    'Changes of passwords, second factors, keys, members and roles, deletions, and the first login from a network within an hour ' +
    'are never left out. Of other kinds, a network that fails often, or a user who causes many entries, gets an entry with ' +
    '`more` in its details instead: the number of further ones.',
  query: {
    before: {
      schema: v.optional(position),
      description: 'The `next` of the page before',
      document: { type: 'string', pattern: AUDIT_POSITION.source },
    },
    limit: integerParameter('The maximum number of entries in the answer', { min: 1, max: MAX_PAGE, absent: PAGE }),
    user_id: {
      schema: v.optional(uuid()),
      description: 'Only what this user did, and what was done to them',
      document: { type: 'string', format: 'uuid' },
    },
    kind: {
      schema: v.optional(v.picklist(AUDIT_KINDS)),
      description: 'Only entries of this kind',
      document: { type: 'string', enum: AUDIT_KINDS },
    },
  },
  success: {
    status: 200,
    description: 'A page of entries',
    schema: v.object({
      entries: v.array(AuditEntry),
      next: v.pipe(v.nullable(v.string()), v.description('For `before`; null on the last page')),
    }),
  },
  async handle({ query }, { directory }) {
    const { limit } = query;
    const search = { before: query.before ?? null, limit: limit + 1, user_id: query.user_id ?? null, kind: query.kind ?? null };
    const found = await directory.ask('audit.list', search);
    const entries = found.slice(0, limit);
    const last = entries.at(-1);
    return answer({ entries, next: found.length > limit && last !== undefined ? writeAuditPosition(last) : null });
  },
});

export const auditOperations: readonly Operation[] = [list];
