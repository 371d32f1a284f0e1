/** The rules for a new password. The operator sets them; only the upper bound is fixed. */
import type { Config } from '../settings/config.js';

type CharacterClass = Config['passwordRequire'][number];

export interface PasswordRules {
  /** In code points, so an emoji or a letter outside the basic plane is one character. */
  readonly minLength: number;
  readonly require: readonly CharacterClass[];
}

/**
 * In UTF-8. More than any password manager produces, but small enough that no client can make us copy and hash a
 * body-sized password.
 */
export const MAX_PASSWORD_BYTES = 1024;

const CLASSES: Readonly<Record<CharacterClass, { readonly pattern: RegExp; readonly description: string }>> = {
  lower: { pattern: /\p{Ll}/u, description: 'a lower-case letter' },
  upper: { pattern: /[\p{Lu}\p{Lt}]/u, description: 'an upper-case letter' },
  digit: { pattern: /\p{Nd}/u, description: 'a digit' },
  symbol: { pattern: /[\p{P}\p{S}]/u, description: 'a symbol' },
};

/** Unpaired surrogates all become U+FFFD in UTF-8, so passwords that differ only in them would be equal. */
const LONE_SURROGATE = /\p{Cs}/u;

/** One sentence that names everything the password lacks, or null if it is acceptable. */
export function passwordProblem(password: string, rules: PasswordRules): string | null {
  // No further checks: scanning a body-sized password would block the I/O thread.
  if (isOverlong(password)) return `The password must have at most ${MAX_PASSWORD_BYTES} bytes in UTF-8.`;
  const needs: string[] = [];
  if ([...password].length < rules.minLength) {
    needs.push(`at least ${rules.minLength} ${rules.minLength === 1 ? 'character' : 'characters'}`);
  }
  for (const required of new Set(rules.require)) {
    const { pattern, description } = CLASSES[required];
    if (!pattern.test(password)) needs.push(description);
  }
  if (LONE_SURROGATE.test(password)) needs.push('only valid Unicode characters');
  return needs.length === 0 ? null : `The password must have ${enumerate(needs)}.`;
}

/** `a`, `a and b`, `a, b, and c`. The first use of `Intl.ListFormat` takes 20 ms. */
function enumerate(parts: readonly string[]): string {
  if (parts.length < 3) return parts.join(' and ');
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`;
}

export function isOverlong(password: string): boolean {
  return Buffer.byteLength(password) > MAX_PASSWORD_BYTES;
}
