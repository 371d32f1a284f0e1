/** Invitations: links with which others register, and join a board. */
import { HOUR_MS } from '../../../domain/content/time.js';
import * as v from 'valibot';
import { hashInviteToken, newInviteToken } from '../../../auth/inviteTokens.js';
import { actsAsSuperuser, requireBoard } from '../../../domain/account/apiKey.js';
import { AppError } from '../../../domain/errors.js';
import { invalidInvitation, type Invitation } from '../../../domain/account/invitation.js';
import type { PublicUser } from '../../../domain/account/user.js';
import type { Uuid } from '../../../domain/ids.js';
import { isRestricted, ROLES, type Role } from '../../../domain/model.js';
import { clientOf } from '../../operation/audited.js';
import { askBoard } from '../../operation/boardOperation.js';
import { findInvitation, joinInvitedBoard } from '../../accounts/inviteLinks.js';
import { admitInviteMail, mailInvitation, titleOf } from '../../accounts/inviteMail.js';
import { changeOnce, keyedRequest } from '../../operation/keyedChange.js';
import { answer, operation, type Operation, type Services } from '../../operation/operation.js';
import { pageLink } from '../../pageLinks.js';
import { integerParameter } from '../../operation/queryParameters.js';
import { documentedCheck, email, uuid } from '../../schemas/fields.js';
import { timestamp } from '../../schemas/basics.js';
import { InviteLink, NewInviteLink } from '../../schemas/resources.js';

const tag = 'Invitations';
const MAX_USES = 1_000;
const MAX_HOURS = 30 * 24;
const DEFAULT_HOURS = 7 * 24;
const PAGE = 200;
const MAX_TOKEN_CHARACTERS = 100;

const wholeFrom1 = (max: number) =>
  v.pipe(
    v.number(),
    documentedCheck((number) => Number.isSafeInteger(number) && number >= 1 && number <= max, `must be a whole number from 1 to ${max}`, {
      type: 'integer',
      minimum: 1,
      maximum: max,
    }),
  );

const createLink = operation({
  name: 'invitation.create',
  method: 'POST',
  path: '/invitations',
  access: 'user',
  isForAnyKey: true,
  tag,
  summary: 'Create an invitation',
  description:
    'Whoever has the token can register, also if registration is by invitation only, as often as `max_uses` allows and ' +
    'until it expires. With `board_id` they also join that board with the role; the caller must be an owner of it. ' +
    'Superusers can invite. Owners of a board can invite to it if the setting `INVITATIONS` is `owners`. An invitation ' +
    'is valid only as long as its creator is active and still entitled. The token is in this answer alone, and with ' +
    '`PUBLIC_URL` in its `url`, the page to accept the invitation. With `email` the link is also mailed there; the answer ' +
    'does not depend on who has that address.',
  body: {
    kind: 'json',
    schema: v.object({
      board_id: v.optional(v.nullable(uuid())),
      role: v.optional(v.picklist(ROLES), 'member'),
      max_uses: v.optional(wholeFrom1(MAX_USES), 1),
      expires_in_hours: v.optional(wholeFrom1(MAX_HOURS), DEFAULT_HOURS),
      email: v.optional(email()),
    }),
  },
  isAnswerKept: false,
  success: { status: 201, description: 'The invitation with its token', schema: NewInviteLink },
  errors: {
    403: 'The caller may not invite, or is not an owner of the board, or the service sends no mail (`SMTP_URL` is not set)',
    404: 'No such board',
    409: 'The caller has too many invitations',
    429: 'Too many invitations were mailed to this address, or by the caller; try again after `Retry-After` seconds',
    503: 'Too many mails are waiting to be sent; try again after `Retry-After` seconds',
  },
  async handle(call, services) {
    const { caller, key, body } = call;
    const client = clientOf(call);
    const board_id = body.board_id ?? null;
    requireBoard(key, board_id ?? '');
    if (!actsAsSuperuser(caller, key) && (board_id === null || services.config.invitations !== 'owners')) {
      const others = services.config.invitations === 'owners' ? ', and owners to their boards' : '';
      throw new AppError('forbidden', `Only superusers can invite${others}`);
    }
    if (board_id !== null) await requireEntitled(services, caller, board_id, body.role);
    if (body.email !== undefined) admitInviteMail(services, caller, body.email);
    const token = newInviteToken();
    const now = services.now();
    const invitation: Invitation = {
      id: services.ids.fresh(),
      token_hash: hashInviteToken(token),
      created_by: caller.id,
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + body.expires_in_hours * HOUR_MS).toISOString(),
      max_uses: body.max_uses,
      uses: 0,
      board_id,
      role: board_id === null ? null : body.role,
    };
    const details = board_id === null ? { max_uses: body.max_uses } : { max_uses: body.max_uses, board_id, role: body.role };
    const event = { kind: 'invitation.created', user: caller, client, subject: { id: invitation.id }, details } as const;
    await services.audit.along(event, (entry) => services.directory.ask('invitation.create', invitation, entry));
    if (body.email !== undefined) mailInvitation(services, caller, body.email, invitation, token);
    const { publicUrl } = services.config;
    return answer({ ...shown(invitation), token, ...(publicUrl === null ? {} : { url: pageLink(publicUrl, 'invitation', token) }) });
  },
});

