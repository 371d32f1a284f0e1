/** The members whom a text names: `@` and their username, in any case. Any other `@` is plain text. */
import type { Uuid } from '../../ids.js';
import { foldCase } from '../../account/user.js';
import { list, type BoardView } from '../view.js';

/** More signs than these in one text are plain text: each is compared with names of up to 255 characters. */
const MAX_SIGNS = 500;
const WORD = /[\p{L}\p{M}\p{N}_]/u;

/** Finds each member once, in the order of the text. */
export type MentionFinder = (text: string) => Uuid[];

export function mentionsIn(view: BoardView, text: string): Uuid[] {
  return text.includes('@') ? mentionFinder(view)(text) : [];
}

/** For many texts of a board whose members stay. */
export function mentionFinder(view: BoardView): MentionFinder {
  const names = new Map(list(view, 'member', view.id).map(({ id, user }) => [foldCase(user.username), id]));
  const longest = Math.max(0, ...Array.from(names.keys(), (name) => name.length));
  return (text) => findMentions(names, longest, text);
}

function findMentions(names: ReadonlyMap<string, Uuid>, longest: number, text: string): Uuid[] {
  const folded = foldCase(text);
  const found = new Set<Uuid>();
  let signs = 0;
  for (let at = folded.indexOf('@'); at >= 0 && signs < MAX_SIGNS; at = folded.indexOf('@', at + 1)) {
    signs += 1;
    // As in an address.
    if (at > 0 && WORD.test(folded[at - 1] ?? '')) continue;
    const id = longestName(names, folded, at + 1, longest);
    if (id !== undefined) found.add(id);
  }
  return [...found];
}

/** A name may have spaces and dots, so the longest one that ends with its word counts. */
function longestName(names: ReadonlyMap<string, Uuid>, text: string, from: number, longest: number): Uuid | undefined {
  for (let end = Math.min(from + longest, text.length); end > from; end -= 1) {
    if (WORD.test(text[end - 1] ?? '') && WORD.test(text[end] ?? '')) continue;
    const id = names.get(text.slice(from, end));
    if (id !== undefined) return id;
  }
  return undefined;
}
