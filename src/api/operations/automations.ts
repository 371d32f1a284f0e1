/** Automation rules. */
import * as v from 'valibot';
import { ACTION_TYPES, TRIGGER_TYPES } from '../../domain/model.js';
import { givenFields } from '../../domain/givenFields.js';
import { boardOperation } from '../operation/boardOperation.js';
import { documented, enumeration, title, uuid, type ChangesOf } from '../schemas/fields.js';
import type { Operation } from '../operation/operation.js';
import { AutomationRule } from '../schemas/resources.js';

const tag = 'Automation rules';

const triggerType = () => enumeration(TRIGGER_TYPES);
const actionType = () => enumeration(ACTION_TYPES);
const reference = () => v.optional(v.nullable(uuid()));

const REFERENCES =
  'CARD_MOVED needs `trigger_column_id`, LABEL_ADDED `trigger_label_id`, MOVE_TO_COLUMN `action_column_id` and ' +
  'ASSIGN_MEMBER `action_user_id`. All of them must be on the board. A rule for CARD_CREATED is stored, but never runs.';
const errors = {
  403: 'The caller is not an owner, or the user to assign is not a member of the board',
  404: 'No such board, rule or user, or the column or label is not on the board',
};

/** By the word of a trigger or action, the reference that it uses. */
const USED: ReadonlyArray<readonly [field: 'trigger_type' | 'action_type', word: string, reference: string]> = [
  ['trigger_type', 'CARD_MOVED', 'trigger_column_id'],
  ['trigger_type', 'LABEL_ADDED', 'trigger_label_id'],
  ['action_type', 'MOVE_TO_COLUMN', 'action_column_id'],
  ['action_type', 'ASSIGN_MEMBER', 'action_user_id'],
];
const usedReferences = (required: (reference: string) => object) => ({
  allOf: USED.map(([field, word, reference]) => ({
    anyOf: [{ properties: { [field]: { not: { const: word } } } }, { properties: { [reference]: { type: 'string' } }, ...required(reference) }],
  })),
});

const createRule = boardOperation({
  op: 'rule.create',
  method: 'POST',
  path: '/boards/{board_id}/automations',
  tag,
  summary: 'Create an automation rule',
  description: REFERENCES,
  body: {
    kind: 'json',
    schema: v.pipe(
      v.object({
        name: title(),
        trigger_type: triggerType(),
        trigger_column_id: reference(),
        trigger_label_id: reference(),
        action_type: actionType(),
        action_column_id: reference(),
        action_user_id: reference(),
        is_enabled: v.optional(v.boolean(), true),
      }),
      // The board checks it: also a rule that is changed must have what it uses.
      documented(usedReferences((each) => ({ required: [each] }))),
    ),
  },
  success: { status: 201, description: 'The new rule', schema: AutomationRule },
  errors,
  input: ({ body }) => ({
    ...body,
    trigger_column_id: body.trigger_column_id ?? null,
    trigger_label_id: body.trigger_label_id ?? null,
    action_column_id: body.action_column_id ?? null,
    action_user_id: body.action_user_id ?? null,
  }),
});

const listRules = boardOperation({
  op: 'rule.list',
  method: 'GET',
  path: '/boards/{board_id}/automations',
  tag,
  summary: 'List the automation rules of a board',
  success: { status: 200, description: 'Rules, in the order in which they run', schema: v.array(AutomationRule) },
});

const updateRule = boardOperation({
  op: 'rule.update',
  method: 'PATCH',
  path: '/automations/{rule_id}',
  tag,
  summary: 'Change an automation rule',
  description: `The changed rule is validated like a new one, with what stays of it (422). ${REFERENCES}`,
  body: {
    kind: 'json',
    schema: v.pipe(
      v.object({
        name: v.optional(title()),
        trigger_type: v.optional(triggerType()),
        trigger_column_id: reference(),
        trigger_label_id: reference(),
        action_type: v.optional(actionType()),
        action_column_id: reference(),
        action_user_id: reference(),
        is_enabled: v.optional(v.boolean()),
      } satisfies ChangesOf<'rule'>),
      // A reference that is absent stays; only one that is cleared is missing for certain.
      documented(usedReferences(() => ({}))),
    ),
  },
  success: { status: 200, description: 'The rule', schema: AutomationRule },
  errors,
  input: ({ body }) => givenFields(body),
});

const deleteRule = boardOperation({
  op: 'rule.delete',
  method: 'DELETE',
  path: '/automations/{rule_id}',
  tag,
  summary: 'Delete an automation rule',
  success: { status: 204, description: 'Deleted' },
});

export const automationOperations: readonly Operation[] = [createRule, listRules, updateRule, deleteRule];
