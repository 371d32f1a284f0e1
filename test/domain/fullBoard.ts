import { UNDATED } from '../support/board/undated.js';
import type { LoadedBoard } from '../../src/domain/board/board.js';
import type { Card, ChecklistItem, Column, Rule } from '../../src/domain/model.js';
import { ann, ben, BOARD_ID } from './scenario.js';

const at = { created_at: '2029-01-01T00:00:00.000Z', updated_at: '2029-01-01T00:00:00.000Z' };
const by = { created_by: ann.id, updated_by: ann.id };

export const idOf = (prefix: string, n: number): string => `b0a2db0a-2d00-4000-8000-${prefix}${String(n).padStart(12 - prefix.length, '0')}`;

/**
 * Ann's and Ben's board on which no two neighbours have an integer between their ranks. From three columns on it has
 * rules: a card in the second is assigned to Ben, one that gets the first label moves to the third.
 */
export function crowdedBoard(size: { columns: number; cards: number; items: number }): LoadedBoard {
  const count = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);
  const columns: Column[] = count(size.columns).map((n) => {
    return { id: idOf('c0', n), title: `column ${n}`, rank: n, color: '#fff', is_done_column: false, ...at, ...by };
  });
  const cards: Card[] = count(size.cards).map((n) => {
    const nothing = { description: null, ...UNDATED, label_ids: [], assignee_ids: [] };
    return { id: idOf('ca', n), column_id: idOf('c0', 1), title: `card ${n}`, rank: n, ...nothing, ...at, ...by };
  });
  const items: ChecklistItem[] = count(size.items).map((n) => {
    const content = { content: `item ${n}`, is_done: false, due_at: null, assignee_ids: [] };
    return { id: idOf('17', n), checklist_id: idOf('cc', 1), rank: n, ...content, ...at };
  });
  const rule = { name: 'rule', trigger_column_id: null, trigger_label_id: null, is_enabled: true, ...at };
  const rules: Rule[] = [
    {
      ...rule,
      ...{ id: idOf('12', 1), trigger_type: 'CARD_MOVED', trigger_column_id: idOf('c0', 2) },
      ...{ action_type: 'ASSIGN_MEMBER', action_user_id: ben.id, action_column_id: null },
    },
    {
      ...rule,
      ...{ id: idOf('12', 2), trigger_type: 'LABEL_ADDED', trigger_label_id: idOf('1a', 1) },
      ...{ action_type: 'MOVE_TO_COLUMN', action_user_id: null, action_column_id: idOf('c0', 3) },
    },
  ];
  const [first] = cards;
  const checklist = { id: idOf('cc', 1), card_id: first?.id ?? '', title: 'steps', rank: 1, ...at };
  return {
    epoch: '0',
    seq: 7,
    entities: {
      board: [{ id: BOARD_ID, title: 'Crowded', description: null, color: null, icon: null, archived: null, ...at, ...by }],
      member: [
        { id: ann.id, role: 'owner', user: ann, is_starred: false, assignable_since: 0, reminder_minutes: null, ...at },
        { id: ben.id, role: 'member', user: ben, is_starred: false, assignable_since: 0, reminder_minutes: null, ...at },
      ],
      column: columns,
      card: cards,
      label: [1, 2].map((n) => ({ id: idOf('1a', n), name: `label ${n}`, color: 'red', ...at })),
      checklist: first === undefined ? [] : [checklist],
      item: items,
      attachment: [],
      rule: size.columns < 3 ? [] : rules,
    },
  };
}
