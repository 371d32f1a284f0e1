/** The archive: its list, and the ways into it and back. What else concerns something in it is refused, see `admit`. */
import { PAGE_CHARACTERS, placeInArchive } from '../../board/archive/archiveOnDisk.js';
import { searchArchive, type FoundInArchive } from '../../board/archive/searching.js';
import { archiveCard, archiveColumn, restoreCard, restoreColumn } from '../../board/archive/archiving.js';
import { dropReferencesTo } from '../../board/ruleReferences.js';
import { writePlace } from '../../board/comments/commentsOnDisk.js';
import type { Archived } from '../../model.js';
import { isArchived, notArchived } from '../../refusals.js';
import { announce, type Handlers, type HandlersOf } from '../handler.js';

function pageOf(found: Archived[]): FoundInArchive {
  return { found, last: found.at(-1) };
}

export const archiveHandlers: HandlersOf<'archive'> = {
  'archive.list': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    lists: null,
    run(draft, _board, { kind, q, before, limit }) {
      const { archive, render } = draft;
      const { found, last } =
        q === undefined ? pageOf(archive.page(kind, before, limit, PAGE_CHARACTERS)) : searchArchive(archive, q, { kind, before, limit });
      const hasMore = last !== undefined && archive.page(kind, placeInArchive(last), 1, 0).length > 0;
      const cards = found.filter((row) => row.archived_kind === 'card').map((row) => render.archived(row));
      const columns = found.filter((row) => row.archived_kind === 'column').map((row) => render.archived(row));
      const next = hasMore ? JSON.stringify(writePlace(placeInArchive(last))) : 'null';
      return { json: `{"cards":[${cards.join(',')}],"columns":[${columns.join(',')}],"next":${next}}` };
    },
  },
};

export const cardArchiveHandlers: Handlers<'card.archive' | 'card.restore'> = {
  'card.archive': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: false,
    run: (draft, card) => announce(draft, 'card.archived', 'archived', archiveCard(draft, card)),
  },

  'card.restore': {
    target: 'card',
    access: 'member',
    effect: 'write',
    // The labels and people of a card are on the board again, in full.
    grows: true,
    run() {
      throw notArchived('card');
    },
    runArchived(draft, archived, _id, target) {
      if (archived.with_column) throw isArchived('column');
      return announce(draft, 'card.restored', 'card', restoreCard(draft, archived, target));
    },
  },
};

export const columnArchiveHandlers: Handlers<'column.archive' | 'column.restore'> = {
  'column.archive': {
    target: 'column',
    access: 'member',
    effect: 'write',
    grows: false,
    lists: null,
    run(draft, column) {
      const answer = announce(draft, 'column.archived', 'archived', archiveColumn(draft, column));
      // After the event, whose fact says whether there were any.
      dropReferencesTo(draft, column.id);
      return answer;
    },
  },

  'column.restore': {
    target: 'column',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: { kinds: ['card'], isAnswerLarge: true },
    run() {
      throw notArchived('column');
    },
    runArchived: (draft, archived, _id, { position }) => announce(draft, 'column.restored', 'column', restoreColumn(draft, archived, position)),
  },
};
