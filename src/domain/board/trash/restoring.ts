/**
 * Restores what was deleted, with everything that was on it. Ids stay. What is too much for one command is restored with
 * several: the entry stays in the trash until the last one.
 */
import { AppError } from '../../errors.js';
import type { Uuid } from '../../ids.js';
import type { Attachment, Card, Checklist, ChecklistItem, Trashed, TrashedContent } from '../../model.js';
import { MAX_ON_ONE } from '../../limits.js';
import { keptAssignees, keptLabels } from '../archive/archiveOnDisk.js';
import { archiveAgain, MAX_ARCHIVED_BYTES, MAX_ARCHIVED_RECORDS, rankAtHome } from '../archive/archiving.js';
import { commentFiles } from '../comments/commentFiles.js';
import { completionAfter } from '../dates.js';
import type { Draft } from '../draft.js';
import { MAX_AT_ONCE } from '../../slices.js';
import { need } from '../view.js';
import { keepLabelLinks, labelAway, withLabel } from './labelLinks.js';
import { recordsIn, totalsOfContent } from './trashOnDisk.js';

/** Of the events of one command. */
const MAX_EVENT_CHARACTERS = 4 * 1024 * 1024;
/** Further rows that one command reads: with as many records as one commit removes, these are as many as one may put. */
const MAX_ROWS = Math.ceil(MAX_ARCHIVED_RECORDS / MAX_AT_ONCE);

/** Returns whether all of it is back. `column_id`: for a card, where to; null for its old column. */
export function restoreEntry(draft: Draft, root: Trashed, column_id: Uuid | null): boolean {
  const { archived, labelled = [] } = root.content;
  if (archived !== undefined) {
    archiveAgain(draft, archived);
    draft.remove('trashed', root.id);
    for (const row of archived.slice(0, 1)) {
      draft.emit(`${root.trashed_kind as 'card' | 'column'}.archived`, draft.render.archived(row), draft.caller, { kind: 'archived', record: row });
    }
    return true;
  }
  if (root.trashed_kind === 'label') return restoreLabel(draft, root, labelled);
  const isFirst = Object.keys(root.content).length > 0;
  if (!isFirst) requireOnBoard(draft, root.trashed_kind, root.id, root.title);
  const rows = isFirst ? [root, ...rowsThatFit(draft, root)] : draft.trash.rest(root.id, 1);
  if (isFirst) putRoot(draft, root, column_id);
  for (const row of rows) putBelow(draft, row, root, isFirst);
  keepLabelLinks(
    draft,
    rows.flatMap(({ content }) => content.card ?? []),
  );
  for (const { id } of rows) if (id !== root.id) draft.remove('trashed', id);
  const restored = new Set(rows.map(({ id }) => id));
  const isComplete = draft.trash.rest(root.id, rows.length + 1).every(({ id }) => restored.has(id));
  if (isComplete) draft.remove('trashed', root.id);
  else if (isFirst) draft.put('trashed', { ...root, ...totalsOfContent({}), content: {} });
  if (isFirst) announceRoot(draft, root);
  else announceFurther(draft, root, rows);
  return isComplete;
}

function rowsThatFit(draft: Draft, root: Trashed): Trashed[] {
  let [records, bytes] = [recordsIn(root), root.bytes];
  const rows: Trashed[] = [];
  for (const row of draft.trash.rest(root.id, MAX_ROWS)) {
    records += recordsIn(row);
    bytes += row.bytes;
    if (records > MAX_ARCHIVED_RECORDS || bytes > MAX_ARCHIVED_BYTES) break;
    rows.push(row);
  }
  return rows;
}

/** The deleted thing itself, in its old place. */
function putRoot(draft: Draft, root: Trashed, column_id: Uuid | null): void {
  const { column = [], card = [], checklist = [], attachment = [], was_done } = root.content;
  switch (root.trashed_kind) {
    case 'column':
      return column.forEach((each) => draft.put('column', { ...each, rank: rankAtHome(draft, 'column', draft.id, each.rank) }));
    case 'card':
      return card.forEach((each) => putCard(draft, root, inColumn(draft, each, column_id, was_done), true));
    case 'checklist':
      return checklist.forEach((each) => {
        requireOnBoard(draft, 'card', each.card_id, root.title);
        draft.put('checklist', { ...each, rank: rankAtHome(draft, 'checklist', each.card_id, each.rank) });
      });
    case 'attachment':
      return attachment.forEach((each) => {
        requireOnBoard(draft, 'card', each.card_id, root.title);
        putAttachment(draft, hasRoom(draft, each) ? each : { ...each, comment_id: null });
      });
    case 'label':
      return undefined;
  }
}

/** What was below it. If the thing itself is new on the board, nothing has the old places. */
function putBelow(draft: Draft, row: Trashed, root: Trashed, isNew: boolean): void {
  const { card = [], checklist = [], item = [], attachment = [] } = row.content;
  const isRoot = (record: Card | Checklist | Attachment): boolean => record.id === root.id;
  for (const each of card) if (!isRoot(each)) putCard(draft, row, each, !isNew);
  for (const each of checklist) if (!isRoot(each)) draft.put('checklist', isNew ? each : atHome(draft, 'checklist', each.card_id, each));
  for (const each of item) putItem(draft, row, isNew ? each : atHome(draft, 'item', each.checklist_id, each));
  for (const each of attachment) if (!isRoot(each)) putAttachment(draft, each);
}

