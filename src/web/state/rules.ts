/** What automation rules mean, and what they need to be complete. */
import type { AutomationRule, FullBoard } from '../../client/index.js';
import type { PlainKey } from '../words/catalogue.js';
import { canBeAssigned, nameOf } from './people.js';

type Field = 'trigger_type' | 'trigger_column_id' | 'trigger_label_id' | 'action_type' | 'action_column_id' | 'action_user_id';
/** What a sentence says. */
export type RuleContent = Pick<AutomationRule, Field>;
export type TriggerType = RuleContent['trigger_type'];
export type ActionType = RuleContent['action_type'];
export type Reference = Exclude<Field, 'trigger_type' | 'action_type'>;

export const TRIGGER_WORDS: Readonly<Record<TriggerType, PlainKey>> = {
  CARD_MOVED: 'rule.cardMoved',
  LABEL_ADDED: 'rule.labelAdded',
  CARD_CREATED: 'rule.cardCreated',
};
export const ACTION_WORDS: Readonly<Record<ActionType, PlainKey>> = { ASSIGN_MEMBER: 'rule.assign', MOVE_TO_COLUMN: 'rule.moveIt' };

/** What the trigger or the action speaks of. */
export const REFERENCES: Readonly<Record<TriggerType | ActionType, Reference | null>> = {
  CARD_CREATED: null,
  CARD_MOVED: 'trigger_column_id',
  LABEL_ADDED: 'trigger_label_id',
  MOVE_TO_COLUMN: 'action_column_id',
  ASSIGN_MEMBER: 'action_user_id',
};

export const EMPTY_RULE: RuleContent = {
  trigger_type: 'CARD_MOVED',
  trigger_column_id: null,
  trigger_label_id: null,
  action_type: 'ASSIGN_MEMBER',
  action_column_id: null,
  action_user_id: null,
};

export interface Choice {
  readonly id: string;
  readonly name: string;
}

/** What a reference can point to. */
export function choicesFor(reference: Reference, { columns, labels, members }: FullBoard): readonly Choice[] {
  switch (reference) {
    case 'trigger_column_id':
    case 'action_column_id':
      return columns.map(({ id, title }) => ({ id, name: title }));
    case 'trigger_label_id':
      return labels.map(({ id, name }) => ({ id, name }));
    case 'action_user_id':
      return members.filter(canBeAssigned).map(({ user_id, user }) => ({ id: user_id, name: nameOf(user) }));
  }
}

/** Whether everything that the sentence speaks of is on the board. */
export function isComplete(rule: RuleContent, board: FullBoard): boolean {
  return [rule.trigger_type, rule.action_type].every((type) => {
    const reference = REFERENCES[type];
    return reference === null || choicesFor(reference, board).some(({ id }) => id === rule[reference]);
  });
}

/** A sentence never speaks of more than its trigger and action need. */
export function contentOf(rule: RuleContent): RuleContent {
  const needed: ReadonlyArray<Reference | null> = [REFERENCES[rule.trigger_type], REFERENCES[rule.action_type]];
  const kept = (reference: Reference): string | null => (needed.includes(reference) ? rule[reference] : null);
  return {
    trigger_type: rule.trigger_type,
    trigger_column_id: kept('trigger_column_id'),
    trigger_label_id: kept('trigger_label_id'),
    action_type: rule.action_type,
    action_column_id: kept('action_column_id'),
    action_user_id: kept('action_user_id'),
  };
}
