import type { Column } from '../model.js';
import { rankForMove, rankForNew } from '../board/order/placing.js';
import { dropReferencesTo } from '../board/ruleReferences.js';
import { removeToTrash } from '../board/trash/trashing.js';
import { columnArchiveHandlers } from './archive/archive.js';
import { createdBy } from '../board/creation.js';
import { copyColumn } from './steps/copying.js';
import { announce, announceArchivedDeletion, update, type HandlersOf } from './handler.js';

export const columnHandlers: HandlersOf<'column'> = {
  ...columnArchiveHandlers,

  'column.create': {
    target: 'board',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: null,
    run(draft, board, { title, color, is_done_column, position }) {
      const rank = rankForNew(draft, 'column', board.id, position);
      const column: Column = { id: draft.newId(), title, rank, color, is_done_column, ...createdBy(draft) };
      draft.put('column', column);
      return announce(draft, 'column.created', 'column', column);
    },
  },

  'column.update': {
    target: 'column',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: { kinds: ['card'], isAnswerLarge: true },
    run: (draft, column, input) => update(draft, 'column.updated', 'column', column, input),
  },

  'column.delete': {
    target: 'column',
    access: 'member',
    effect: 'write',
    grows: false,
    lists: { kinds: ['card'], isAnswerLarge: false },
    run(draft, column) {
      draft.emit('column.deleted', draft.render.record('column', column), draft.caller, { kind: 'column', record: column });
      // After the event, whose fact says whether there were any.
      dropReferencesTo(draft, column.id);
      removeToTrash(draft, 'column', column);
      return { json: null };
    },
    runArchived: (draft, archived) => announceArchivedDeletion(draft, 'column.deleted', archived),
  },

  'column.move': {
    target: 'column',
    access: 'member',
    effect: 'write',
    grows: false,
    lists: { kinds: ['card'], isAnswerLarge: true },
    run(draft, column, { position }) {
      const rank = rankForMove(draft, 'column', draft.id, column, position);
      return announce(draft, 'column.moved', 'column', draft.revise('column', column, { rank }));
    },
  },

  'column.copy': {
    target: 'column',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: { kinds: ['card'], isAnswerLarge: true },
    run: (draft, column, { position }) => announce(draft, 'column.created', 'column', copyColumn(draft, column, position)),
  },
};
