/** The names that a new account takes over from the provider, as far as they are valid here. */
import * as v from 'valibot';
import { randomBytes } from 'node:crypto';
import type { ProviderProfile } from '../../auth/sso/claims.js';
import { email, optionalName, username } from '../schemas/fields.js';

const NUMBERED = 20;
/** Room for the number. */
const MAX_BASE_CHARACTERS = 40;

const [EMAIL, NAME, USERNAME] = [email(), optionalName(), username()];

/** Null if there is none, or it is not valid. */
export function emailOf(profile: ProviderProfile): string | null {
  const parsed = v.safeParse(EMAIL, profile.email);
  return parsed.success ? parsed.output : null;
}

export function nameOf(name: string | null): string | null {
  const parsed = v.safeParse(NAME, name);
  return parsed.success ? (parsed.output ?? null) : null;
}

/** In the order of preference: a plain name, then with numbers, and at last one that is certainly free. */
export function usernamesFor({ preferredUsername, email: address }: ProviderProfile): string[] {
  // An address as a username could be another user's.
  const given = [preferredUsername, address].map((name) => name?.split('@')[0] ?? '');
  const base = [...given, 'user'].map(shortened).find((name) => v.safeParse(USERNAME, name).success) ?? 'user';
  const numbered = Array.from({ length: NUMBERED }, (_, index) => `${base}${index + 2}`);
  return [base, ...numbered, `${base}-${randomBytes(4).toString('hex')}`].flatMap((name) => {
    const parsed = v.safeParse(USERNAME, name);
    return parsed.success ? [parsed.output] : [];
  });
}

function shortened(name: string): string {
  return [...name].slice(0, MAX_BASE_CHARACTERS).join('').trim();
}
