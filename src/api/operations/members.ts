/** The members of a board. */
import * as v from 'valibot';
import { MAX_PER_HOUR, type AuditDetails, type AuditEvent } from '../../domain/audit.js';
import { AppError } from '../../domain/errors.js';
import { isRestricted, ROLES } from '../../domain/model.js';
import { audited } from '../operation/audited.js';
import { askBoard, boardAnswer, boardOperation, keyIn, requireCaller, roleFor } from '../operation/boardOperation.js';
import { cleanUp } from '../operation/cleanUp.js';
import { uuid } from '../schemas/fields.js';
import { addition, reserveGrantFor, tooManyInvites } from './accounts/invitations.js';
import { accepted, type Operation, type OperationAnswer, type RawCall, type Services } from '../operation/operation.js';
import type { Validated } from '../operation/validated.js';
import { BoardMember, Invitation } from '../schemas/resources.js';

const tag = 'Members';

const listMembers = boardOperation({
  op: 'member.list',
  method: 'GET',
  path: '/boards/{board_id}/members',
  tag,
  summary: 'List the members of a board',
  success: { status: 200, description: 'Members, in the order in which they joined', schema: v.array(BoardMember) },
});

const InviteBody = v.object({ user_id: uuid(), role: v.optional(v.picklist(ROLES), 'member') });

const invite: Operation = {
  name: 'member.add',
  method: 'POST',
  path: '/boards/{board_id}/invite',
  access: roleFor('member.add'),
  tag,
  summary: 'Invite a user to a board',
  description:
    'With a role: an `owner` may do everything; a `member` changes what is on the board; a `commenter` reads it and comments; a ' +
    '`viewer` reads it. All of them may export the board and leave it.',
  query: {},
  body: { kind: 'json', schema: InviteBody },
  success: { status: 200, description: 'The user is now a member', schema: Invitation },
  errors: {
    404: 'No such board, or no such user',
    409: 'The user is already a member',
    429: 'The caller has added as many members today as `MAX_INVITES_PER_DAY` allows',
  },
  /** A caller without the right to invite causes no look-up in the directory, and gets 403 for every user in the body. */
  async invoke(call, services) {
    const caller = requireCaller(call);
    const target = call.params['board_id'] ?? '';
    const idempotency = keyIn(call);
    const begun = await askBoard(services, caller, { op: 'member.begin', target, input: {}, ...idempotency });
    if (begun.replayed === true) return boardAnswer(begun);
    accepted(call.idempotency);
    const { user_id, role } = accepted(call.body as Validated<v.InferOutput<typeof InviteBody>>);
    const { user, count, release } = await reserveGrantFor(services, caller.id, user_id);
    const giveBack = (): Promise<void> => cleanUp(services, 'releasing a membership that was not granted', release);
    if (user === null) {
      await giveBack();
      throw new AppError('not_found', 'User not found');
    }
    if (count < 1) throw tooManyInvites(services);
    const command = { ...addition(user, role), target, caller: { user_id: caller.id }, ...idempotency };
    const outcome = await services.boards.ask(command);
    if (!outcome.ok || outcome.replayed === true) await giveBack();
    if (outcome.ok) return boardAnswer(outcome);
    throw AppError.from(outcome.error);
  },
};

const removeAtOnce = boardOperation({
  op: 'member.remove',
  method: 'DELETE',
  path: '/boards/{board_id}/members/{user_id}',
  tag,
  summary: 'Remove a member or leave a board',
  description:
    'The service also removes the user’s assignments on the board and closes their sockets on it. Automation rules ' +
    'that refer to the user lose the reference and are disabled. While many assignments are removed, the user cannot be ' +
    'assigned again.',
  success: { status: 204, description: 'Removed' },
  errors: { 404: 'No such board, or no such member', 409: 'A board must keep an owner' },
  input: ({ params }) => ({ user_id: params['user_id'] ?? '' }),
});

/**
 * How often assignments are removed before a removal gives up. The first step keeps new ones from being added; only a
 * board that moved to another owner in between may have more again.
 */
const MAX_ROUNDS = 3;
/** Far above what a board of the largest size needs: two million assignments. */
const MAX_STEPS = 20_000;

/**
 * Many assignments are removed in several commits, so that no other request waits long; the last one removes the
 * member.
 */
const removeMember: Operation = { ...removeAtOnce, invoke: (call, services) => inSteps(removeAtOnce, call, services) };

async function inSteps(atOnce: Operation, call: RawCall, services: Services): Promise<OperationAnswer> {
  for (let round = 1; ; round += 1) {
    try {
      return await atOnce.invoke(call, services);
    } catch (error) {
      if (round > MAX_ROUNDS || !(error instanceof AppError) || error.code !== 'limit') throw error;
    }
    await unassign(call, services);
  }
}

async function unassign(call: RawCall, services: Services): Promise<void> {
  const target = call.params['board_id'] ?? '';
  const input = { user_id: call.params['user_id'] ?? '' };
  for (let step = 1; step <= MAX_STEPS; step += 1) {
    const { json } = await askBoard(services, requireCaller(call), { op: 'member.unassign', target, input });
    if (json !== 'true') return;
  }
}

const RoleBody = v.object({ role: v.picklist(ROLES) });

const setRoleDefinition = {
  method: 'PATCH',
  path: '/boards/{board_id}/members/{user_id}',
  tag,
  summary: 'Change a member’s role',
  description:
    'A user who becomes a `commenter` or a `viewer` loses the assignments on the board, as by a removal, and changes nothing from ' +
    'then on; a commenter still comments. The new role holds at once for open sockets and API keys.',
  body: { kind: 'json', schema: RoleBody },
  success: { status: 200, description: 'The member', schema: BoardMember },
  errors: {
    404: 'No such board, or no such member',
    409: 'A board must keep an owner',
    429: `The caller has changed ${MAX_PER_HOUR['member.role_changed']} roles within an hour`,
  },
} as const;

const raise = boardOperation({
  ...setRoleDefinition,
  op: 'member.setRole',
  input: ({ params, body }) => ({ user_id: params['user_id'] ?? '', role: body.role }),
});

const restrict = boardOperation({
  ...setRoleDefinition,
  op: 'member.restrict',
  input({ params, body: { role } }) {
    if (!isRestricted(role)) throw new Error(`${role} is no restriction`);
    return { user_id: params['user_id'] ?? '', role };
  },
});

/** An invalid body goes with the first, which refuses it. */
const setRole: Operation = {
  ...raise,
  invoke(call, services) {
    const body = call.body as Validated<v.InferOutput<typeof RoleBody>>;
    return body.ok && isRestricted(body.value.role) ? inSteps(restrict, call, services) : raise.invoke(call, services);
  },
};

/** The board, and the member in question. */
function membership({ params }: RawCall, details: AuditDetails): Pick<AuditEvent, 'subject' | 'details'> {
  return { subject: { id: params['board_id'] ?? '' }, details };
}

export const memberOperations: readonly Operation[] = [
  listMembers,
  audited(invite, 'member.added', (call) => {
    return membership(call, accepted(call.body as Validated<v.InferOutput<typeof InviteBody>>));
  }),
  audited(removeMember, 'member.removed', (call) => membership(call, { user_id: call.params['user_id'] ?? '' })),
  audited(setRole, 'member.role_changed', (call) => {
    const { role } = accepted(call.body as Validated<v.InferOutput<typeof RoleBody>>);
    return membership(call, { user_id: call.params['user_id'] ?? '', role });
  }),
];
