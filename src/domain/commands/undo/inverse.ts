/** The inverse of one fact of a board's activity. */
import type { FactDetails, FactFields } from '../../board/activity/facts.js';
import type { Draft } from '../../board/draft.js';
import { archiveCard, archiveColumn, restoreCard, restoreColumn } from '../../board/archive/archiving.js';
import { createdLast } from '../../board/creation.js';
import { MOVED_EVENT, rankForNew } from '../../board/order/placing.js';
import { CHILD_KINDS, type RankedKind } from '../../board/structure.js';
import { AppError } from '../../errors.js';
import { isArchived, notFound } from '../../refusals.js';
import type { EventType } from '../../events.js';
import type { Uuid } from '../../ids.js';
import {
  RULE_REFERENCES,
  type Archived,
  type Attachment,
  type Card,
  type ChecklistItem,
  type Column,
  type Entities,
  type Kind,
  type Rule,
  type RuleReference,
  type Trashed,
} from '../../model.js';
import { checkNamed } from '../../board/ruleReferences.js';
import { list } from '../../board/view.js';
import type { BatchOperation, Caller } from '../commands.js';
import { about, admit, announce, authorise, type ErasedHandler, type Handlers } from '../handler.js';
import { hasRoom, restoreEntry } from '../../board/trash/restoring.js';
import { announceArchived, announceRestored } from '../archive/archive.js';
import { findEntry } from '../archive/trash.js';
import { isAssignable } from '../steps/assignment.js';

export type InvertingOperation = BatchOperation | 'board.update' | 'attachment.delete' | 'trash.restore';
type InverseHandlers = Handlers<InvertingOperation>;

/** Moving, renaming or deleting a column shows all its cards. */
const MAX_SHOWN_CARDS = 2_000;

export function cannotUndo(reason: string): AppError {
  return new AppError('conflict', reason);
}

const KINDS: Readonly<Record<string, Kind>> = { checklist_item: 'item' };

/** The change that is taken back. */
export interface Inverted {
  readonly kind: EventType;
  readonly details: FactDetails;
  readonly at: string;
}

/** What was changed since, with who did what. */
export type Since = ReadonlyMap<Uuid, () => string>;

/** Refuses what cannot be made as it was. */
export function invert(handlers: InverseHandlers, draft: Draft, { kind: type, details, at }: Inverted, since: Since): void {
  const [resource = '', verb = ''] = type.split('.');
  const kind = KINDS[resource] ?? (resource as Kind);
  switch (verb) {
    case 'created':
      return remove(handlers, draft, kind, details.id, since);
    case 'deleted':
      return isInTrash(draft, details, at) ? takeFromTrash(handlers, draft, kind, details) : restore(handlers, draft, kind, details);
    case 'updated':
      return putBack(handlers, draft, kind, details);
    case 'archived':
      return takeOut(handlers, draft, kind as ArchivedKind, details, at);
    case 'restored':
      return archiveAgain(handlers, draft, kind as ArchivedKind, details);
    case 'moved':
      return moveBack(handlers, draft, kind as RankedKind, details);
    case 'labeled':
    case 'unlabeled':
      return relabel(handlers, draft, details);
    case 'assigned':
    case 'unassigned':
      return reassign(handlers, draft, kind as 'card' | 'item', details);
    default:
      throw notUndoable();
  }
}

function notUndoable(): AppError {
  return cannotUndo('Changes of members and roles, and of comments, cannot be undone');
}

function run(handlers: InverseHandlers, draft: Draft, op: InvertingOperation, id: Uuid, input: object): void {
  const handler: ErasedHandler = handlers[op];
  try {
    admit(draft, callerOf(draft), handler, id, input)(input);
  } catch (error) {
    // Such as a card that went with its column, or a start after a due date that was changed since. The board itself is there.
    throw error instanceof AppError && (error.code === 'not_found' || error.code === 'invalid') ? cannotUndo(error.detail) : error;
  }
}

function require(handlers: InverseHandlers, draft: Draft, op: InvertingOperation): void {
  authorise(draft, callerOf(draft), handlers[op].access, {});
}

function callerOf({ caller }: Draft): Caller {
  return caller === null ? 'system' : { user_id: caller };
}

function current<K extends Kind>(draft: Draft, kind: K, { id, name = '' }: FactDetails): Entities[K] {
  const record = draft.get(kind, id);
  if (record === undefined) throw cannotUndo(`"${name}" is not there any more`);
  if (kind === 'column' && draft.children('card', id).size > MAX_SHOWN_CARDS) throw cannotUndo('The column has too many cards for this');
  return record;
}