const listLinks = operation({
  name: 'invitation.list',
  method: 'GET',
  path: '/invitations',
  access: 'user',
  tag,
  summary: 'List invitations',
  description:
    'The caller’s, and for superusers those of everyone, the latest first. Used up and expired ones are listed until they are revoked or replaced.',
  query: {
    limit: integerParameter('The maximum number of invitations in the answer', { min: 1, max: PAGE, absent: PAGE }),
    offset: integerParameter('The number of invitations to skip', { min: 0, absent: 0 }),
  },
  success: { status: 200, description: 'Invitations', schema: v.array(InviteLink) },
  async handle({ caller, key, query }, { directory }) {
    const created_by = actsAsSuperuser(caller, key) ? null : caller.id;
    return answer((await directory.ask('invitation.list', { created_by, ...query })).map(shown));
  },
});

const revokeLink = operation({
  name: 'invitation.revoke',
  method: 'DELETE',
  path: '/invitations/{invitation_id}',
  access: 'user',
  tag,
  summary: 'Revoke an invitation',
  description: 'One of the caller’s; superusers revoke any.',
  success: { status: 204, description: 'Revoked' },
  errors: { 404: 'No such invitation' },
  async handle(call, services) {
    const { caller, key, params, idempotency } = call;
    const client = clientOf(call);
    const created_by = actsAsSuperuser(caller, key) ? null : caller.id;
    const request = keyedRequest(services, caller.id, idempotency);
    const input = { id: params['invitation_id'] ?? '', created_by };
    const { value: isRevoked, headers } = await changeOnce(services, request, 'invitation.remove', input, {
      kind: 'invitation.revoked',
      user: caller,
      client,
      subject: { id: input.id },
    });
    if (!isRevoked) throw new AppError('not_found', 'Invitation not found');
    return { json: null, headers };
  },
});

