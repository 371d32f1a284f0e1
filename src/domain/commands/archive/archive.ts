/** The archive: its list, and the ways into it and back. What else concerns something in it is refused, see `admit`. */
import { PAGE_CHARACTERS, placeInArchive } from '../../board/archive/archiveOnDisk.js';
import { searchArchive, type FoundInArchive } from '../../board/archive/searching.js';
import { archiveCard, archiveColumn, restoreCard, restoreColumn } from '../../board/archive/archiving.js';
import { dropReferencesTo } from '../../board/ruleReferences.js';
import { writePlace } from '../../board/comments/commentsOnDisk.js';
import type { Archived, Card, Column, Entities } from '../../model.js';
import type { About, Was } from '../../board/activity/facts.js';
import type { Draft } from '../../board/draft.js';
import { isArchived, notArchived } from '../../refusals.js';
import { about, type HandlerAnswer, type Handlers, type HandlersOf } from '../handler.js';

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
    run: (draft, card) => announceArchived(draft, archiveCard(draft, card)),
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
      return announceRestored(draft, 'card', restoreCard(draft, archived, target), archived);
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
    run: (draft, column) => announceArchived(draft, archiveColumn(draft, column)),
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
    runArchived: (draft, archived, _id, { position }) => announceRestored(draft, 'column', restoreColumn(draft, archived, position), archived),
  },
};

/** `was`: how it was on the board, if it is archived for another place. */
export function announceArchived(draft: Draft, row: Archived, was?: Card | Column): HandlerAnswer {
  const json = draft.render.archived(row);
  draft.emit(`${row.archived_kind}.archived`, json, draft.caller, aboutPlace('archived', row, was));
  // After the event, whose fact says whether there were any.
  if (row.archived_kind === 'column') dropReferencesTo(draft, row.id);
  return { json, shows: { kind: 'archived', id: row.id } };
}

export function announceRestored<K extends 'card' | 'column'>(draft: Draft, kind: K, record: Entities[K], was: Archived): HandlerAnswer {
  const json = draft.render.record(kind, record);
  draft.emit(`${kind}.restored`, json, draft.caller, aboutPlace(kind, record, was));
  return { json, shows: { kind, id: record.id } };
}

function aboutPlace<K extends 'card' | 'column' | 'archived'>(kind: K, record: Entities[K], was: Was | undefined): About {
  return was === undefined ? about(kind, record) : { ...about(kind, record), was };
}
