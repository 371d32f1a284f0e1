/** The labels of a board. */
import * as v from 'valibot';
import { boardOperation } from '../operation/boardOperation.js';
import { givenFields } from '../../domain/givenFields.js';
import { color, title, type ChangesOf } from '../schemas/fields.js';
import type { Operation } from '../operation/operation.js';
import { Label, LabelUsage } from '../schemas/resources.js';
import { DEFAULT_COLOR } from '../../domain/content/defaults.js';

const tag = 'Labels';

const listLabels = boardOperation({
  op: 'label.list',
  method: 'GET',
  path: '/boards/{board_id}/labels',
  tag,
  summary: 'List the labels of a board',
  success: { status: 200, description: 'Labels, in the order in which they were created', schema: v.array(Label) },
});

const labelStats = boardOperation({
  op: 'label.stats',
  method: 'GET',
  path: '/boards/{board_id}/labels/stats',
  tag,
  summary: 'Count the cards of each label',
  success: { status: 200, description: 'One entry for each label, ordered by name', schema: v.array(LabelUsage) },
});

const createLabel = boardOperation({
  op: 'label.create',
  method: 'POST',
  path: '/boards/{board_id}/labels',
  tag,
  summary: 'Create a label',
  body: { kind: 'json', schema: v.object({ name: title(), color: v.optional(color(), DEFAULT_COLOR) }) },
  success: { status: 201, description: 'The new label', schema: Label },
  input: ({ body }) => body,
});

const updateLabel = boardOperation({
  op: 'label.update',
  method: 'PATCH',
  path: '/labels/{label_id}',
  tag,
  summary: 'Change a label',
  body: { kind: 'json', schema: v.object({ name: v.optional(title()), color: v.optional(color()) } satisfies ChangesOf<'label'>) },
  success: { status: 200, description: 'The label', schema: Label },
  input: ({ body }) => givenFields(body),
});

const deleteLabel = boardOperation({
  op: 'label.delete',
  method: 'DELETE',
  path: '/labels/{label_id}',
  tag,
  summary: 'Delete a label',
  description: 'The label is removed from every card. Automation rules that refer to it lose the reference and are disabled.',
  success: { status: 204, description: 'Deleted' },
});

export const labelOperations: readonly Operation[] = [listLabels, labelStats, createLabel, updateLabel, deleteLabel];
