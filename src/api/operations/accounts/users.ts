/** Looks up other users. */
import * as v from 'valibot';
import type { Config } from '../../../settings/config.js';
import { actsAsSuperuser, type KeyRights } from '../../../domain/account/apiKey.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import type { PublicUser as User } from '../../../domain/account/user.js';
import { integerParameter } from '../../operation/queryParameters.js';
import { answer, operation, type Operation } from '../../operation/operation.js';
import { PublicUser } from '../../schemas/resources.js';

const tag = 'Users';
const DEFAULT_PAGE = 50;
const LARGEST_PAGE = 200;

/** Paging of a list of users. */
export const userListQuery = {
  search: {
    schema: v.optional(v.string()),
    description: 'Part of a username or an e-mail address. `q` and `query` are aliases.',
    document: { type: 'string' },
    aliases: ['q', 'query'],
  },
  limit: integerParameter('The maximum number of users in the answer', { min: 1, max: LARGEST_PAGE, absent: DEFAULT_PAGE }),
  offset: integerParameter('The number of users to skip', { min: 0, absent: 0 }),
};

const getUser = operation({
  name: 'users.get',
  method: 'GET',
  path: '/users/{user_id}',
  access: 'user',
  isForAnyKey: true,
  tag,
  summary: 'Get a user',
  success: { status: 200, description: 'The user', schema: PublicUser },
  errors: { 404: 'No such user' },
  async handle({ caller, key, params }, { directory, config }) {
    const id = params['user_id'] ?? '';
    const user = await directory.ask('user.get', { id });
    const shared = { user_id: caller.id, other_id: id, ...boardsOf(key) };
    const isHidden = isLimited(config, caller, key) && user !== null && !(await directory.ask('user.sharesBoard', shared));
    if (user === null || isHidden) throw new AppError('not_found', 'User not found');
    return answer(user);
  },
});

const searchUsers = operation({
  name: 'users.search',
  method: 'GET',
  path: '/users',
  access: 'user',
  isForAnyKey: true,
  quota: 'search',
  tag,
  summary: 'Search users',
  description:
    'Returns users whose username or e-mail address contains the text, ignoring case; without it, all users. If the ' +
    'setting `USER_DIRECTORY` is `shared`, only users who share a board with the caller are found, and others by exactly ' +
    'their e-mail address or username; superusers find everyone.',
  query: userListQuery,
  success: { status: 200, description: 'Users, ordered by username', schema: v.array(PublicUser) },
  async handle({ caller, key, query }, { directory, config }) {
    const { search, limit, offset } = query;
    const visible = isLimited(config, caller, key) ? { visibleTo: caller.id, ...boardsOf(key) } : {};
    return answer(await directory.ask('user.search', { search: search || null, limit, offset, ...visible }));
  },
});

function isLimited({ userDirectory }: Pick<Config, 'userDirectory'>, caller: User, key: KeyRights | null): boolean {
  return userDirectory === 'shared' && !actsAsSuperuser(caller, key);
}

/** The boards that count, if not all do. */
function boardsOf(key: KeyRights | null): { boards?: readonly Uuid[] } {
  return key === null || key.boards === null ? {} : { boards: [...key.boards.values()] };
}

export const userOperations: readonly Operation[] = [getUser, searchUsers];
