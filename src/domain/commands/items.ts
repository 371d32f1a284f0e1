import { newAssignees, requireMembers, tellAssigned } from './assignment.js';
import { AppError } from '../errors.js';
import type { ChecklistItem } from '../model.js';
import { rankForMove, rankForNew } from '../board/placing.js';
import { notFound } from '../refusals.js';
import { need } from '../board/view.js';
import { created } from '../board/creation.js';
import { announce, announceRemoval, update, type HandlersOf } from './handler.js';

export const itemHandlers: HandlersOf<'item'> = {
  'item.create': {
    target: 'checklist',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, checklist, { content }) {
      const rank = rankForNew(draft, 'item', checklist.id, null);
      const blank = { is_done: false, assignee_ids: [], ...created(draft) };
      const item: ChecklistItem = { id: draft.newId(), checklist_id: checklist.id, content, rank, ...blank };
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
    run(draft, item, { user_ids }) {
      const users = requireMembers(draft, user_ids);
      const added = newAssignees(item.assignee_ids, users);
      if (added.length > 0) draft.revise('item', item, { assignee_ids: [...item.assignee_ids, ...added] });
      const json = draft.render.item(need(draft, 'item', item.id));
      tellAssigned(draft, 'checklist_item.assigned', json, users);
      return { json };
    },
  },

  'item.unassign': {
    target: 'item',
    access: 'member',
    effect: 'write',
    grows: false,
    run(draft, item, { user_id }) {
      if (!item.assignee_ids.includes(user_id)) throw new AppError('not_found', 'User is not assigned to the item');
      const assignee_ids = item.assignee_ids.filter((id) => id !== user_id);
      announce(draft, 'checklist_item.unassigned', 'item', draft.revise('item', item, { assignee_ids }));
      return { json: null };
    },
  },
};