const acceptLink = operation({
  name: 'invitation.accept',
  method: 'POST',
  path: '/invitations/accept',
  access: 'user',
  tag,
  summary: 'Accept an invitation to a board',
  description:
    'For a user who has an account already. It counts as one use for each user, so the request can be repeated. If the board ' +
    'cannot be joined now, the use stays reserved for the user. A user who has left the board, or was removed, needs another ' +
    'invitation.',
  body: { kind: 'json', schema: v.object({ token: v.string() }) },
  isAnswerKept: false,
  success: { status: 200, description: 'The board that the caller is on now', schema: v.object({ board_id: uuid() }) },
  errors: {
    403: 'The invitation is not valid, was used up, or has expired',
    409: 'The invitation is to no board',
    429: 'The inviter has added as many members today as `MAX_INVITES_PER_DAY` allows',
  },
  async handle(call, services) {
    const { caller, body } = call;
    const client = clientOf(call);
    const invitation = await findInvitation(services, body.token, caller.id);
    const { board_id } = invitation;
    if (board_id === null) throw new AppError('conflict', 'The invitation is to no board');
    const boards = await services.directory.ask('membership.list', { user_id: caller.id, boards: [board_id] });
    if (!boards.includes(board_id)) {
      const now = services.now().toISOString();
      const event = { kind: 'invitation.accepted', user: caller, client, subject: { id: invitation.id }, details: { board_id } } as const;
      const input = { token_hash: invitation.token_hash, now, user_id: caller.id };
      const countUse = (): Promise<boolean> =>
        services.audit.along(
          event,
          (entry) => services.directory.ask('invitation.use', input, entry),
          (isCounted) => isCounted,
        );
      await joinInvitedBoard(services, invitation, caller, client, countUse);
    }
    return answer({ board_id });
  },
});

const previewLink = operation({
  name: 'invitation.preview',
  method: 'POST',
  path: '/invitations/preview',
  access: 'public',
  tag,
  summary: 'Show what an invitation is to',
  description:
    'For the page that the link leads to, before an account is made or a user has logged in. Only who has the token learns the ' +
    'title of the board and the name of the inviter. Nothing is used up. A wrong token counts as a failed login.',
  body: { kind: 'json', schema: v.object({ token: v.pipe(v.string(), v.maxLength(MAX_TOKEN_CHARACTERS)) }) },
  isAnswerKept: false,
  success: {
    status: 200,
    description: 'The invitation',
    schema: v.object({
      inviter: v.pipe(v.string(), v.description('The username of who made it')),
      board: v.pipe(v.nullable(v.object({ id: uuid(), title: v.string() })), v.description('Null if it is to the service alone')),
      expires_at: timestamp(),
    }),
  },
  errors: {
    403: 'The invitation is not valid, was used up, or has expired',
    429: 'Too many wrong tokens from this address; try again after `Retry-After` seconds',
  },
  async handle({ body, address }, services) {
    // Each token is an account of its own, so that guesses from one address delay no one else.
    const shown = await services.loginGuard.attempt(hashInviteToken(body.token), address(), async () => {
      try {
        return await describe(services, await findInvitation(services, body.token));
      } catch (error) {
        if (error instanceof AppError && error.code === 'forbidden') return null;
        throw error;
      }
    });
    if (shown === null) throw invalidInvitation();
    return answer(shown);
  },
});

export const inviteLinkOperations: readonly Operation[] = [createLink, listLinks, previewLink, revokeLink, acceptLink];

/** An older program would make everyone a member, whatever the role of the invitation. */
async function requireEntitled(services: Services, caller: PublicUser, target: Uuid, role: Role): Promise<void> {
  if (isRestricted(role)) await askBoard(services, caller, { op: 'member.beginRestricted', target, input: { role } });
  else await askBoard(services, caller, { op: 'member.begin', target, input: {} });
}

interface ShownInvitation {
  readonly inviter: string;
  readonly board: { readonly id: Uuid; readonly title: string } | null;
  readonly expires_at: string;
}

/** Null if the inviter or the board is gone. */
async function describe(services: Services, { created_by, board_id, expires_at }: Invitation): Promise<ShownInvitation | null> {
  const inviter = await services.directory.ask('user.get', { id: created_by });
  if (inviter === null) return null;
  const title = board_id === null ? null : await titleOf(services, inviter, board_id);
  if ((title === null) !== (board_id === null)) return null;
  return { inviter: inviter.username, board: board_id === null || title === null ? null : { id: board_id, title }, expires_at };
}

function shown({ token_hash: _secret, ...invitation }: Invitation): Omit<Invitation, 'token_hash'> {
  return invitation;
}
