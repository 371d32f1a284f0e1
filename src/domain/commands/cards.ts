import { assign, requireAssigned, unassign } from './steps/assignment.js';
import { runAutomation } from './steps/automation.js';
import { AppError } from '../errors.js';
import type { Card } from '../model.js';
import { moveCard, rankForNew } from '../board/order/placing.js';
import { notFound } from '../refusals.js';
import { need } from '../board/view.js';
import { createdBy } from '../board/creation.js';
import { announce, announceRemoval, show, update, type HandlersOf } from './handler.js';

export const cardHandlers: HandlersOf<'card'> = {
  'card.create': {
    target: 'board',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: null,
    path: { column_id: 'column' },
    run(draft, _board, { column_id, title, description, position }) {
      const rank = rankForNew(draft, 'card', column_id, position);
      const blank = { label_ids: [], assignee_ids: [], ...createdBy(draft) };
      const card: Card = { id: draft.newId(), column_id, title, description, rank, ...blank };
      draft.put('card', card);
      draft.emit('card.created', draft.render.card(card));
      runAutomation(draft, card.id, { type: 'CARD_CREATED' });
      return show(draft, 'card', need(draft, 'card', card.id));
    },
  },

  'card.get': {
    target: 'card',
    access: 'member',
    effect: 'read',
    cacheable: true,
    run: (draft, card) => ({ json: draft.render.card(card) }),
  },

  'card.update': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, card, input) => update(draft, 'card.updated', 'card', card, input),
  },

  'card.delete': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: false,
    run: (draft, card) => announceRemoval(draft, 'card.deleted', 'card', card),
  },

  'card.move': {
    target: 'card',
    access: 'member',
    effect: 'write',
    // Through the rules that it triggers.
    grows: true,
    run(draft, card, { column_id, position }) {
      const column = column_id ?? card.column_id;
      if (draft.get('column', column) === undefined) throw notFound('column');
      moveCard(draft, card, column, position);
      if (column !== card.column_id) runAutomation(draft, card.id, { type: 'CARD_MOVED', column });
      return show(draft, 'card', need(draft, 'card', card.id));
    },
  },

  'card.assign': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, card, { user_ids }) => assign(draft, 'card', card, user_ids),
  },

  'card.unassign': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: false,
    run(draft, card, { user_id }) {
      requireAssigned('card', card, user_id);
      unassign(draft, 'card', card, user_id);
      return { json: null };
    },
  },

  'card.addLabel': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    path: { label_id: 'label' },
    run(draft, card, { label_id }) {
      if (card.label_ids.includes(label_id)) return show(draft, 'card', card);
      const labelled = draft.revise('card', card, { label_ids: [...card.label_ids, label_id] });
      draft.emit('card.labeled', draft.render.card(labelled));
      runAutomation(draft, card.id, { type: 'LABEL_ADDED', label: label_id });
      return show(draft, 'card', need(draft, 'card', card.id));
    },
  },

  'card.removeLabel': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: false,
    path: { label_id: 'label' },
    run(draft, card, { label_id }) {
      if (!card.label_ids.includes(label_id)) throw new AppError('not_found', 'The card does not have this label');
      const label_ids = card.label_ids.filter((id) => id !== label_id);
      announce(draft, 'card.unlabeled', 'card', draft.revise('card', card, { label_ids }));
      return { json: null };
    },
  },
};
