/** Checklists on cards, and their items. */
import * as v from 'valibot';
import { givenFields } from '../../domain/givenFields.js';
import { boardOperation } from '../operation/boardOperation.js';
import { date, longText, position, title, userIds, uuid, type ChangesOf } from '../schemas/fields.js';
import type { Operation } from '../operation/operation.js';
import { Checklist, ChecklistItem } from '../schemas/resources.js';

const tag = 'Checklists';

const createChecklist = boardOperation({
  op: 'checklist.create',
  method: 'POST',
  path: '/cards/{card_id}/checklists',
  tag,
  summary: 'Create a checklist',
  body: { kind: 'json', schema: v.object({ title: title() }) },
  success: { status: 201, description: 'The new checklist, last on the card', schema: Checklist },
  input: ({ body }) => body,
});

const updateChecklist = boardOperation({
  op: 'checklist.update',
  method: 'PATCH',
  path: '/checklists/{checklist_id}',
  tag,
  summary: 'Rename a checklist',
  body: { kind: 'json', schema: v.object({ title: v.optional(title()) } satisfies ChangesOf<'checklist'>) },
  success: { status: 200, description: 'The checklist', schema: Checklist },
  input: ({ body }) => givenFields(body),
});

const deleteChecklist = boardOperation({
  op: 'checklist.delete',
  method: 'DELETE',
  path: '/checklists/{checklist_id}',
  tag,
  summary: 'Delete a checklist and its items',
  success: { status: 204, description: 'Deleted' },
});

const moveChecklist = boardOperation({
  op: 'checklist.move',
  method: 'POST',
  path: '/checklists/{checklist_id}/move',
  tag,
  summary: 'Move a checklist within its card',
  body: { kind: 'json', schema: v.object({ position: position() }) },
  success: { status: 200, description: 'The checklist', schema: Checklist },
  input: ({ body }) => body,
});

const createItem = boardOperation({
  op: 'item.create',
  method: 'POST',
  path: '/checklists/{checklist_id}/items',
  tag,
  summary: 'Create an item',
  body: { kind: 'json', schema: v.object({ content: longText(1), due_at: v.optional(v.nullable(date())) }) },
  success: { status: 201, description: 'The new item, last in the checklist', schema: ChecklistItem },
  input: ({ body: { content, due_at = null } }) => ({ content, due_at }),
});

const updateItem = boardOperation({
  op: 'item.update',
  method: 'PATCH',
  path: '/items/{item_id}',
  tag,
  summary: 'Change an item or mark it as done',
  body: {
    kind: 'json',
    schema: v.object({
      content: v.optional(longText(1)),
      is_done: v.optional(v.boolean()),
      due_at: v.optional(v.nullable(date())),
    } satisfies ChangesOf<'item'>),
  },
  success: { status: 200, description: 'The item', schema: ChecklistItem },
  input: ({ body }) => givenFields(body),
});

const deleteItem = boardOperation({
  op: 'item.delete',
  method: 'DELETE',
  path: '/items/{item_id}',
  tag,
  summary: 'Delete an item',
  success: { status: 204, description: 'Deleted' },
});

const moveItem = boardOperation({
  op: 'item.move',
  method: 'POST',
  path: '/items/{item_id}/move',
  tag,
  summary: 'Move an item',
  description: 'The item moves within its checklist, or to another checklist on the same board.',
  body: {
    kind: 'json',
    schema: v.object({ position: position(), checklist_id: v.optional(v.nullable(uuid())) }),
  },
  success: { status: 200, description: 'The item', schema: ChecklistItem },
  errors: { 404: 'No such item, or no such checklist on its board' },
  input: ({ body }) => ({ position: body.position, checklist_id: body.checklist_id ?? null }),
});

const assignItem = boardOperation({
  op: 'item.assign',
  method: 'PUT',
  path: '/items/{item_id}/assignees',
  tag,
  summary: 'Assign members to an item',
  description: 'Adds users and removes none. If one of them is not a member of the board, none is assigned.',
  body: { kind: 'json', schema: v.object({ user_ids: userIds() }) },
  success: { status: 200, description: 'The item', schema: ChecklistItem },
  errors: {
    403: 'The caller or one of the users is not a member of the board',
    404: 'No such item, or no such user',
    409: 'One of the users is being removed from the board',
  },
  input: ({ body }) => body,
});

const unassignItem = boardOperation({
  op: 'item.unassign',
  method: 'DELETE',
  path: '/items/{item_id}/assignees/{user_id}',
  tag,
  summary: 'Unassign a member from an item',
  success: { status: 204, description: 'Unassigned' },
  errors: { 404: 'No such item, or the user is not assigned to it' },
  input: ({ params }) => ({ user_id: params['user_id'] ?? '' }),
});

export const checklistOperations: readonly Operation[] = [
  createChecklist,
  updateChecklist,
  deleteChecklist,
  moveChecklist,
  createItem,
  updateItem,
  deleteItem,
  moveItem,
  assignItem,
  unassignItem,
];
