/** Moves what is deleted to the trash. Its answer and its event are the same as for any deletion. */
import type { Uuid } from '../../ids.js';
import type { Archived, Entities, TrashedContent, TrashedKind } from '../../model.js';
import { MAX_ARCHIVED_BYTES } from '../archive/archiving.js';
import type { BoardSize } from '../boardSize.js';
import { isDone } from '../dates.js';
import type { Draft } from '../draft.js';
import { measure, TRASH_MEASURES, type BoardLimits, type BoardMeasure } from '../../limits.js';
import { hasManyBelow } from '../removals.js';
import { CHILD_KINDS } from '../structure.js';
import { list } from '../view.js';
import { addTotals, recordsIn, totalsOfContent, type RecordKind } from './trashOnDisk.js';

/** Removes a record with everything below it, and keeps it for a while. */
export function removeToTrash<K extends TrashedKind>(draft: Draft, kind: K, record: Entities[K], labelled: TrashedContent['labelled'] = []): void {
  if (draft.trashDays === 0) return draft.remove(kind, record.id);
  const completion = 'column_id' in record ? { was_done: isDone(draft, record.column_id) } : {};
  const alone = { [kind]: [record], ...completion, ...(labelled.length === 0 ? {} : { labelled }) } as TrashedContent;
  if (hasManyBelow(draft, kind, record.id)) {
    keep(draft, kind, record, alone);
    return draft.remove(kind, record.id);
  }
  const whole: TrashedContent = { ...alone, ...contentBelow(draft, kind, record.id) };
  const isSmall = totalsOfContent(whole).bytes <= MAX_ARCHIVED_BYTES;
  keep(draft, kind, record, isSmall ? whole : alone);
  // The rest follows the first row in later commits, see `removals.ts`.
  if (isSmall) draft.remove(kind, record.id);
  else draft.removeUnfinished(kind, record.id);
}

/** Of a card or column that was deleted in the archive, with the cards that came with it. */
export function keepArchived(draft: Draft, rows: readonly Archived[]): void {
  const [first] = rows;
  const record = first?.content.card ?? first?.content.column;
  if (draft.trashDays > 0 && first !== undefined && record !== undefined) keep(draft, first.archived_kind, record, { archived: rows });
}

function keep<K extends TrashedKind>(draft: Draft, kind: K, record: Entities[K], content: TrashedContent): void {
  const title = 'title' in record ? record.title : record.name;
  const times = { created_at: draft.now, updated_at: draft.now };
  const root = { id: record.id, entry_id: record.id, part: 0, trashed_kind: kind, title, deleted_by: draft.caller, seq: draft.seq, ...times };
  draft.put('trashed', { ...root, ...totalsOfContent(content), content });
}

/** Few enough for one row. */
function contentBelow(draft: Draft, kind: RecordKind, id: Uuid): TrashedContent {
  const content: { [K in RecordKind]?: Array<Entities[K]> } = {};
  const add = (parent: RecordKind, parentId: Uuid): void => {
    for (const child of CHILD_KINDS[parent] as readonly RecordKind[]) {
      for (const record of list(draft, child, parentId)) {
        // Kind and record agree.
        (content[child] ??= [] as never).push(record as never);
        add(child, record.id);
      }
    }
  };
  add(kind, id);
  return content;
}

/** Rows and records that one command throws away: a few milliseconds. */
const MAX_ROWS = 50;
const MAX_RECORDS = 2_000;

/**
 * What is in the trash takes of the board's budget, and gives way to everything else, the oldest first. Much of it goes with
 * several commands. `size`: of the board after the command. Returns whether something went.
 */
export function makeRoom(draft: Draft, size: BoardSize, limits: BoardLimits): boolean {
  if (!isOver(size, draft.trashTotals, limits)) return false;
  // Some may have expired since.
  let totals = draft.trash.totals();
  let records = 0;
  for (const row of draft.trash.oldest(MAX_ROWS)) {
    if (records > MAX_RECORDS || !isOver(size, totals, limits)) break;
    totals = addTotals(totals, row, -1);
    // Restored or replaced by this command.
    if (draft.hasWritten('trashed', row.id)) continue;
    records += recordsIn(row);
    draft.remove('trashed', row.id);
  }
  return records > 0;
}

const MEASURES = Object.keys(TRASH_MEASURES) as readonly BoardMeasure[];

function isOver(size: BoardSize, totals: Draft['trashTotals'], limits: BoardLimits): boolean {
  return MEASURES.some((name) => {
    const trashed = TRASH_MEASURES[name](totals);
    return trashed > 0 && measure(size, name) + trashed > limits[name];
  });
}
