/**
 * Automation rules, run in the draft of the command that triggers them: both are committed together or not at all. A
 * rule's changes have no user (`user_id` null) and trigger nothing further, because only handlers call this.
 */
import { isAssignable } from './assignment.js';
import { moveCard } from '../../board/order/placing.js';
import type { Draft } from '../../board/draft.js';
import type { Uuid } from '../../ids.js';
import type { Rule } from '../../model.js';
import { list, need } from '../../board/view.js';

export type Trigger =
  | { readonly type: 'CARD_CREATED' }
  | { readonly type: 'CARD_MOVED'; readonly column: Uuid }
  | { readonly type: 'LABEL_ADDED'; readonly label: Uuid };

/** Evaluates the rules in order of creation. All see the trigger, not the effects of earlier rules on the card. */
export function runAutomation(draft: Draft, card: Uuid, trigger: Trigger): void {
  for (const rule of list(draft, 'rule', draft.id)) {
    if (!rule.is_enabled || !matches(rule, trigger)) continue;
    const { recorder } = draft;
    if (recorder !== undefined) recorder.rule = rule;
    act(draft, rule, card);
    if (recorder !== undefined) recorder.rule = null;
  }
}

function matches(rule: Rule, trigger: Trigger): boolean {
  if (rule.trigger_type !== trigger.type) return false;
  switch (trigger.type) {
    case 'CARD_CREATED':
      return false;
    case 'CARD_MOVED':
      return rule.trigger_column_id === trigger.column;
    case 'LABEL_ADDED':
      return rule.trigger_label_id === trigger.label;
  }
}

function act(draft: Draft, rule: Rule, cardId: Uuid): void {
  const card = need(draft, 'card', cardId);
  switch (rule.action_type) {
    case 'MOVE_TO_COLUMN': {
      const column = rule.action_column_id;
      if (column !== null && column !== card.column_id) moveCard(draft, card, column, null, null);
      return;
    }
    case 'ASSIGN_MEMBER': {
      const user = rule.action_user_id;
      if (user === null || card.assignee_ids.includes(user) || !isAssignable(draft, user)) return;
      const assigned = draft.revise('card', card, { assignee_ids: [...card.assignee_ids, user] }, null);
      draft.notify('assigned', user, assigned, null, null);
      draft.emit('card.assigned', draft.render.card(assigned), null, { kind: 'card', record: assigned });
    }
  }
}
