/** Limits the memberships that a user grants in a day. Being invited is not limited: others could use up that limit. */
import type { PublicUser } from '../../../domain/account/user.js';
import type { BoardCommand } from '../../../domain/commands/commands.js';
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import type { Role } from '../../../domain/model.js';
import type { Services } from '../../operation/operation.js';
import { DAY_MS } from '../../../domain/content/time.js';

/** Memberships that a user is about to grant. */
export interface ReservedGrants {
  /** As many as requested, or as are left for today. */
  readonly count: number;
  /** Releases them: the board was not changed. */
  release(): Promise<void>;
}

type GrantServices = Pick<Services, 'directory' | 'config' | 'now'>;

export async function reserveGrants(services: GrantServices, inviter: Uuid, wanted: number): Promise<ReservedGrants> {
  const now = services.now().toISOString();
  if (wanted === 0) return grantsOf(services, inviter, now, 0);
  const reserved = await services.directory.ask('grant.reserve', { user_id: inviter, wanted, max: services.config.maxInvitesPerDay, now });
  return grantsOf(services, inviter, now, typeof reserved === 'number' ? reserved : reserved.count);
}

/** One membership for a user, who is looked up in the same command. */
export async function reserveGrantFor(
  services: GrantServices,
  inviter: Uuid,
  invited: Uuid,
): Promise<ReservedGrants & { readonly user: PublicUser | null }> {
  const { directory, config } = services;
  const now = services.now().toISOString();
  const reserved = await directory.ask('grant.reserve', { user_id: inviter, wanted: 1, max: config.maxInvitesPerDay, now, invited });
  if (typeof reserved !== 'number') return { ...grantsOf(services, inviter, now, reserved.count), user: reserved.user };
  // The owner of the directory is an older program.
  return { ...grantsOf(services, inviter, now, reserved), user: await directory.ask('user.get', { id: invited }) };
}

function grantsOf({ directory }: GrantServices, user_id: Uuid, now: string, count: number): ReservedGrants {
  return {
    count,
    async release() {
      if (count > 0) await directory.ask('grant.release', { user_id, now, count });
    },
  };
}

/** The command that puts a user on a board. `isAccepted`: the user came by a link. */
export function addition(
  user: PublicUser,
  role: Role,
  isAccepted = false,
): Pick<BoardCommand<'member.add'>, 'op' | 'input'> | Pick<BoardCommand<'member.addAs'>, 'op' | 'input'> {
  const input = { user_id: user.id, user, ...(isAccepted ? { is_accepted: true as const } : {}) };
  return role === 'member' ? { op: 'member.add', input } : { op: 'member.addAs', input: { ...input, role } };
}

export function tooManyInvites({ config, now }: Services): AppError {
  const most = `${config.maxInvitesPerDay} members in a day (MAX_INVITES_PER_DAY)`;
  const retryAfter = Math.ceil((DAY_MS - (now().getTime() % DAY_MS)) / 1000);
  return new AppError('too_many', `A user can add at most ${most}; try again tomorrow (UTC)`, { retryAfter });
}
