import { documentText } from '../document/boardDocument.js';
import { refuseOversizedPlan } from '../document/importLimits.js';
import { writeImport } from '../document/importing.js';
import { measure } from '../limits.js';
import { toEnd } from '../slices.js';
import { toPublicUser } from '../account/user.js';
import { need } from '../board/view.js';
import { created, createdBy } from '../board/creation.js';
import { olderRuns } from '../board/laterFields.js';
import type { BoardToCopy } from './commands.js';
import { update, type Handler, type HandlersOf } from './handler.js';

/** Emits no event: it is the caller's own matter. */
const star = (is_starred: boolean): Handler<'board.star' | 'board.unstar'> => ({
  target: 'board',
  access: 'viewer',
  effect: 'idempotent',
  lists: null,
  run(draft) {
    const member = draft.caller === null ? undefined : draft.get('member', draft.caller);
    if (member !== undefined && member.is_starred !== is_starred) draft.put('member', { ...member, is_starred });
    return { json: null };
  },
});

export const boardHandlers: Omit<HandlersOf<'board'>, 'board.batch' | 'board.undo'> = {
  'board.create': {
    target: 'nothing',
    access: 'anyone',
    effect: 'write',
    grows: false,
    run(draft, _nothing, { title, description, color = null, icon = null, creator }) {
      const board = { id: draft.id, title, description, color, icon, archived: null, ...createdBy(draft) };
      draft.put('board', board);
      draft.put('member', {
        id: creator.id,
        role: 'owner',
        user: toPublicUser(creator),
        is_starred: false,
        assignable_since: 0,
        reminder_minutes: null,
        ...created(draft),
      });
      return { json: draft.render.board(board) };
    },
  },

  'board.import': {
    target: 'nothing',
    access: 'anyone',
    effect: 'write',
    grows: true,
    run(draft, _nothing, plan) {
      refuseOversizedPlan(plan, draft.limits);
      return { json: draft.render.board(writeImport(draft, plan)) };
    },
  },

  'board.export': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    lists: { kinds: ['label', 'member', 'card'], isAnswerLarge: true },
    run: (draft, board) => ({ json: draft.prepared.document ?? toEnd(documentText(draft, board)) }),
  },

  'board.beginCopy': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    lists: null,
    run: ({ size }) => ({ json: JSON.stringify({ bytes: measure(size, 'bytes') + measure(size, 'commentBytes') } satisfies BoardToCopy) }),
  },

  'board.get': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: true,
    lists: { kinds: ['label', 'member', 'card'], isAnswerLarge: true },
    run(draft, board, { known = [] }) {
      const { position } = draft;
      return { json: known.includes(position) ? null : draft.render.fullBoard(board), position };
    },
  },

  'board.summary': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: true,
    lists: { kinds: ['label', 'member'], isAnswerLarge: false },
    run(draft, board) {
      const member = draft.caller === null ? null : need(draft, 'member', draft.caller);
      return { json: draft.render.boardSummary(board, draft.activeAt, member) };
    },
  },

  'board.star': star(true),
  'board.unstar': star(false),

  'board.events': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    lists: { kinds: [], isAnswerLarge: true },
    run: () => ({ json: null }),
  },

  'board.update': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: true,
    lists: { kinds: ['label', 'member'], isAnswerLarge: false },
    run: (draft, board, input) => update(draft, 'board.updated', 'board', board, input),
  },

  'board.delete': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: false,
    lists: null,
    run(draft, board) {
      draft.emit('board.deleted', JSON.stringify({ id: board.id }));
      draft.remove('board', board.id);
      return { json: null };
    },
  },

  'board.restore': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: false,
    lists: null,
    run(draft, board) {
      if (!draft.isTrashed) return { json: null };
      if (!draft.keepsDeletedBoard) throw olderRuns();
      draft.revise('board', board, {});
      // Their deliveries ended with the board.
      for (const id of draft.leaving) draft.revise('moved', need(draft, 'moved', id), {});
      return { json: null, isRestored: true };
    },
  },
};
