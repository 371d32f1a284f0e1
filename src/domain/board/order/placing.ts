/** Gives a record its position among its siblings, and emits events for siblings that make room. */
import type { Draft } from '../draft.js';
import type { EventType } from '../../events.js';
import type { Uuid } from '../../ids.js';
import type { Card, Entities } from '../../model.js';
import type { Entry } from './order.js';
import { completionAfter } from '../dates.js';
import { place, type Placing } from './rank.js';
import type { RankedKind } from '../structure.js';
import { need } from '../view.js';
import { tellWatchers } from '../watching/watching.js';

export const MOVED_EVENT = {
  column: 'column.moved',
  card: 'card.moved',
  checklist: 'checklist.moved',
  item: 'checklist_item.moved',
} as const satisfies Record<RankedKind, EventType>;

/** The index of the record afterwards, or null for the end. */
export type ListPosition = number | null;

/** The rank for a new record below `parent`. */
export function rankForNew(draft: Draft, kind: RankedKind, parent: Uuid, position: ListPosition, caller: Uuid | null = draft.caller): number {
  const siblings = draft.children(kind, parent);
  return makeRoom(draft, kind, place(siblings, clamp(position, siblings.size)), caller);
}

/** The rank for a record that moves within its parent; at its current position it keeps its rank. */
export function rankForMove(draft: Draft, kind: RankedKind, parent: Uuid, mover: Entry, position: ListPosition): number {
  const siblings = draft.children(kind, parent);
  const from = siblings.positionOf(mover);
  if (from < 0) throw new Error(`${mover.id} is not at rank ${mover.rank} below ${parent}`);
  const to = clamp(position, siblings.size - 1);
  if (to === from) return mover.rank;
  // The list still contains the moved entry: for a later position, it must pass the entry that is there now.
  return makeRoom(draft, kind, place(siblings, to < from ? to : to + 1, from), draft.caller);
}

/** Moves a card within its column or to another one, and emits the event. */
export function moveCard(draft: Draft, card: Card, column: Uuid, position: ListPosition, caller = draft.caller): Card {
  const rank = column === card.column_id ? rankForMove(draft, 'card', column, card, position) : rankForNew(draft, 'card', column, position, caller);
  const changes = column === card.column_id ? { rank } : { column_id: column, rank, completed_at: completionAfter(draft, card, column) };
  const moved = draft.revise('card', card, changes, caller);
  draft.emit('card.moved', draft.render.card(moved), caller, { kind: 'card', record: moved });
  if (column !== card.column_id) tellWatchers(draft, 'moved', moved, { from: card.column_id, actor: caller });
  return moved;
}

/** Shifts the siblings as planned, each with its own event. Returns the rank of the planned entry. */
function makeRoom<K extends RankedKind>(draft: Draft, kind: K, { rank, shifted }: Placing, caller: Uuid | null): number {
  for (const { id, rank: newRank } of shifted) {
    const sibling: Entities[K] = { ...need(draft, kind, id), rank: newRank };
    draft.put(kind, sibling);
    draft.emit(MOVED_EVENT[kind], draft.render.record(kind, sibling), caller);
  }
  return rank;
}

function clamp(position: ListPosition, last: number): number {
  return position === null ? last : Math.min(position, last);
}
