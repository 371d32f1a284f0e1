/** API keys: a user's own rights, or fewer, for programs. */
import * as v from 'valibot';
import { MAX_KEYS_PER_USER } from '../../../domain/account/apiKey.js';
import { MAX_PER_HOUR } from '../../../domain/audit.js';
import { AppError } from '../../../domain/errors.js';
import { clientOf } from '../../operation/audited.js';
import { changeOnce, keyedRequest } from '../../operation/keyedChange.js';
import { makeKey, NewKeyFields } from '../../accounts/newKey.js';
import { answer, operation, type Operation } from '../../operation/operation.js';
import { ApiKey, NewApiKey } from '../../schemas/resources.js';

const tag = 'API keys';

const createKey = operation({
  name: 'key.create',
  method: 'POST',
  path: '/auth/keys',
  access: 'user',
  tag,
  summary: 'Create an API key',
  description:
    'A key is used like an access token. `read` is for `GET`, `write` for everything else and for `GET` too, and `admin`, ' +
    'which only superusers can have, is needed besides for what only they may do. With `board_ids`, of boards that the ' +
    'caller is on, the key is for these boards alone, and can create none. The key is in this answer alone. It works until ' +
    'it expires or is revoked, also after a new password, but not while its user is deactivated. A key cannot be used ' +
    `under \`/auth\`, except for \`GET /auth/me\`. A user has at most ${MAX_KEYS_PER_USER} keys.`,
  body: { kind: 'json', schema: NewKeyFields },
  isAnswerKept: false,
  success: { status: 201, description: 'The key', schema: NewApiKey },
  errors: {
    403: 'The caller is not a superuser but wants `admin`, or is not on one of the boards',
    409: 'The caller has too many keys',
    429: `The caller has created ${MAX_PER_HOUR['key.created']} keys within an hour; try again after \`Retry-After\` seconds`,
  },
  async handle(call, { directory, ids, now, audit }) {
    const { caller, body } = call;
    const origin = { user_id: caller.id, id: ids.fresh(), now: now().toISOString() };
    const details = { scopes: body.scopes.join(' ') };
    const event = { kind: 'key.created', user: caller, client: clientOf(call), subject: { id: origin.id, name: body.name }, details } as const;
    return answer(await audit.along(event, (entry) => makeKey(directory, origin, body, entry)));
  },
});

const listKeys = operation({
  name: 'key.list',
  method: 'GET',
  path: '/auth/keys',
  access: 'user',
  tag,
  summary: 'List the caller’s API keys',
  description: 'Oldest first. Expired ones are listed until they are revoked, or another key is created.',
  success: { status: 200, description: 'The keys', schema: v.array(ApiKey) },
  errors: { 429: 'The caller has too many lists under way; try again after `Retry-After` seconds' },
  async handle({ caller }, { directory, lists }) {
    return lists.small(caller.id, async () => {
      const keys = await directory.ask('key.list', { user_id: caller.id });
      return answer(keys.map(({ user_id: _own, ...key }) => key));
    });
  },
});

const revokeKey = operation({
  name: 'key.revoke',
  method: 'DELETE',
  path: '/auth/keys/{key_id}',
  access: 'user',
  tag,
  summary: 'Revoke an API key',
  description: 'It is refused from here on, and its sockets and streams are closed with the code 1008.',
  success: { status: 204, description: 'Revoked' },
  errors: { 404: 'The caller has no such key' },
  async handle(call, services) {
    const { caller, params, idempotency } = call;
    const input = { user_id: caller.id, id: params['key_id'] ?? '' };
    const event = { kind: 'key.revoked', user: caller, client: clientOf(call), subject: { id: input.id } } as const;
    const request = keyedRequest(services, caller.id, idempotency);
    const { value: isRevoked, headers } = await changeOnce(services, request, 'key.remove', input, event);
    if (!isRevoked) throw new AppError('not_found', 'API key not found');
    return { json: null, headers };
  },
});

export const keyOperations: readonly Operation[] = [createKey, listKeys, revokeKey];
