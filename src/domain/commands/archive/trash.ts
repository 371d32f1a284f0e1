/** The trash: its list, and the ways out of it. The way into it is the deletion of a thing. */
import { writePlace } from '../../board/comments/commentsOnDisk.js';
import type { Draft } from '../../board/draft.js';
import { restoreEntry } from '../../board/trash/restoring.js';
import { expiryOf, keptSince, type TrashEntry } from '../../board/trash/trashOnDisk.js';
import type { Uuid } from '../../ids.js';
import type { Trashed } from '../../model.js';
import { notFound } from '../../refusals.js';
import type { HandlersOf } from '../handler.js';

export const trashHandlers: HandlersOf<'trash'> = {
  'trash.list': {
    target: 'board',
    access: 'member',
    effect: 'read',
    cacheable: false,
    lists: null,
    run(draft, _board, { before, limit }) {
      const days = draft.trashDays;
      const found = days === 0 ? [] : draft.trash.page(keptSince(draft.now, days), before, limit + 1);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const next = last === undefined || found.length <= limit ? null : writePlace(last);
      return { json: JSON.stringify({ entries: shown.map((entry) => toEntry(entry, days)), next }) };
    },
  },

  'trash.restore': {
    target: 'board',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: null,
    path: { entry_id: 'trashed' },
    run(draft, _board, { entry_id, column_id }) {
      const entry = findEntry(draft, entry_id);
      if (entry === undefined) throw notFound('trashed');
      if (column_id !== null && draft.get('column', column_id) === undefined) throw notFound('column');
      const is_complete = restoreEntry(draft, entry, column_id);
      return { json: JSON.stringify({ id: entry.id, kind: entry.trashed_kind, is_complete }) };
    },
  },

  'trash.delete': {
    target: 'board',
    access: 'owner',
    effect: 'write',
    grows: false,
    lists: null,
    path: { entry_id: 'trashed' },
    run(draft, _board, { entry_id }) {
      if (findEntry(draft, entry_id) === undefined) throw notFound('trashed');
      // Its further rows follow it as expired ones, see `TrashTable`.
      draft.remove('trashed', entry_id);
      return { json: null };
    },
  },
};

/** What can be restored under this id. */
export function findEntry(draft: Draft, id: Uuid): Trashed | undefined {
  const days = draft.trashDays;
  const found = days === 0 ? undefined : draft.get('trashed', id);
  return found === undefined || found.part !== 0 || found.created_at < keptSince(draft.now, days) ? undefined : found;
}

function toEntry({ id, trashed_kind, title, deleted_by, created_at }: TrashEntry, days: number): object {
  return { id, kind: trashed_kind, title, deleted_at: created_at, deleted_by, expires_at: expiryOf({ created_at }, days) };
}
