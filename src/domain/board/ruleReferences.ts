/** The references of automation rules: which ones a rule must have, and what happens to it when one is removed. */
import type { Draft } from './draft.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import { isRestricted, RULE_REFERENCES, type ActionType, type RuleFields, type RuleReference, type TriggerType } from '../model.js';
import { notAssignable, NotOnBoardError, notFound } from '../refusals.js';
import { list } from './view.js';

const NEEDED: Readonly<Record<TriggerType | ActionType, RuleReference | null>> = {
  CARD_CREATED: null,
  CARD_MOVED: 'trigger_column_id',
  LABEL_ADDED: 'trigger_label_id',
  MOVE_TO_COLUMN: 'action_column_id',
  ASSIGN_MEMBER: 'action_user_id',
};

/** Whether the rule lacks a reference that its trigger or action needs. */
export function isMissingReference(rule: RuleFields): boolean {
  return missingReference(rule) !== null;
}

/** Refuses a rule that lacks a reference, or references something that is not on the board. */
export function checkReferences(draft: Draft, rule: RuleFields): void {
  const missing = missingReference(rule);
  if (missing !== null) throw new AppError('invalid', `${missing.field}: required by ${missing.type}`);
  checkNamed(draft, rule);
}

/** Refuses a rule that references something that is not on the board. */
export function checkNamed(draft: Draft, rule: Pick<RuleFields, RuleReference>): void {
  for (const column of [rule.trigger_column_id, rule.action_column_id]) {
    if (column !== null && draft.get('column', column) === undefined) throw notFound('column');
  }
  const { trigger_label_id: label, action_user_id: user } = rule;
  if (label !== null && draft.get('label', label) === undefined) throw notFound('label');
  if (user === null) return;
  const member = draft.get('member', user);
  if (member === undefined) throw new NotOnBoardError([user]);
  if (isRestricted(member.role)) throw notAssignable();
}

/** Whether a change of a rule affects its references or which ones it needs. */
export function concernsReferences(changes: Partial<RuleFields>): boolean {
  return ['trigger_type', 'action_type', ...RULE_REFERENCES].some((field) => field in changes);
}

function missingReference(rule: RuleFields): { field: RuleReference; type: TriggerType | ActionType } | null {
  for (const type of [rule.trigger_type, rule.action_type]) {
    const field = NEEDED[type];
    if (field !== null && rule[field] === null) return { field, type };
  }
  return null;
}

/** A column, label or member is removed: rules that reference it lose the reference and are disabled. */
export function dropReferencesTo(draft: Draft, id: Uuid): void {
  for (const rule of list(draft, 'rule', draft.id)) {
    const lost = RULE_REFERENCES.filter((field) => rule[field] === id);
    if (lost.length === 0) continue;
    draft.revise('rule', rule, { ...Object.fromEntries(lost.map((field) => [field, null])), is_enabled: false });
  }
}
