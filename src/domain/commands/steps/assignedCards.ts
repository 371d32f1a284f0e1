/** The cards of a board on which a user has work left, for the list over all boards. */
import type { Uuid } from '../../ids.js';
import type { BoardRecord, Card, Column } from '../../model.js';
import { list, type BoardView } from '../../board/view.js';

/** Of one board. Of more cards the first that are due are shown. */
const MAX_ASSIGNED = 1_000;

export interface AssignedCard extends Pick<Card, 'id' | 'column_id' | 'number' | 'title' | 'start_at' | 'due_at'> {
  readonly board_id: Uuid;
  readonly board_title: string;
  readonly column_title: string;
}

/** By date, those without one last. */
export function assignedTo(view: BoardView, board: BoardRecord, user: Uuid): AssignedCard[] {
  const cards = list(view, 'column', board.id).flatMap((column) => {
    return list(view, 'card', column.id)
      .filter(({ completed_at, assignee_ids }) => completed_at === null && assignee_ids.includes(user))
      .map((card) => shown(board, column, card));
  });
  return cards.sort(byDate).slice(0, MAX_ASSIGNED);
}

/** The place of a card in the list. A day ends in UTC where no reader is known; a card without a date is after all others. */
export function placeOf({ due_at, id }: Pick<AssignedCard, 'due_at' | 'id'>): string {
  return `${due_at === null ? 'none' : due_at.length > DAY_CHARACTERS ? due_at : `${due_at}T23:59:59.999Z`}_${id}`;
}

const DAY_CHARACTERS = 'YYYY-MM-DD'.length;
export const ASSIGNED_PLACE = /^(?:none|\d{4}-\d{2}-\d{2}T[\d:.]{12}Z)_[0-9a-f-]{36}$/;

export function byDate(a: AssignedCard, b: AssignedCard): number {
  const [placeA, placeB] = [placeOf(a), placeOf(b)];
  return placeA < placeB ? -1 : placeA > placeB ? 1 : 0;
}

function shown(board: BoardRecord, column: Column, card: Card): AssignedCard {
  const { id, number, title, start_at, due_at } = card;
  return { id, board_id: board.id, column_id: column.id, number, title, start_at, due_at, board_title: board.title, column_title: column.title };
}