const REMOVING: { readonly [K in Kind]?: InvertingOperation } = {
  column: 'column.delete',
  card: 'card.delete',
  label: 'label.delete',
  checklist: 'checklist.delete',
  item: 'item.delete',
  attachment: 'attachment.delete',
  comment: 'comment.delete',
  rule: 'rule.delete',
};

function remove(handlers: InverseHandlers, draft: Draft, kind: Kind, id: Uuid, since: Since): void {
  const op = REMOVING[kind];
  const record = draft.get(kind, id);
  if (op === undefined) throw notUndoable();
  if (record === undefined) throw cannotUndo('It is not there any more');
  const isInRule = list(draft, 'rule', draft.id).some((rule) => RULE_REFERENCES.some((field) => rule[field] === id));
  const isShown = (kind === 'label' && draft.isOnCards(id)) || (kind === 'attachment' && isCover(draft, record as Attachment));
  if (isShown || isInRule) throw cannotUndo('It has been used since');
  const change = since.get(id) ?? changeBelow(draft, kind, id, since);
  if (change !== undefined) throw cannotUndo(`It has been used since: ${change()}`);
  run(handlers, draft, op, id, {});
}

function isCover(draft: Draft, { id, card_id }: Attachment): boolean {
  const cover = draft.get('card', card_id)?.cover ?? null;
  return cover !== null && 'attachment_id' in cover && cover.attachment_id === id;
}

/** Of what goes with it; what came back with it and was left alone may go again. */
function changeBelow(draft: Draft, kind: Kind, id: Uuid, since: Since): (() => string) | undefined {
  if (since.size === 0) return undefined;
  for (const child of CHILD_KINDS[kind]) {
    for (const { id: below } of draft.children(child, id)) {
      const change = since.get(below) ?? changeBelow(draft, child, below, since);
      if (change !== undefined) return change;
    }
  }
  const archived = kind === 'column' ? draft.archive.index().find((row) => row.column_id === id && since.has(row.id)) : undefined;
  return archived && since.get(archived.id);
}

function putBack(handlers: InverseHandlers, draft: Draft, kind: Kind, details: FactDetails): void {
  const { before = {}, omitted = [] } = details;
  if (kind === 'comment' || (kind === 'board' && details.id !== draft.id)) throw notUndoable();
  if (omitted.length > 0) throw cannotUndo(`The text before it was too long to be kept: ${omitted.join(', ')}`);
  requireBefore(details);
  const record = current(draft, kind, details);
  if (kind === 'rule') {
    require(handlers, draft, 'rule.update');
    requireNamed(draft, { ...(record as Rule), ...before });
  }
  run(handlers, draft, `${kind}.update` as InvertingOperation, details.id, withoutLists(before));
}

/** Older programs did not know it of what came onto the board with the same command. */
function requireBefore({ before }: FactDetails): void {
  if (before === undefined) throw cannotUndo('It is not known how it was before');
}

/** Facts of older programs also have the labels that were deleted by the same command and went from the card. */
function withoutLists(fields: FactFields): FactFields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !Array.isArray(value)));
}

type ArchivedKind = Archived['archived_kind'];

/** To where it was, or not at all: elsewhere it would be another card, such as a completed one. */
function takeOut(handlers: InverseHandlers, draft: Draft, kind: ArchivedKind, details: FactDetails, at: string): void {
  const { id, before, after, omitted = [] } = details;
  if (omitted.length > 0) throw cannotUndo('Rules that named the column were switched off. Restore it from the archive.');
  const cameFromTrash = before === undefined && after !== undefined;
  if (cameFromTrash) return run(handlers, draft, `${kind}.delete`, id, {});
  require(handlers, draft, `${kind}.restore`);
  const row = draft.get('archived', id);
  if (row === undefined) throw cannotUndo('It is not in the archive any more');
  if (row.with_column) throw isArchived('column');
  // Those of older programs do not say whether it came from the trash.
  if (before === undefined && row.archived_at !== at) throw cannotUndo('It is not known where it was. Restore it from the archive.');
  const home = placedAs(row, placeIn(before));
  if (home.column_id !== null && draft.get('column', home.column_id) === undefined) {
    throw cannotUndo('Where it was is not there any more. Restore it from the archive.');
  }
  if (kind === 'card') announceRestored(draft, kind, restoreCard(draft, home, { column_id: null, position: null }), row);
  else announceRestored(draft, kind, restoreColumn(draft, home, null), row);
}

/** With the place that it had in the archive. */
function archiveAgain(handlers: InverseHandlers, draft: Draft, kind: ArchivedKind, details: FactDetails): void {
  require(handlers, draft, `${kind}.archive`);
  // Those of older programs lack it.
  if (details.before?.['archived_at'] === undefined) throw cannotUndo('It is not known where it was. Archive it again.');
  const place = placeIn(details.before);
  if (kind === 'column') {
    const column = current(draft, kind, details);
    announceArchived(draft, archiveColumn(draft, { ...column, ...place }), column);
  } else {
    const card = current(draft, kind, details);
    const label_ids = [...card.label_ids, ...listed(details, 'label_ids').gone];
    announceArchived(draft, archiveCard(draft, { ...card, ...place, label_ids }), card);
  }
}

