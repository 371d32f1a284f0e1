/** Boards whose neighbours have hardly an integer between their ranks, some of them at the limits of ranks. */
import fc from 'fast-check';
import type { LoadedBoard } from '../../src/domain/board/board.js';
import type { Checklist } from '../../src/domain/model.js';
import { RANK_LIMIT } from '../../src/domain/board/order/rank.js';
import { crowdedBoard, idOf } from './fullBoard.js';

export const COLUMNS = 6;
/** In the first column; the third has `OTHER_CARDS` more. */
export const CARDS = 10;
export const OTHER_CARDS = 5;
/** All on the first card. */
export const CHECKLISTS = 5;
/** In the first checklist. */
export const ITEMS = 8;

const STEPS = [1, 1, 1, 1, 2, 2, 3, 50];

/** Rising ranks from the lowest possible on, up to the highest possible, or away from both. */
export function tightRanks(count: number): fc.Arbitrary<number[]> {
  const steps = fc.array(fc.constantFrom(...STEPS), { minLength: count - 1, maxLength: count - 1 });
  return fc.tuple(fc.constantFrom('lowest', 'highest', 'middle', 'middle'), steps).map(([where, distances]) => {
    const length = distances.reduce((sum, distance) => sum + distance, 0);
    const start = { lowest: -RANK_LIMIT, highest: RANK_LIMIT - length, middle: 7 }[where] ?? 0;
    let rank = start;
    return [start, ...distances.map((distance) => (rank += distance))];
  });
}

/** The ranks of the lists of a board. */
export const tightLists = fc.record({
  columns: tightRanks(COLUMNS),
  cards: tightRanks(CARDS),
  checklists: tightRanks(CHECKLISTS),
  items: tightRanks(ITEMS),
});

export type TightLists = typeof tightLists extends fc.Arbitrary<infer Lists> ? Lists : never;

/** The board of `crowdedBoard` with its rules and the given ranks. Cards of the third column stand at the high limit. */
export function tightBoard(ranks: TightLists): LoadedBoard {
  const { seq, entities } = crowdedBoard({ columns: COLUMNS, cards: CARDS + OTHER_CARDS, items: ITEMS });
  const others = entities.card.slice(CARDS).map((card, index) => {
    return { ...card, column_id: idOf('c0', 3), rank: RANK_LIMIT - OTHER_CARDS + index + 1 };
  });
  const checklist = entities.checklist.flatMap((first): Checklist[] =>
    ranks.checklists.map((rank, index) => ({ ...first, id: idOf('cc', index + 1), rank })),
  );
  return {
    epoch: '0',
    seq,
    entities: {
      ...entities,
      column: ranked(entities.column, ranks.columns),
      card: [...ranked(entities.card.slice(0, CARDS), ranks.cards), ...others],
      checklist,
      item: ranked(entities.item, ranks.items),
    },
  };
}

function ranked<T extends { rank: number }>(records: readonly T[], ranks: readonly number[]): T[] {
  return records.map((record, index) => ({ ...record, rank: ranks[index] ?? record.rank }));
}
