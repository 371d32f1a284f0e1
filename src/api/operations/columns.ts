/** The columns of a board. */
import * as v from 'valibot';
import { boardOperation } from '../operation/boardOperation.js';
import { givenFields } from '../../domain/givenFields.js';
import { color, position, title, type ChangesOf } from '../schemas/fields.js';
import type { Operation } from '../operation/operation.js';
import { Column } from '../schemas/resources.js';
import { DEFAULT_COLOR } from '../../domain/content/defaults.js';

const tag = 'Columns';

const createColumn = boardOperation({
  op: 'column.create',
  method: 'POST',
  path: '/boards/{board_id}/columns',
  tag,
  summary: 'Create a column',
  description: 'The column goes last, unless the request gives a position.',
  body: {
    kind: 'json',
    schema: v.object({
      title: title(),
      color: v.optional(color(), DEFAULT_COLOR),
      position: v.optional(position()),
      is_done_column: v.optional(v.boolean(), false),
    }),
  },
  success: { status: 201, description: 'The new column', schema: Column },
  input: ({ body }) => ({ ...body, position: body.position ?? null }),
});

const updateColumn = boardOperation({
  op: 'column.update',
  method: 'PATCH',
  path: '/columns/{column_id}',
  tag,
  summary: 'Change a column',
  body: {
    kind: 'json',
    schema: v.object({
      title: v.optional(title()),
      color: v.optional(color()),
      is_done_column: v.optional(v.boolean()),
    } satisfies ChangesOf<'column'>),
  },
  success: { status: 200, description: 'The column', schema: Column },
  input: ({ body }) => givenFields(body),
});

const deleteColumn = boardOperation({
  op: 'column.delete',
  method: 'DELETE',
  path: '/columns/{column_id}',
  tag,
  summary: 'Delete a column and its cards',
  description: 'Automation rules that refer to it lose the reference and are disabled.',
  success: { status: 204, description: 'Deleted' },
});

const moveColumn = boardOperation({
  op: 'column.move',
  method: 'POST',
  path: '/columns/{column_id}/move',
  tag,
  summary: 'Move a column',
  body: { kind: 'json', schema: v.object({ position: position() }) },
  success: { status: 200, description: 'The column', schema: Column },
  input: ({ body }) => body,
});

export const columnOperations: readonly Operation[] = [createColumn, updateColumn, deleteColumn, moveColumn];
