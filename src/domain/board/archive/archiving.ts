/** Moves cards and columns to the archive and back, with everything on them. Ids stay. */
import { AppError } from '../../errors.js';
import type { Uuid } from '../../ids.js';
import type { Archived, ArchivedContent, Authorship, Card, Column, Timestamps } from '../../model.js';
import { notFound } from '../../refusals.js';
import { ownBytes } from '../boardSize.js';
import { completionAfter, isDone } from '../dates.js';
import type { Draft } from '../draft.js';
import { rankForNew, type ListPosition } from '../order/placing.js';
import type { RankedKind } from '../structure.js';
import { keepLabelLinks } from '../trash/labelLinks.js';
import { itemsOfCard, list, need } from '../view.js';
import { keptAssignees, keptLabels, sumOfTotals, totalsOf } from './archiveOnDisk.js';

/** Of one command: some ten milliseconds, for which other boards wait. */
export const MAX_ARCHIVED_RECORDS = 500;
/** Of one command. A commit goes to every machine as a whole. */
export const MAX_ARCHIVED_BYTES = 4 * 1024 * 1024;

/** Takes a card off the board. */
export function archiveCard(draft: Draft, card: Card): Archived {
  const archived = archivedCard(draft, { ...card, ...marks(draft, card) }, false);
  refuseExcess('card', [archived]);
  take(draft, archived, [archived]);
  return archived;
}

/** Takes a column off the board, with its cards. */
export function archiveColumn(draft: Draft, column: Column): Archived {
  const cards = list(draft, 'card', column.id).map((card) => archivedCard(draft, card, true));
  const archived = columnRow(draft, { ...column, ...marks(draft, column) }, cards.length);
  refuseExcess('column', [archived, ...cards]);
  take(draft, archived, [archived, ...cards]);
  return archived;
}

function columnRow(draft: Draft, column: Column, card_count: number): Archived {
  const row = { seq: draft.seq, archived_at: draft.now, created_at: draft.now, updated_at: draft.now, bytes: ownBytes('column', column) };
  return { id: column.id, archived_kind: 'column', column_id: null, with_column: false, ...row, content: { column, card_count } };
}

function archivedCard(draft: Draft, card: Card, with_column: boolean): Archived {
  const content = {
    card,
    checklists: list(draft, 'checklist', card.id),
    items: [...itemsOfCard(draft, card.id)],
    attachments: list(draft, 'attachment', card.id),
    was_done: isDone(draft, card.column_id),
  };
  const row = { seq: draft.seq, archived_at: draft.now, created_at: draft.now, updated_at: draft.now, bytes: bytesOf(content) };
  return { id: card.id, archived_kind: 'card', column_id: card.column_id, with_column, ...row, content };
}

export interface Target {
  readonly column_id: Uuid | null;
  readonly position: ListPosition;
}

/** A column and its cards of an import that were archived then. What is too much for one command is archived card by card, or stays on the board. */
export function archiveImported(draft: Draft, id: Uuid, archivedAt: string | null, cards: ReadonlyMap<Uuid, string>): void {
  const column = need(draft, 'column', id);
  for (const [card, at] of archivedAt === null ? cards : []) tryArchiving(draft, need(draft, 'card', card), at);
  if (archivedAt === null) return;
  const rows = list(draft, 'card', id).map((card) => archivedCard(draft, card, true));
  const whole = [columnRow(draft, column, rows.length), ...rows].map((row) => ({ ...row, archived_at: archivedAt }));
  if (!isTooMuch(whole)) return take(draft, columnRow(draft, column, rows.length), whole);
  for (const card of list(draft, 'card', id)) tryArchiving(draft, card, cards.get(card.id) ?? archivedAt);
  if (draft.children('card', id).size > 0) return;
  const row = { ...columnRow(draft, column, 0), archived_at: archivedAt };
  take(draft, row, [row]);
}

function tryArchiving(draft: Draft, card: Card, archived_at: string): void {
  const row = { ...archivedCard(draft, card, false), archived_at };
  if (!isTooMuch([row])) take(draft, row, [row]);
}

/** Puts a card back: to its place in its column, or where the target says. Without its column it goes last on the board. */
export function restoreCard(draft: Draft, archived: Archived, { column_id, position }: Target): Card {
  const { card, was_done } = archived.content;
  if (card === undefined) throw notFound('card');
  if (column_id !== null && draft.get('column', column_id) === undefined) throw notFound('column');
  const column = column_id ?? (draft.get('column', card.column_id) === undefined ? lastColumn(draft) : card.column_id);
  const isHome = column === card.column_id;
  const rank = isHome && position === null ? rankAtHome(draft, 'card', column, card.rank) : rankForNew(draft, 'card', column, position);
  const completed_at = isHome ? card.completed_at : completionAfter(draft, card, column, was_done);
  const restored = { ...card, column_id: column, rank, completed_at, ...marks(draft, card) };
  putBack(draft, archived, restored);
  keepLabelLinks(draft, [card]);
  bringBack(draft, [archived]);
  return need(draft, 'card', card.id);
}

