/** Cards, their assignees and labels. */
import * as v from 'valibot';
import { givenFields } from '../../domain/givenFields.js';
import { boardOperation } from '../operation/boardOperation.js';
import { color, date, cardDescription, position, reminderMinutes, textBase, title, userIds, uuid, type ChangesOf } from '../schemas/fields.js';
import type { Operation, Schema } from '../operation/operation.js';
import { NUMBER } from '../operation/pathParameters.js';
import { Card, TextConflict } from '../schemas/resources.js';
import { BASE_TEXT, CONFLICT_TEXT } from './texts/versions.js';
import { getCard, moveCard } from './transfer/moves.js';

const tag = 'Cards';

/** `start_at` must not be after `due_at`: the board compares them. */
const dates = {
  start_at: v.optional(v.nullable(date())),
  due_at: v.optional(v.nullable(date())),
  completed_at: v.optional(v.nullable(date())),
  reminder_minutes: v.optional(v.nullable(reminderMinutes())),
};

const cover = v.union(
  [v.strictObject({ attachment_id: uuid() }), v.strictObject({ color: color() })],
  'must have either attachment_id, the id of a picture of the card, or color',
);

const createCard = boardOperation({
  op: 'card.create',
  method: 'POST',
  path: '/boards/{board_id}/columns/{column_id}/cards',
  tag,
  summary: 'Create a card',
  description: 'The card goes last in the column, unless the request gives a position.',
  body: {
    kind: 'json',
    schema: v.object({
      title: title(),
      description: v.optional(v.nullable(cardDescription())),
      ...dates,
      position: v.optional(position()),
    }),
  },
  success: { status: 201, description: 'The new card', schema: Card },
  errors: { 404: 'No such board, or no such column on it' },
  input: ({ params, body }) => ({
    column_id: params['column_id'] ?? '',
    title: body.title,
    description: body.description ?? null,
    start_at: body.start_at ?? null,
    due_at: body.due_at ?? null,
    completed_at: body.completed_at ?? null,
    reminder_minutes: body.reminder_minutes ?? null,
    position: body.position ?? null,
  }),
});

const findCard = boardOperation({
  op: 'card.find',
  method: 'GET',
  path: '/boards/{board_id}/cards/{number}',
  tag,
  summary: 'Get a card by its number',
  success: { status: 200, description: 'The card', schema: Card },
  errors: { 404: 'No such board, or no card with this number on it' },
  input: ({ params }) => ({ number: Number(params[NUMBER]) }),
});

const updateCard = boardOperation({
  op: 'card.update',
  method: 'PATCH',
  path: '/cards/{card_id}',
  tag,
  summary: 'Change a card’s title, description, dates or cover',
  description:
    'A card that enters a done column is completed at that moment, and one that leaves it is no longer. A `completed_at` that is given here stays until the next such move. ' +
    'The assignees and watchers of a card that is due and not completed get a notice `reminder_minutes` before (null: each as they set it in their notification settings), once, if that time is still to come when it is set. ' +
    'A cover is a picture among the attachments of the card, or a colour; null removes it, and so does the deletion of the picture. ' +
    BASE_TEXT,
  body: {
    kind: 'json',
    schema: v.object({
      title: v.optional(title()),
      description: v.optional(v.nullable(cardDescription())),
      ...dates,
      cover: v.optional(v.nullable(cover)),
      base: v.optional(textBase()),
    } satisfies ChangesOf<'card'> & { readonly cover: Schema; readonly base: Schema }),
  },
  success: { status: 200, description: 'The card', schema: Card },
  errors: { 404: 'No such card, or no such attachment of it', 409: CONFLICT_TEXT },
  errorSchemas: { 409: TextConflict },
  input: ({ body }) => givenFields(body),
});

const deleteCard = boardOperation({
  op: 'card.delete',
  method: 'DELETE',
  path: '/cards/{card_id}',
  tag,
  summary: 'Delete a card',
  success: { status: 204, description: 'Deleted' },
});

const assign = boardOperation({
  op: 'card.assign',
  method: 'PUT',
  path: '/cards/{card_id}/assignees',
  tag,
  summary: 'Assign members to a card',
  description: 'Adds users and removes none. If one of them is not a member of the board, none is assigned.',
  body: { kind: 'json', schema: v.object({ user_ids: userIds() }) },
  success: { status: 200, description: 'The card', schema: Card },
  errors: {
    403: 'The caller or one of the users is not a member of the board',
    404: 'No such card, or no such user',
    409: 'One of the users is being removed from the board',
  },
  input: ({ body }) => body,
});

const unassign = boardOperation({
  op: 'card.unassign',
  method: 'DELETE',
  path: '/cards/{card_id}/assignees/{user_id}',
  tag,
  summary: 'Unassign a member from a card',
  success: { status: 204, description: 'Unassigned' },
  errors: { 404: 'No such card, or the user is not assigned to it' },
  input: ({ params }) => ({ user_id: params['user_id'] ?? '' }),
});

const addLabel = boardOperation({
  op: 'card.addLabel',
  method: 'POST',
  path: '/cards/{card_id}/labels/{label_id}',
  tag,
  summary: 'Add a label to a card',
  description: 'Nothing changes if the card already has the label.',
  success: { status: 200, description: 'The card', schema: Card },
  errors: { 404: 'No such card, or no such label on its board' },
  input: ({ params }) => ({ label_id: params['label_id'] ?? '' }),
});

const removeLabel = boardOperation({
  op: 'card.removeLabel',
  method: 'DELETE',
  path: '/cards/{card_id}/labels/{label_id}',
  tag,
  summary: 'Remove a label from a card',
  success: { status: 204, description: 'Removed' },
  errors: { 404: 'No such card, or it does not have the label' },
  input: ({ params }) => ({ label_id: params['label_id'] ?? '' }),
});

export const cardOperations: readonly Operation[] = [
  createCard,
  getCard,
  findCard,
  updateCard,
  deleteCard,
  moveCard,
  assign,
  unassign,
  addLabel,
  removeLabel,
];