/** The fact has no others besides. */
function placeIn({ archived_at: _at, label_ids: _labels, ...place }: FactFields = {}): Partial<Card & Column> {
  return place as Partial<Card & Column>;
}

function placedAs(row: Archived, place: Partial<Card & Column>): Archived {
  const { card, column } = row.content;
  const content = { ...row.content, ...(card && { card: { ...card, ...place } }), ...(column && { column: { ...column, ...place } }) };
  return { ...row, column_id: place.column_id ?? row.column_id, content };
}

const PARENT = { column: null, card: 'column_id', checklist: 'card_id', item: 'checklist_id' } as const;
const PARENT_KIND = { column: 'board', card: 'column', checklist: 'card', item: 'checklist' } as const satisfies Record<RankedKind, Kind>;

/** To its rank, which others may have now: then it goes before them. */
function moveBack(handlers: InverseHandlers, draft: Draft, kind: RankedKind, details: FactDetails): void {
  require(handlers, draft, `${kind}.move`);
  requireBefore(details);
  const record = current(draft, kind, details);
  const fields = withoutLists(details.before ?? {});
  const parent = parentOf(draft, kind, { ...record, ...fields });
  const rank = freeRank(draft, kind, parent, Number(fields['rank'] ?? record.rank), record.id);
  announceMove(draft, kind, draft.revise(kind, record, { ...fields, rank } as Partial<Entities[RankedKind]>));
}

function announceMove(draft: Draft, kind: RankedKind, moved: Entities[RankedKind]): void {
  draft.emit(MOVED_EVENT[kind], draft.render.record(kind, moved), draft.caller, about(kind, moved));
}

function parentOf(draft: Draft, kind: RankedKind, record: object): Uuid {
  const field = PARENT[kind];
  const parent = field === null ? draft.id : String((record as Readonly<Record<string, unknown>>)[field]);
  if (draft.get(PARENT_KIND[kind], parent) === undefined) throw cannotUndo('Where it was is not there any more');
  return parent;
}

function freeRank(draft: Draft, kind: RankedKind, parent: Uuid, rank: number, self: Uuid): number {
  let position = 0;
  for (const sibling of draft.children(kind, parent)) {
    if (sibling.rank === rank && sibling.id !== self) return rankForNew(draft, kind, parent, position);
    position += 1;
  }
  return rank;
}

function relabel(handlers: InverseHandlers, draft: Draft, details: FactDetails): void {
  const card = current(draft, 'card', details);
  const { gone, come } = listed(details, 'label_ids');
  require(handlers, draft, gone.length > 0 ? 'card.addLabel' : 'card.removeLabel');
  if (gone.length + come.length === 0) throw cannotUndo('It is not known how it was before');
  if (gone.some((id) => draft.get('label', id) === undefined)) throw cannotUndo('The label is not there any more');
  const label_ids = [...card.label_ids.filter((id) => !come.includes(id)), ...gone];
  announce(draft, gone.length > 0 ? 'card.labeled' : 'card.unlabeled', 'card', draft.revise('card', card, { label_ids }));
}

/** People who left, or may not be assigned any more, are not assigned again. */
function reassign(handlers: InverseHandlers, draft: Draft, kind: 'card' | 'item', details: FactDetails): void {
  const record: Card | ChecklistItem = current(draft, kind, details);
  const { gone, come } = listed(details, 'assignee_ids');
  require(handlers, draft, gone.length > 0 ? `${kind}.assign` : `${kind}.unassign`);
  const again = gone.filter((id) => isAssignable(draft, id));
  const assignee_ids = [...record.assignee_ids.filter((id) => !come.includes(id)), ...again];
  if (assignee_ids.length === record.assignee_ids.length && again.length === 0) throw cannotUndo('They are not on the board any more');
  const type = kind === 'card' ? 'card' : 'checklist_item';
  announce(draft, `${type}.${gone.length > 0 ? 'assigned' : 'unassigned'}`, kind, draft.revise(kind, record as never, { assignee_ids }));
}

function listed({ before, after, omitted = [] }: FactDetails, field: string): { readonly gone: readonly Uuid[]; readonly come: readonly Uuid[] } {
  if (omitted.length > 0) throw cannotUndo('They were too many to be kept');
  const list = (fields: FactFields | undefined): readonly Uuid[] => {
    const value = fields?.[field];
    return Array.isArray(value) ? (value as readonly Uuid[]) : [];
  };
  return { gone: list(before), come: list(after) };
}

