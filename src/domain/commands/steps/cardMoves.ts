import type { Draft } from '../../board/draft.js';
import type { Uuid } from '../../ids.js';
import type { Card } from '../../model.js';
import { rankForMove, rankForNew, type Position } from '../../board/order/placing.js';

/** Moves a card within its column or to another one, and emits the event. */
export function moveCard(draft: Draft, card: Card, column: Uuid, position: Position, caller = draft.caller): Card {
  const rank = column === card.column_id ? rankForMove(draft, 'card', column, card, position) : rankForNew(draft, 'card', column, position, caller);
  const moved = draft.revise('card', card, { column_id: column, rank }, caller);
  draft.emit('card.moved', draft.render.card(moved), caller);
  return moved;
}
