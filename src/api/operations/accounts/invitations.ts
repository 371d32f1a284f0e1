/** Limits the memberships that a user grants in a day. Being invited is not limited: others could use up that limit. */
import { AppError } from '../../../domain/errors.js';
import type { Uuid } from '../../../domain/ids.js';
import type { Services } from '../../operation/operation.js';

const DAY_MS = 86_400_000;

/** Memberships that a user is about to grant. */
export interface ReservedGrants {
  /** As many as requested, or as are left for today. */
  readonly count: number;
  /** Releases them: the board was not changed. */
  release(): Promise<void>;
}

export async function reserveGrants(
  services: Pick<Services, 'directory' | 'config' | 'now'>,
  inviter: Uuid,
  wanted: number,
): Promise<ReservedGrants> {
  const { directory, config } = services;
  const now = services.now().toISOString();
  const user = { user_id: inviter, now };
  const count = wanted === 0 ? 0 : await directory.ask('grant.reserve', { ...user, wanted, max: config.maxInvitesPerDay });
  return {
    count,
    async release() {
      if (count > 0) await directory.ask('grant.release', { ...user, count });
    },
  };
}

export function tooManyInvites({ config, now }: Services): AppError {
  const most = `${config.maxInvitesPerDay} members in a day (MAX_INVITES_PER_DAY)`;
  const retryAfter = Math.ceil((DAY_MS - (now().getTime() % DAY_MS)) / 1000);
  return new AppError('too_many', `A user can add at most ${most}; try again tomorrow (UTC)`, { retryAfter });
}
