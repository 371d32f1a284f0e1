/**
 * The trash of a board: what was deleted and can be restored. It stays on disk like the archive, and refuses nothing: when the
 * board needs the room, the oldest goes, see `makeRoom`.
 */
import type { Uuid } from '../../ids.js';
import type { Trashed, TrashedContent, TrashTotals } from '../../model.js';
import { partsOf, totalsOf, type Part } from '../archive/archiveOnDisk.js';
import { ownBytes, type TextsOf } from '../boardSize.js';
import { DAY_MS } from '../../content/time.js';
import type { CommentPlace } from '../comments/commentsOnDisk.js';

/** Of one board. Reads are synchronous: a command decides at once. */
export interface TrashOnDisk {
  find(id: Uuid): Trashed | undefined;
  /** The id of the row that has something with this id. */
  holderOf(id: Uuid): Uuid | undefined;
  /** Those deleted before this place and not before `since`, the latest first. */
  page(since: string, before: CommentPlace | null, limit: number): TrashEntry[];
  /** Further rows of an entry, the last first: parents before their children. */
  rest(entry: Uuid, limit: number): Trashed[];
  /** Rows of the longest deleted, the first of an entry before its others. */
  oldest(limit: number): StoredTotals[];
  totals(): TrashTotals;
}

export type TrashEntry = Pick<Trashed, 'id' | 'trashed_kind' | 'title' | 'deleted_by' | 'created_at'>;
export type StoredTotals = TrashTotals & Pick<Trashed, 'id'>;

export const NOTHING_TRASHED: TrashTotals = { columns: 0, cards: 0, labels: 0, items: 0, bytes: 0, attachment_bytes: 0, comment_bytes: 0 };

/** Of a board that is new, or read for its size alone. */
export const NO_TRASH: TrashOnDisk = {
  find: () => undefined,
  holderOf: () => undefined,
  page: () => [],
  rest: () => [],
  oldest: () => [],
  totals: () => NOTHING_TRASHED,
};

export const TOTAL_FIELDS = Object.keys(NOTHING_TRASHED) as ReadonlyArray<keyof TrashTotals>;

export function addTotals(totals: TrashTotals, other: TrashTotals, sign: 1 | -1): TrashTotals {
  const sum: { -readonly [Field in keyof TrashTotals]: number } = { ...totals };
  for (const field of TOTAL_FIELDS) sum[field] += sign * other[field];
  return sum;
}

/** What was deleted before this time can be restored no longer. */
export function keptSince(now: string, days: number): string {
  return new Date(Date.parse(now) - days * DAY_MS).toISOString();
}

export function expiryOf({ created_at }: Pick<Trashed, 'created_at'>, days: number): string {
  return new Date(Date.parse(created_at) + days * DAY_MS).toISOString();
}

/** What a card of a label takes in the list of its row. */
const LABELLED_BYTES = 48;

const RECORD_KINDS = ['column', 'card', 'label', 'checklist', 'item', 'attachment'] as const;

/** The kinds of records that are deleted. */
export type RecordKind = (typeof RECORD_KINDS)[number];

/** What the content takes of the board's budget. */
export function totalsOfContent(content: TrashedContent): TrashTotals {
  const { column = [], card = [], label = [], checklist = [], item = [], attachment = [], archived = [], labelled = [] } = content;
  const own = {
    columns: column.length,
    cards: card.length,
    labels: label.length,
    items: checklist.length + item.length + attachment.length,
    bytes: LABELLED_BYTES * labelled.length + RECORD_KINDS.reduce((sum, kind) => sum + bytesOf(kind, content), 0),
    attachment_bytes: attachment.reduce((sum, { size }) => sum + size, 0),
    comment_bytes: card.reduce((sum, { comment_bytes }) => sum + comment_bytes, 0),
  };
  return archived.reduce((sum: TrashTotals, row) => addTotals(sum, { ...totalsOf(row), labels: 0 }, 1), own);
}

function bytesOf<K extends RecordKind>(kind: K, content: TrashedContent): number {
  // Kind and records agree by the type of the content, which TypeScript cannot derive for a union.
  const records = (content[kind] ?? []) as readonly unknown[] as ReadonlyArray<TextsOf<K>>;
  return records.reduce((sum, record) => sum + ownBytes(kind, record), 0);
}

/** A further row of the entry that the first one stands for. */
export function furtherRow(root: Trashed, part: number, id: Uuid, content: TrashedContent): Trashed {
  return { ...root, id, part, ...totalsOfContent(content), content };
}

/** How many records are in it. */
export function recordsIn(totals: TrashTotals): number {
  return totals.columns + totals.cards + totals.labels + totals.items;
}

export interface TrashedPart {
  readonly kind: RecordKind;
  readonly id: Uuid;
}

/** Everything whose id is taken by this content. */
export function partsOfContent(content: TrashedContent): TrashedPart[] {
  const own = RECORD_KINDS.flatMap((kind) => (content[kind] ?? []).map(({ id }) => ({ kind, id })));
  return [...own, ...(content.archived ?? []).flatMap((row): Part[] => partsOf(row))];
}
