/** How people are named and coloured. */
import type { BoardMember, PublicUser } from '../../client/index.js';

type Named = Pick<PublicUser, 'username'> & Partial<Pick<PublicUser, 'firstname' | 'lastname'>>;

/** As many as the style sheet has. */
const HUES = 16;

export function nameOf({ firstname, lastname, username }: Named): string {
  return [firstname, lastname].filter((part) => (part ?? '').trim() !== '').join(' ') || username;
}

export function initialsOf(user: Named): string {
  const words = nameOf(user)
    .split(/[\s._-]+/)
    .filter((word) => word !== '');
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return letters
    .map((word) => [...(word ?? '?')][0] ?? '?')
    .join('')
    .toLocaleUpperCase();
}

/** The same for a person everywhere. */
export function hueOf(userId: string): number {
  let sum = 0;
  for (const character of userId) sum = (sum * 31 + character.charCodeAt(0)) % 9973;
  return sum % HUES;
}

export type Role = BoardMember['role'];

/** Those who only view or comment cannot. */
export function canBeAssigned({ role }: Pick<BoardMember, 'role'>): boolean {
  return role === 'owner' || role === 'member';
}