function atHome<T extends Checklist | ChecklistItem>(draft: Draft, kind: 'checklist' | 'item', parent: Uuid, record: T): T {
  return { ...record, rank: rankAtHome(draft, kind, parent, record.rank) };
}

/** Without its comment it belongs to the card. */
function putAttachment(draft: Draft, attachment: Attachment): void {
  // The rows of older programs lack it.
  const { comment_id = null }: Partial<Attachment> = attachment;
  // Those of a card that comes back with this command are on disk.
  const isThere = comment_id !== null && draft.comments.find(comment_id) !== undefined;
  draft.put('attachment', { ...attachment, comment_id: isThere ? comment_id : null });
}

/** The comment may have got as many other files meanwhile as one may have. */
export function hasRoom(draft: Draft, { card_id, comment_id }: Attachment): boolean {
  return comment_id === null || commentFiles(draft, card_id, comment_id).length < MAX_ON_ONE.files;
}

/** What the rows of older programs lack. */
const OF_OLDER = { reminder_minutes: null, text_edits: 0 };

/** References to what is gone are dropped. */
function putCard(draft: Draft, row: Trashed, card: Card, hasSiblings: boolean): void {
  const rank = hasSiblings ? rankAtHome(draft, 'card', card.column_id, card.rank) : card.rank;
  const number = card.number ?? draft.newNumber();
  const references = { label_ids: keptLabels(draft, card.label_ids), assignee_ids: assigneesLeft(draft, row, card.assignee_ids) };
  draft.put('card', { ...OF_OLDER, ...card, rank, number, ...references });
}

function putItem(draft: Draft, row: Trashed, item: ChecklistItem): void {
  draft.put('item', { ...item, assignee_ids: assigneesLeft(draft, row, item.assignee_ids) });
}

function assigneesLeft(draft: Draft, row: Trashed, ids: readonly Uuid[]): readonly Uuid[] {
  return keptAssignees(draft, row, ids).filter((id) => !draft.isLeaving(id));
}

function inColumn(draft: Draft, card: Card, column_id: Uuid | null, wasDone: boolean | undefined): Card {
  const column = column_id ?? card.column_id;
  requireOnBoard(draft, 'column', column, card.title);
  return column === card.column_id ? card : { ...card, column_id: column, completed_at: completionAfter(draft, card, column, wasDone) };
}

/** What the thing belongs to must be there. */
function requireOnBoard(draft: Draft, kind: 'column' | 'card' | Trashed['trashed_kind'], id: Uuid, title: string): void {
  if (draft.get(kind, id) !== undefined) return;
  const isArchived = draft.archivedWith(id) !== undefined;
  throw new AppError('conflict', `The ${kind} of "${title}" is ${isArchived ? 'archived' : 'not there any more'}: ${id}`);
}

type Root = 'card' | 'column' | 'checklist' | 'attachment';

function announceRoot(draft: Draft, { trashed_kind, id }: Trashed): void {
  announceCreated(draft, trashed_kind as Root, id);
}

function announceCreated(draft: Draft, kind: Root, id: Uuid): void {
  const record = need(draft, kind, id);
  // Kind and record agree.
  draft.emit(`${kind}.created`, draft.render.record(kind, record), draft.caller, { kind, record } as never);
}

/** A column may show thousands of cards: only those with something new are told of. */
function announceFurther(draft: Draft, root: Trashed, rows: readonly Trashed[]): void {
  if (root.trashed_kind !== 'column') return announceRoot(draft, root);
  const cards = new Set(rows.flatMap(({ content }) => cardsIn(draft, content)));
  for (const id of cards) announceCreated(draft, 'card', id);
}

function cardsIn(draft: Draft, { card = [], checklist = [], item = [], attachment = [] }: TrashedContent): Uuid[] {
  const ofItems = item.map(({ checklist_id }) => need(draft, 'checklist', checklist_id).card_id);
  return [...card.map(({ id }) => id), ...[...checklist, ...attachment].map(({ card_id }) => card_id), ...ofItems];
}

/** Its cards get it again, where it was among their labels, wherever they are. No other change of theirs: deleting it was none either. */
function restoreLabel(draft: Draft, root: Trashed, labelled: NonNullable<TrashedContent['labelled']>): boolean {
  for (const label of root.content.label ?? []) {
    draft.put('label', label);
    draft.emit('label.created', draft.render.record('label', label), draft.caller, { kind: 'label', record: label });
  }
  requireOnBoard(draft, 'label', root.id, root.title);
  let [characters, records, done] = [0, 0, 0];
  for (const [id, place] of labelled.slice(0, MAX_AT_ONCE)) {
    if (characters > MAX_EVENT_CHARACTERS || records > MAX_ARCHIVED_RECORDS) break;
    done += 1;
    const card = draft.get('card', id);
    if (card === undefined) {
      const away = labelAway(draft, id, root.id, place);
      characters += away.bytes;
      records += away.records;
      continue;
    }
    const record = withLabel(card, root.id, place);
    if (record === card) continue;
    draft.put('card', record);
    const json = draft.render.card(record);
    characters += json.length;
    draft.emit('card.labeled', json, draft.caller, { kind: 'card', record });
  }
  const content: TrashedContent = { labelled: labelled.slice(done) };
  if (done === labelled.length) draft.remove('trashed', root.id);
  else draft.put('trashed', { ...root, ...totalsOfContent(content), content });
  return done === labelled.length;
}
