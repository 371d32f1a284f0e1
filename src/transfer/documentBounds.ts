/** Bounds the number of things in a document. Counted before validation, which takes longer. */
import { AppError } from '../domain/errors.js';
import { countTrelloThings } from './trelloBoard.js';

/** Cards, items and the rest together. */
export const MAX_THINGS = 50_000;
/** Entries of lists that are not things: labels and assignees of cards, or garbage. */
const MAX_REFERENCES = 200_000;

interface Things {
  readonly things: number;
  readonly references: number;
}

export function countThings(document: unknown, isTrello: boolean): Things {
  return isTrello ? { things: countTrelloThings(document), references: 0 } : countParts(document);
}

export function requireBounded({ things, references }: Things): void {
  if (things > MAX_THINGS) {
    throw new AppError('too_large', `body: has ${things} cards, items and other things; at most ${MAX_THINGS} are allowed`);
  }
  if (references > MAX_REFERENCES) {
    throw new AppError('too_large', `body: has ${references} entries in its lists; at most ${MAX_REFERENCES} are allowed`);
  }
}

/** Each thing is an object, and so is the document. */
function countParts(document: unknown): Things {
  let things = -1;
  let references = 0;
  for (const waiting: unknown[] = [document]; waiting.length > 0;) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) {
      references += 1;
      continue;
    }
    if (Array.isArray(value)) {
      for (const entry of value) waiting.push(entry);
      continue;
    }
    things += 1;
    for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) waiting.push(part);
  }
  return { things, references };
}
