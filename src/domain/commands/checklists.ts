import type { Checklist } from '../model.js';
import { rankForMove, rankForNew } from '../board/order/placing.js';
import { created } from '../board/creation.js';
import { announce, announceDeletion, update, type HandlersOf } from './handler.js';

export const checklistHandlers: HandlersOf<'checklist'> = {
  'checklist.create': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, card, { title }) {
      const rank = rankForNew(draft, 'checklist', card.id, null);
      const checklist: Checklist = { id: draft.newId(), card_id: card.id, title, rank, ...created(draft) };
      draft.put('checklist', checklist);
      return announce(draft, 'checklist.created', 'checklist', checklist);
    },
  },

  'checklist.update': {
    target: 'checklist',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, checklist, input) => update(draft, 'checklist.updated', 'checklist', checklist, input),
  },

  'checklist.delete': {
    target: 'checklist',
    access: 'member',
    effect: 'write',
    grows: false,
    run: (draft, checklist) => announceDeletion(draft, 'checklist.deleted', 'checklist', checklist),
  },

  'checklist.move': {
    target: 'checklist',
    access: 'member',
    effect: 'write',
    grows: false,
    run(draft, checklist, { position }) {
      const rank = rankForMove(draft, 'checklist', checklist.card_id, checklist, position);
      return announce(draft, 'checklist.moved', 'checklist', draft.revise('checklist', checklist, { rank }));
    },
  },
};
