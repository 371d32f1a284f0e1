/**
 * The numbers of cards: unique on a board, from 1, given once. The owner of a board numbers the cards of older programs in
 * commits, so that all copies have the same numbers: a copy that numbered its rows by itself could have applied other commits.
 */
import type { Change, Card } from '../../model.js';
import type { Uuid } from '../../ids.js';
import { MAX_AT_ONCE } from '../../slices.js';
import { everyCard, type BoardView } from '../view.js';

/** Of what is imported. A board that goes on from here has room for as many cards again. */
export const MAX_NUMBER = 999_999_999;

interface NumberedBoard extends BoardView {
  readonly lastNumber: number;
}

/** Numbers the cards that have none in the order of their creation. Each list must be applied before the next is taken. */
export function* numberCards(board: NumberedBoard): Generator<readonly Change[], void> {
  const cards = [...everyCard(board)].filter(({ number }) => number === null).sort(byCreation);
  for (let at = 0; at < cards.length; at += MAX_AT_ONCE) {
    const { lastNumber } = board;
    yield cards.slice(at, at + MAX_AT_ONCE).map((card, index) => ({ kind: 'card', put: { ...card, number: lastNumber + 1 + index } }));
  }
}

export function cardNumbered(view: BoardView, number: number): Card | undefined {
  for (const card of everyCard(view)) if (card.number === number) return card;
  return undefined;
}

/** Numbers for the cards of a new board: each keeps the one that it has if no card before it does, the others follow the highest. */
export function numbersFor(wished: ReadonlyArray<number | null>): number[] {
  const taken = new Set<number>();
  const kept = wished.map((number) => {
    if (number === null || taken.has(number)) return null;
    taken.add(number);
    return number;
  });
  let last = kept.reduce<number>((highest, number) => Math.max(highest, number ?? 0), 0);
  return kept.map((number) => number ?? ++last);
}

function byCreation(a: Created, b: Created): number {
  return compare(a.created_at, b.created_at) || compare(a.id, b.id);
}

interface Created {
  readonly id: Uuid;
  readonly created_at: string;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
