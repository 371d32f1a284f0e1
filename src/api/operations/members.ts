/** The members of a board. */
import * as v from 'valibot';
import type { BoardCommands, RefusedInput } from '../../domain/commands/commands.js';
import { bodyOf } from '../../domain/ports/boardsPort.js';
import { AppError } from '../../domain/errors.js';
import type { PublicUser } from '../../domain/user.js';
import { askBoard, boardOperation, requireCaller } from '../boardOperation.js';
import { uuid } from '../schemas/fields.js';
import { reserveGrants, tooManyInvites } from './invitations.js';
import type { Operation, RawCall, Services } from '../operation.js';
import type { Validated } from '../validated.js';
import { BoardMember, Invitation } from '../schemas/resources.js';

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

const InviteBody = v.object({ user_id: uuid() });

const invite: Operation = {
  name: 'member.add',
  method: 'POST',
  path: '/boards/{board_id}/invite',
  access: 'owner',
  tag,
  summary: 'Make a user a member',
  query: {},
  body: { kind: 'json', schema: InviteBody },
  success: { status: 200, description: 'The user is a member', schema: Invitation },
  errors: {
    404: 'No such board, or no such user',
    409: 'The user is a member already',
    429: 'The caller has added as many members today as `MAX_INVITES_PER_DAY` allows',
  },
  async invoke(call, services) {
    const caller = requireCaller(call);
    const invitation = await prepareInvitation(call.body as Validated<v.InferOutput<typeof InviteBody>>, caller, services);
    const outcome = await services.boards.ask({
      op: 'member.add',
      caller: { user_id: caller.id, role: 'owner' },
      target: call.params['board_id'] ?? '',
      input: invitation.input,
    });
    if (outcome.ok) return { json: bodyOf(outcome) };
    await invitation.release();
    throw AppError.from(outcome.error);
  },
};

interface PreparedInvitation {
  readonly input: BoardCommands['member.add'] | RefusedInput;
  release(): Promise<void>;
}

/** The board first decides whether the caller may invite at all; its refusal is passed on. */
async function prepareInvitation(
  body: Validated<v.InferOutput<typeof InviteBody>>,
  caller: PublicUser,
  services: Services,
): Promise<PreparedInvitation> {
  if (!body.ok) return { input: { refused: body.error, path: {} }, release: async () => undefined };
  const { user_id } = body.value;
  const user = await services.directory.ask('user.get', { id: user_id });
  if (user === null) return { input: { user_id, user }, release: async () => undefined };
  const { count, release } = await reserveGrants(services, caller.id, 1);
  const input = count === 1 ? { user_id, user } : { refused: tooManyInvites(services).toData(), path: {} };
  return { input, release };
}

const removeAtOnce = boardOperation({
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

/** How often assignments are removed before a removal gives up: someone else keeps adding new ones. */
const MAX_ROUNDS = 3;

/**
 * Many assignments are removed in several commits, so that no other request waits long; the last one removes the
 * member.
 */
const removeMember: Operation = {
  ...removeAtOnce,
  async invoke(call, services) {
    for (let round = 1; ; round += 1) {
      try {
        return await removeAtOnce.invoke(call, services);
      } catch (error) {
        if (round > MAX_ROUNDS || !(error instanceof AppError) || error.code !== 'limit') throw error;
      }
      await unassign(call, services);
    }
  },
};

async function unassign(call: RawCall, services: Services): Promise<void> {
  const target = call.params['board_id'] ?? '';
  const input = { user_id: call.params['user_id'] ?? '' };
  for (let more = true; more; ) {
    const { json } = await askBoard(services, requireCaller(call), 'self_or_owner', { op: 'member.unassign', target, input });
    more = json === 'true';
  }
}

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
