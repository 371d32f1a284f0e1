import { givenFields, isEmpty } from '../givenFields.js';
import type { Rule } from '../model.js';
import { checkReferences, concernsReferences } from '../board/ruleReferences.js';
import { createdLast } from '../board/creation.js';
import { announce, announceRemoval, show, type HandlersOf } from './handler.js';

/** Only owners change rules. */
export const ruleHandlers: HandlersOf<'rule'> = {
  'rule.list': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: true,
    lists: { kinds: ['rule'], isAnswerLarge: false },
    run: (draft, board) => ({ json: draft.render.list('rule', board.id) }),
  },

  'rule.create': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: true,
    lists: null,
    run(draft, _board, input) {
      checkReferences(draft, input);
      const rule: Rule = { id: draft.newId(), ...input, ...createdLast(draft, 'rule', draft.id) };
      draft.put('rule', rule);
      return announce(draft, 'rule.created', 'rule', rule);
    },
  },

  'rule.update': {
    target: 'rule',
    access: 'owner',
    effect: 'write',
    grows: true,
    run(draft, rule, input) {
      const changes = givenFields(input);
      if (isEmpty(changes)) return show(draft, 'rule', rule);
      const next = { ...rule, ...changes };
      // A rule that lost a reference is disabled, and can be renamed without a new one.
      if (next.is_enabled || concernsReferences(changes)) checkReferences(draft, next);
      return announce(draft, 'rule.updated', 'rule', draft.revise('rule', rule, changes));
    },
  },

  'rule.delete': {
    target: 'rule',
    access: 'owner',
    effect: 'write',
    grows: false,
    run: (draft, rule) => announceRemoval(draft, 'rule.deleted', 'rule', rule),
  },
};
