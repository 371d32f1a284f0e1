/** What users watch: each their own matter, which no event tells of. */
import { writePlace } from '../../board/comments/commentsOnDisk.js';
import type { Draft } from '../../board/draft.js';
import { isWatching, watch } from '../../board/watching/watching.js';
import type { WatchedKind } from '../../model.js';
import type { HandlerAnswer, HandlersOf } from '../handler.js';

const common = { access: 'viewer', effect: 'idempotent' } as const;
const reading = { access: 'viewer', effect: 'read', cacheable: false } as const;

export const watchHandlers: HandlersOf<'watch'> = {
  'watch.getBoard': { target: 'board', ...reading, lists: null, run: (draft, { id }) => shown(draft, 'board', id) },
  'watch.getColumn': {
    target: 'column',
    ...reading,
    lists: null,
    run: (draft, { id }) => shown(draft, 'column', id),
    runArchived: (draft, _archived, id) => shown(draft, 'column', id),
  },
  'watch.getCard': {
    target: 'card',
    ...reading,
    run: (draft, { id }) => shown(draft, 'card', id),
    runArchived: (draft, _archived, id) => shown(draft, 'card', id),
  },

  'watch.board': { target: 'board', ...common, lists: null, run: (draft, { id }) => choose(draft, 'board', id, true) },
  'watch.column': { target: 'column', ...common, lists: null, run: (draft, { id }) => choose(draft, 'column', id, true) },
  'watch.card': { target: 'card', ...common, run: (draft, { id }) => choose(draft, 'card', id, true) },

  'watch.endBoard': { target: 'board', ...common, lists: null, run: (draft, { id }) => choose(draft, 'board', id, false) },
  'watch.endColumn': { target: 'column', ...common, lists: null, run: (draft, { id }) => choose(draft, 'column', id, false) },
  'watch.endCard': { target: 'card', ...common, run: (draft, { id }) => choose(draft, 'card', id, false) },

  'watch.list': {
    target: 'board',
    ...reading,
    lists: null,
    run(draft, _board, { before, limit }) {
      const found = draft.caller === null ? [] : draft.watches.page(draft.caller, before, limit);
      const watching = found.map(({ target_kind: kind, target_id: id, created_at }) => {
        return { place: writePlace({ created_at, id }), kind, id, board_id: draft.id };
      });
      return { json: JSON.stringify(watching) };
    },
  },
};

function choose(draft: Draft, kind: WatchedKind, id: string, isOn: boolean): HandlerAnswer {
  watch(draft, kind, id, isOn);
  return shown(draft, kind, id);
}

function shown(draft: Draft, kind: WatchedKind, id: string): HandlerAnswer {
  return { json: JSON.stringify({ watching: isWatching(draft, kind, id) }) };
}
