/** What a provider says about a person, from the claims of its token and its user info. */

export interface ProviderProfile {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly isEmailVerified: boolean;
  readonly preferredUsername: string | null;
  readonly firstname: string | null;
  readonly lastname: string | null;
  readonly groups: readonly string[];
}

export type Claims = Readonly<Record<string, unknown>>;

/** By the specification of OpenID Connect. */
const MAX_SUBJECT_CHARACTERS = 255;

/** Null if the claims name no user. */
export function readProfile(claims: Claims, groupsClaim: string): ProviderProfile | null {
  const [issuer, subject] = [textOf(claims['iss']), textOf(claims['sub'])];
  if (issuer === null || subject === null || subject.length > MAX_SUBJECT_CHARACTERS) return null;
  return {
    issuer,
    subject,
    email: textOf(claims['email']),
    // Some providers send the word.
    isEmailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
    preferredUsername: textOf(claims['preferred_username']),
    firstname: textOf(claims['given_name']),
    lastname: textOf(claims['family_name']),
    groups: listOf(claims[groupsClaim]),
  };
}

function textOf(value: unknown): string | null {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? null : text;
}

function listOf(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((each) => typeof each === 'string');
}