/** Puts a column back with the cards that came with it: to its place, or to the position. */
export function restoreColumn(draft: Draft, archived: Archived, position: ListPosition): Column {
  const { column } = archived.content;
  if (column === undefined) throw notFound('column');
  const rank = position === null ? rankAtHome(draft, 'column', draft.id, column.rank) : rankForNew(draft, 'column', draft.id, position);
  const restored = { ...column, rank, ...marks(draft, column) };
  draft.put('column', restored);
  const cards = draft.archivedCardsOf(column.id);
  for (const row of cards) if (row.content.card !== undefined) putBack(draft, row, row.content.card);
  keepLabelLinks(
    draft,
    cards.flatMap(({ content }) => content.card ?? []),
  );
  bringBack(draft, [archived, ...cards]);
  return restored;
}

/** Deletes a card or column in the archive, with the cards that came with it. Returns the rows. */
export function deleteArchived(draft: Draft, archived: Archived): readonly Archived[] {
  countInColumn(draft, archived, -1);
  const rows = [archived, ...(archived.archived_kind === 'column' ? draft.archivedCardsOf(archived.id) : [])];
  bringBack(draft, rows);
  return rows;
}

/** Puts deleted rows into the archive again. A card whose column is not there any more stands for itself. */
export function archiveAgain(draft: Draft, rows: readonly Archived[]): void {
  const stored = rows.map((row) => {
    const isAlone = rows.length === 1 && row.with_column && !countInColumn(draft, row, 1);
    return isAlone ? { ...row, with_column: false } : row;
  });
  for (const row of stored) draft.put('archived', row);
  count(draft, stored, 1);
}

/** Returns whether the card came with a column that is in the archive. */
function countInColumn(draft: Draft, { with_column, column_id }: Archived, by: 1 | -1): boolean {
  const column = with_column && column_id !== null ? draft.get('archived', column_id) : undefined;
  if (column === undefined) return false;
  const card_count = Math.max(0, (column.content.card_count ?? 0) + by);
  draft.put('archived', { ...column, content: { ...column.content, card_count } });
  return true;
}

/** The records of a card. References to what is gone are dropped. */
function putBack(draft: Draft, archived: Archived, card: Card): void {
  const { checklists = [], items = [], attachments = [] } = archived.content;
  const assignees = (ids: readonly Uuid[]): readonly Uuid[] => keptAssignees(draft, archived, ids).filter((id) => !draft.isLeaving(id));
  const number = card.number ?? draft.newNumber();
  draft.put('card', { ...card, number, label_ids: keptLabels(draft, card.label_ids), assignee_ids: assignees(card.assignee_ids) });
  for (const checklist of checklists) draft.put('checklist', checklist);
  for (const item of items) draft.put('item', { ...item, assignee_ids: assignees(item.assignee_ids) });
  for (const attachment of attachments) draft.put('attachment', attachment);
}

/** The archive has these, and the board no longer. */
function take(draft: Draft, { archived_kind, id }: Archived, rows: readonly Archived[]): void {
  for (const row of rows) draft.put('archived', row);
  draft.removeAtOnce(archived_kind, id);
  count(draft, rows, 1);
}

/** The archive has these no longer: they are on the board again, or deleted. */
function bringBack(draft: Draft, rows: readonly Archived[]): void {
  for (const { id } of rows) draft.remove('archived', id);
  count(draft, rows, -1);
}

function count(draft: Draft, rows: readonly Archived[], sign: 1 | -1): void {
  const board = need(draft, 'board', draft.id);
  draft.put('board', { ...board, archived: sumOfTotals(board.archived, rows.map(totalsOf), sign) });
}

function refuseExcess(kind: Archived['archived_kind'], rows: readonly Archived[]): void {
  if (!isTooMuch(rows)) return;
  const most = `${MAX_ARCHIVED_RECORDS} cards, checklists, items and attachments and ${MAX_ARCHIVED_BYTES} bytes of text`;
  throw new AppError('limit', `A ${kind} can be archived with at most ${most}`);
}

function isTooMuch(rows: readonly Archived[]): boolean {
  const records = rows.reduce((sum, row) => sum + 1 + totalsOf(row).items, 0);
  return records > MAX_ARCHIVED_RECORDS || rows.reduce((sum, row) => sum + row.bytes, 0) > MAX_ARCHIVED_BYTES;
}

function bytesOf({ card, checklists = [], items = [], attachments = [] }: ArchivedContent): number {
  let bytes = ownBytes('card', card);
  for (const checklist of checklists) bytes += ownBytes('checklist', checklist);
  for (const item of items) bytes += ownBytes('item', item);
  for (const attachment of attachments) bytes += ownBytes('attachment', attachment);
  return bytes;
}

/** Its old rank, or one before the sibling that has it now. */
export function rankAtHome(draft: Draft, kind: RankedKind, parent: Uuid, rank: number): number {
  let position = 0;
  for (const sibling of draft.children(kind, parent)) {
    if (sibling.rank === rank) return rankForNew(draft, kind, parent, position);
    if (sibling.rank > rank) break;
    position += 1;
  }
  return rank;
}

function lastColumn(draft: Draft): Uuid {
  const columns = draft.children('column', draft.id);
  const last = columns.at(columns.size - 1);
  if (last === undefined) throw new AppError('conflict', 'The board has no column for the card');
  return last.id;
}

/** The clock may have been set back since. */
function marks({ now, caller }: Draft, { created_at }: Timestamps): Timestamps & Pick<Authorship, 'updated_by'> {
  return { created_at, updated_at: created_at > now ? created_at : now, updated_by: caller };
}