const CREATING = {
  column: 'column.create',
  card: 'card.create',
  label: 'label.create',
  checklist: 'checklist.create',
  item: 'item.create',
} as const satisfies { readonly [K in Kind]?: InvertingOperation };

type Restorable = keyof typeof CREATING;

/** Of this deletion: what was restored meanwhile and deleted again is another one's. */
function isInTrash(draft: Draft, { id }: FactDetails, at: string): boolean {
  return findEntry(draft, id)?.created_at === at;
}

function takeFromTrash(handlers: InverseHandlers, draft: Draft, kind: Kind, { id, name = '', omitted = [] }: FactDetails): void {
  const entry = findEntry(draft, id);
  if (entry === undefined) throw notFound(kind);
  // The same right as for attaching the file: to an own comment with any role that comments.
  if (isOfOwnComment(draft, entry)) authorise(draft, callerOf(draft), 'commenter', {});
  else require(handlers, draft, 'trash.restore');
  if (omitted.includes('rules')) throw cannotUndo(`Rules that named "${name}" were switched off. Restore it from the trash.`);
  if (!restoreEntry(draft, entry, null)) throw cannotUndo(`"${name}" is too large to be brought back at once. Restore it from the trash.`);
}

/** Whether it is a file that comes back to a comment of the caller, not to the card. A card has its files in its entry, too. */
function isOfOwnComment(draft: Draft, { trashed_kind, content: { attachment: [file] = [] } }: Trashed): boolean {
  if (trashed_kind !== 'attachment' || file === undefined || draft.caller === null || (file.comment_id ?? null) === null || !hasRoom(draft, file))
    return false;
  return draft.comments.find(String(file.comment_id))?.created_by === draft.caller;
}

/** Only what was removed alone: everything about it is in the fact. */
function restore(handlers: InverseHandlers, draft: Draft, kind: Kind, { id, name = '', before = {}, omitted = [] }: FactDetails): void {
  if (kind === 'rule') return restoreRule(handlers, draft, id, before as unknown as Rule);
  if (!Object.hasOwn(CREATING, kind)) throw kind === 'attachment' ? cannotUndo('The deleted file is kept no longer') : notUndoable();
  const restorable = kind as Restorable;
  require(handlers, draft, CREATING[restorable]);
  if (omitted.length > 0) throw cannotUndo(`"${name}" cannot be brought back: it was deleted with its ${omitted.join(', ')}`);
  if (draft.isTaken(id)) throw cannotUndo(`"${name}" is there again`);
  const rank = restorable === 'label' ? {} : { rank: freeRank(draft, restorable, parentOf(draft, restorable, before), Number(before['rank']), id) };
  const { number = draft.newNumber(), cover = null, reminder_minutes = null } = before;
  // Higher than that of any text it had: an edit that was begun then is in conflict.
  const text_edits = draft.keepsVersions ? draft.seq : 0;
  const counts = kind === 'card' ? { number, cover, reminder_minutes, comment_count: 0, comment_bytes: 0, text_edits } : {};
  // In order of creation: a copy of the board puts it last.
  const times = kind === 'label' ? createdLast(draft, 'label', draft.id) : {};
  // The fact has all other fields of the record.
  const record = {
    ...before,
    ...people(draft, before),
    ...labels(draft, before),
    ...rank,
    ...counts,
    ...times,
    id,
  } as unknown as Entities[Restorable];
  draft.put(restorable, record);
  announce(draft, restorable === 'item' ? 'checklist_item.created' : `${restorable}.created`, restorable, record);
}

/** At its place among the rules, which run in the order of their creation. */
function restoreRule(handlers: InverseHandlers, draft: Draft, id: Uuid, before: Omit<Rule, 'id'>): void {
  require(handlers, draft, 'rule.create');
  if (draft.isTaken(id)) throw cannotUndo(`"${before.name}" is there again`);
  requireNamed(draft, before);
  announce(draft, 'rule.created', 'rule', draft.revise('rule', { ...before, id }, {}));
}

/** What a rule named may have left since. A rule that was off may have lacked it before. */
function requireNamed(draft: Draft, rule: Pick<Rule, RuleReference>): void {
  try {
    checkNamed(draft, rule);
  } catch (error) {
    throw error instanceof AppError ? cannotUndo(error.detail) : error;
  }
}

function people(draft: Draft, { assignee_ids }: FactFields): object {
  return Array.isArray(assignee_ids) ? { assignee_ids: assignee_ids.filter((user: Uuid) => isAssignable(draft, user)) } : {};
}

function labels(draft: Draft, { label_ids }: FactFields): object {
  return Array.isArray(label_ids) ? { label_ids: label_ids.filter((label: Uuid) => draft.get('label', label) !== undefined) } : {};
}
