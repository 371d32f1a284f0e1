import { assign, requireAssigned, unassign } from './steps/assignment.js';
import type { ChecklistItem } from '../model.js';
import { rankForMove, rankForNew } from '../board/order/placing.js';
import { notFound } from '../refusals.js';
import { created } from '../board/creation.js';
import { announce, announceRemoval, update, type HandlersOf } from './handler.js';

export const itemHandlers: HandlersOf<'item'> = {
  'item.create': {
    target: 'checklist',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, checklist, { content, due_at = null }) {
      const rank = rankForNew(draft, 'item', checklist.id, null);
      const blank = { is_done: false, assignee_ids: [], ...created(draft) };
      const item: ChecklistItem = { id: draft.newId(), checklist_id: checklist.id, content, due_at, rank, ...blank };
      draft.put('item', item);
      return announce(draft, 'checklist_item.created', 'item', item);
    },
  },

  'item.update': {
    target: 'item',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, item, input) => update(draft, 'checklist_item.updated', 'item', item, input),
  },

  'item.delete': {
    target: 'item',
    access: 'member',
    effect: 'write',
    grows: false,
    run: (draft, item) => announceRemoval(draft, 'checklist_item.deleted', 'item', item),
  },

  'item.move': {
    target: 'item',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, item, { checklist_id: wanted, position }) {
      const checklist_id = wanted ?? item.checklist_id;
      if (draft.get('checklist', checklist_id) === undefined) throw notFound('checklist');
      const rank =
        checklist_id === item.checklist_id
          ? rankForMove(draft, 'item', checklist_id, item, position)
          : rankForNew(draft, 'item', checklist_id, position);
      return announce(draft, 'checklist_item.moved', 'item', draft.revise('item', item, { checklist_id, rank }));
    },
  },

  'item.assign': {
    target: 'item',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, item, { user_ids }) => assign(draft, 'item', item, user_ids),
  },

  'item.unassign': {
    target: 'item',
    access: 'member',
    effect: 'write',
    grows: false,
    run(draft, item, { user_id }) {
      requireAssigned('item', item, user_id);
      unassign(draft, 'item', item, user_id);
      return { json: null };
    },
  },
};
