import { UNDATED } from './undated.js';
import { boardKeyOf } from '../../../src/domain/ids.js';
import type { Change } from '../../../src/domain/model.js';
import { ann, ids } from '../store/faultyStorePartition.js';

/** A board with this many cards, as changes. */
export function planned(cards: number): { board: string; changes: Change[] } {
  const board = ids.fresh();
  const key = boardKeyOf(board);
  const times = { created_at: '2030-01-01T00:00:00.000Z', updated_at: '2030-01-01T00:00:00.000Z' };
  const marks = { ...times, created_by: ann.id, updated_by: ann.id };
  const column = ids.onBoard(key);
  const blank = { description: null, ...UNDATED, label_ids: [], assignee_ids: [], ...marks };
  return {
    board,
    changes: [
      { kind: 'board', put: { id: board, title: 'Imported', description: null, color: null, icon: null, archived: null, ...marks } },
      { kind: 'member', put: { id: ann.id, role: 'owner', user: ann, is_starred: false, assignable_since: 0, reminder_minutes: null, ...times } },
      { kind: 'column', put: { id: column, title: 'All', rank: 1, color: 'red', is_done_column: false, ...marks } },
      ...Array.from({ length: cards }, (_, n): Change => {
        return { kind: 'card', put: { id: ids.onBoard(key), column_id: column, title: `card ${n}`, rank: n, ...blank, number: n + 1 } };
      }),
    ],
  };
}
