/** The members whom a text names: `@` and their username, in any case. Any other `@` is plain text. */
import type { Uuid } from '../../ids.js';
import { foldCase } from '../../account/user.js';
import { list, type BoardView } from '../view.js';

/** More signs than these in one text are plain text. */
const MAX_SIGNS = 500;
/** The same after so many comparisons with names, each of up to 255 characters: a millisecond. */
const MAX_COMPARISONS = 4_000;
const WORD = /[\p{L}\p{M}\p{N}_]/u;

/** Finds each member once, in the order of the text. */
export type MentionFinder = (text: string) => Uuid[];

export function mentionsIn(view: BoardView, text: string): Uuid[] {
  return text.includes('@') ? mentionFinder(view)(text) : [];
}

/** For many texts of a board whose members stay. */
export function mentionFinder(view: BoardView): MentionFinder {
  const names = new Map(list(view, 'member', view.id).map(({ id, user }) => [foldCase(user.username), id]));
  // The longest first.
  const lengths = [...new Set(Array.from(names.keys(), (name) => name.length))].sort((a, b) => b - a);
  return (text) => findMentions(names, lengths, text);
}

function findMentions(names: ReadonlyMap<string, Uuid>, lengths: readonly number[], text: string): Uuid[] {
  const folded = foldCase(text);
  const found = new Set<Uuid>();
  const budget = { comparisons: MAX_COMPARISONS };
  let signs = 0;
  for (let at = folded.indexOf('@'); at >= 0 && signs < MAX_SIGNS; at = folded.indexOf('@', at + 1)) {
    signs += 1;
    // As in an address.
    if (at > 0 && WORD.test(folded[at - 1] ?? '')) continue;
    const id = longestName(names, folded, at + 1, lengths, budget);
    if (id !== undefined) found.add(id);
  }
  return [...found];
}

/** A name may have spaces and dots, so the longest one that ends with its word counts. */
function longestName(
  names: ReadonlyMap<string, Uuid>,
  text: string,
  from: number,
  lengths: readonly number[],
  budget: { comparisons: number },
): Uuid | undefined {
  for (const length of lengths) {
    const end = from + length;
    if (end > text.length || (WORD.test(text[end - 1] ?? '') && WORD.test(text[end] ?? ''))) continue;
    if ((budget.comparisons -= 1) < 0) return undefined;
    const id = names.get(text.slice(from, end));
    if (id !== undefined) return id;
  }
  return undefined;
}
