import { randomUUID } from 'node:crypto';
import type { PublicUser } from '../../src/domain/account/user.js';

/** An ordinary, active user, except for these fields. */
export function publicUser(username: string, fields: Partial<PublicUser> = {}): PublicUser {
  return {
    id: randomUUID(),
    email: `${username}@example.org`,
    username,
    firstname: null,
    lastname: null,
    is_active: true,
    is_verified: false,
    is_superuser: false,
    ...fields,
  };
}
