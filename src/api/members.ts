/** Who is on a board. */
import * as v from 'valibot';
import { boardOperation } from './boardOperation.js';
import { uuid } from './fields.js';
import type { Operation } from './operation.js';
import { BoardMember, Invitation } from './resources.js';

const tag = 'Members';

const listMembers = boardOperation({
  op: 'member.list',
  method: 'GET',
  path: '/boards/{board_id}/members',
  access: 'member',
  tag,
  summary: 'The members of a board',
  success: { status: 200, description: 'Members, in the order in which they joined', schema: v.array(BoardMember) },
});

const invite = boardOperation({
  op: 'member.add',
  method: 'POST',
  path: '/boards/{board_id}/invite',
  access: 'owner',
  tag,
  summary: 'Make a user a member',
  body: { kind: 'json', schema: v.object({ user_id: uuid() }) },
  success: { status: 200, description: 'The user is a member', schema: Invitation },
  errors: { 404: 'No such board, or no such user', 409: 'The user is a member already' },
  async input({ body: { user_id } }, { directory }) {
    return { user_id, user: await directory.ask('user.get', { id: user_id }) };
  },
});

const removeMember = boardOperation({
  op: 'member.remove',
  method: 'DELETE',
  path: '/boards/{board_id}/members/{user_id}',
  access: 'self_or_owner',
  tag,
  summary: 'Remove a member, or leave a board',
  description:
    'The user’s assignments on the board go with them, and their sockets on it are closed. Automation rules that ' +
    'refer to the user lose the reference and are disabled.',
  success: { status: 204, description: 'Removed' },
  errors: { 404: 'No such board, or no such member', 409: 'A board must keep an owner' },
  input: ({ params }) => ({ user_id: params['user_id'] ?? '' }),
});

const setRole = boardOperation({
  op: 'member.setRole',
  method: 'PATCH',
  path: '/boards/{board_id}/members/{user_id}',
  access: 'owner',
  tag,
  summary: 'Change a member’s role',
  body: { kind: 'json', schema: v.object({ role: v.picklist(['owner', 'member']) }) },
  success: { status: 200, description: 'The member', schema: BoardMember },
  errors: { 404: 'No such board, or no such member', 409: 'A board must keep an owner' },
  input: ({ params, body }) => ({ user_id: params['user_id'] ?? '', role: body.role }),
});

export const memberOperations: readonly Operation[] = [listMembers, invite, removeMember, setRole];
