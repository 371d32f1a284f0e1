/** The steps of a card’s move to another board, see `delivery/DESIGN.md`. Each board decides its own in a commit of its own. */
import type { Draft } from '../../board/draft.js';
import { MAX_LEAVING } from '../../board/moves/movesOnDisk.js';
import { readMoving } from '../../board/moves/movingCard.js';
import { list, need } from '../../board/view.js';
import { AppError } from '../../errors.js';
import type { Uuid } from '../../ids.js';
import type { Card, Moved } from '../../model.js';
import { isArchived, isLeaving, notFound } from '../../refusals.js';
import type { CopiedFile, MoveState } from '../commands.js';
import { authorise, show, type HandlerAnswer, type HandlersOf } from '../handler.js';
import { emitMove, makeArrived } from './arriving.js';
import { requireMovable, requireRoomForFiles } from '../steps/copying.js';

export const moveHandlers: HandlersOf<'move'> = {
  'move.beginOut': {
    target: 'card',
    access: 'member',
    effect: 'read',
    cacheable: false,
    run(draft, card) {
      requireMoving(draft, card);
      return { json: JSON.stringify(filesOf(draft, card)) };
    },
  },

  // The id decides before the rights do: who lost them since must not make a card that arrived come back.
  'move.beginIn': {
    target: 'board',
    access: 'anyone',
    effect: 'read',
    cacheable: false,
    lists: null,
    run(draft, _board, { id, column_id, files }) {
      if (!draft.isNew(id)) return { json: 'true' };
      requireWelcome(draft, id, column_id);
      requireRoomForFiles(draft, files);
      return { json: 'false' };
    },
  },

  'move.out': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: false,
    run(draft, card, { new_id, target_board_id, column_id, position }) {
      const { caller } = draft;
      if (caller === null) throw new AppError('forbidden', 'Only a user can move a card to another board');
      requireMoving(draft, card);
      const marks = { moved_by: caller, refusal: null, created_at: draft.now, updated_at: draft.now };
      draft.put('moved', { id: card.id, state: 'leaving', new_id, target_board_id, column_id, position, ...marks });
      return { json: JSON.stringify({ new_id }) };
    },
  },

  'move.state': {
    target: 'moved',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    run(_draft, { state, new_id, target_board_id, refusal }) {
      return { json: JSON.stringify({ state, new_id, target_board_id, refusal } satisfies MoveState) };
    },
  },

  'move.read': {
    target: 'moved',
    access: 'system',
    effect: 'read',
    cacheable: false,
    run: (draft, move) => ({
      json: move.state === 'leaving' ? JSON.stringify({ move, content: readMoving(draft, need(draft, 'card', move.id)) }) : null,
    }),
  },

  // For each id once, see above. A board that has refused it goes on refusing it.
  'move.in': {
    target: 'board',
    access: 'anyone',
    effect: 'write',
    grows: true,
    lists: null,
    run(draft, _board, { id, column_id, position, content, files }) {
      if (!draft.isNew(id)) return { json: null };
      requireWelcome(draft, id, column_id);
      const staged = new Map(files.map(({ from, to }) => [from, to]));
      const { dropped, visitors } = makeArrived(draft, { id, column_id, position, content, files: staged });
      return { json: withDropped(draft, need(draft, 'card', id), dropped), visitors, remindedUntil: content.reminded_until };
    },
  },

  // It comes before the card is free again: a delivery of another instance may still be under way.
  'move.refuse': {
    target: 'board',
    access: 'system',
    effect: 'idempotent',
    lists: null,
    run(draft, _board, { move, refusal }) {
      const { new_id: id } = move;
      if (!draft.isNew(id)) return { json: 'false' };
      const refused: Moved = { ...move, id, state: 'refused', refusal, created_at: draft.now, updated_at: draft.now };
      if (draft.get('moved', id) === undefined) draft.put('moved', refused);
      return { json: 'true' };
    },
  },

  'move.end': {
    target: 'moved',
    access: 'system',
    effect: 'idempotent',
    run(draft, move, { new_id, refusal }) {
      if (move.state !== 'leaving' || move.new_id !== new_id) return { json: null };
      draft.revise('moved', move, { state: refusal === null ? 'gone' : 'refused', refusal });
      if (refusal !== null) return { json: null };
      emitMove(draft, 'card.deleted', need(draft, 'card', move.id), move.moved_by);
      draft.remove('card', move.id);
      return { json: null };
    },
  },

  // With the key of the move, it gives the first answer again.
  'move.arrived': {
    target: 'card',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    run: (draft, card) => ({ json: withDropped(draft, card, []) }),
  },
};

function requireMoving(draft: Draft, card: Card): void {
  if (draft.leaving.has(card.id)) throw isLeaving();
  if (draft.leaving.size >= MAX_LEAVING) throw new AppError('limit', `At most ${MAX_LEAVING} cards of a board can be moved to other boards at once`);
  requireMovable(draft, card);
}

function filesOf(draft: Draft, card: Card): CopiedFile[] {
  return list(draft, 'attachment', card.id).flatMap(({ id, size, url }) => (url === null ? [{ id, size }] : []));
}

/** Refuses a card for the caller. */
function requireWelcome(draft: Draft, id: Uuid, column_id: Uuid): void {
  const { refusal = null } = draft.get('moved', id) ?? {};
  if (refusal !== null) throw AppError.from(refusal);
  if (draft.caller !== null) authorise(draft, { user_id: draft.caller }, 'member', {});
  if (draft.get('column', column_id) !== undefined) return;
  throw draft.get('archived', column_id)?.archived_kind === 'column' ? isArchived('column') : notFound('column');
}

function withDropped(draft: Draft, card: Card, dropped: readonly object[]): string {
  const { json }: HandlerAnswer = show(draft, 'card', card);
  return `${(json ?? '{}').slice(0, -1)},"dropped_people":${JSON.stringify(dropped)}}`;
}
