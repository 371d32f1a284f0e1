/**
 * A card on its way to another board stays as it was sent. Checked on what a command has changed, so that no command gets around it,
 * whether it names the card, its column, something on it or all of the board.
 */
import type { Uuid } from '../../ids.js';
import type { Card, Change } from '../../model.js';
import { isLeaving } from '../../refusals.js';
import type { BoardState } from '../board.js';

/** A card on its way keeps no member and no label on the board. Deleting the board ends the move. */
const GOES_ON = /^(member\.|label\.delete$|board\.delete$)/;

/** `board`: before the changes, with cards that are on their way. */
export function refuseLeaving(board: BoardState, op: string, changes: readonly Change[]): void {
  if (GOES_ON.test(op)) return;
  for (const change of changes) if (cardsIn(board, change).some((id) => id !== undefined && board.leaving.has(id))) throw isLeaving();
}

/** The cards that it changes, or on which it changes something. */
function cardsIn(board: BoardState, change: Change): ReadonlyArray<Uuid | undefined> {
  const id = 'put' in change ? change.put.id : change.remove;
  switch (change.kind) {
    case 'card':
      return 'put' in change && isOnlyShifted(board.get('card', id), change.put) ? [] : [id];
    case 'column':
      return 'put' in change ? [] : [...board.leaving].filter((card) => board.get('card', card)?.column_id === id);
    case 'checklist':
    case 'attachment':
    case 'comment':
      return [board.get(change.kind, id)?.card_id, 'put' in change ? change.put.card_id : undefined];
    case 'item':
      return [board.get('item', id)?.checklist_id, 'put' in change ? change.put.checklist_id : undefined].map(
        (checklist) => checklist && board.get('checklist', checklist)?.card_id,
      );
    default:
      return [];
  }
}

/** It makes room for another card in its column. */
function isOnlyShifted(before: Card | undefined, after: Card): boolean {
  if (before === undefined) return false;
  return (Object.keys(after) as Array<keyof Card>).every((field) => field === 'rank' || after[field] === before[field]);
}
