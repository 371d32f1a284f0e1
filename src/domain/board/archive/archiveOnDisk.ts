/**
 * The archive of a board. It stays on disk, so a board in memory costs nothing for it: its record has the totals, which count
 * in the board's budget, and everything else is read through this port when it is asked for.
 */
import type { Uuid } from '../../ids.js';
import { isRestricted, type Archived, type ArchivedTotals, type Attachment, type Card } from '../../model.js';
import type { CommentPlace } from '../comments/commentsOnDisk.js';
import type { BoardView } from '../view.js';

/** Of one board. Reads are synchronous: a command decides at once. */
export interface ArchiveOnDisk {
  find(id: Uuid): Archived | undefined;
  /** The archived card or column with this id, or with a part that has it. */
  holderOf(id: Uuid): Archived | undefined;
  /** Those archived before this place, the latest first, without the cards of archived columns. At least one, if there is one; then fewer if they are long. */
  page(kind: Archived['archived_kind'] | null, before: ArchivePlace | null, limit: number, maxCharacters: number): Archived[];
  /** The cards that were archived with their column. */
  cardsOf(column: Uuid): Archived[];
  /** Everything in the archive, without its content. */
  index(): ArchiveEntry[];
}

export type ArchiveEntry = Pick<Archived, 'id' | 'archived_kind' | 'column_id'>;

/** Of a board that is new, or read for its size alone. */
export const NO_ARCHIVE: ArchiveOnDisk = { find: () => undefined, holderOf: () => undefined, page: () => [], cardsOf: () => [], index: () => [] };

/** `created_at` is the time of archiving. Written like the place of a comment. */
export type ArchivePlace = CommentPlace;

export function placeInArchive({ archived_at, id }: Archived): ArchivePlace {
  return { created_at: archived_at, id };
}

/** Of the texts in one page. */
export const PAGE_CHARACTERS = 512 * 1024;

const NOTHING: ArchivedTotals = { columns: 0, cards: 0, items: 0, bytes: 0, attachment_bytes: 0, comment_bytes: 0 };

export function totalsOf({ archived_kind, bytes, content }: Archived): ArchivedTotals {
  const { card, checklists = [], items = [], attachments = [] } = content;
  return {
    columns: archived_kind === 'column' ? 1 : 0,
    cards: archived_kind === 'card' ? 1 : 0,
    items: checklists.length + items.length + attachments.length,
    bytes,
    attachment_bytes: attachments.reduce((sum, { size }) => sum + size, 0),
    comment_bytes: card?.comment_bytes ?? 0,
  };
}

/** Null if nothing is left. */
export function sumOfTotals(totals: ArchivedTotals | null, others: readonly ArchivedTotals[], sign: 1 | -1): ArchivedTotals | null {
  const sum: { -readonly [Field in keyof ArchivedTotals]: number } = { ...(totals ?? NOTHING) };
  for (const other of others) for (const field of FIELDS) sum[field] += sign * other[field];
  return FIELDS.every((field) => sum[field] === 0) ? null : sum;
}

const FIELDS = Object.keys(NOTHING) as ReadonlyArray<keyof ArchivedTotals>;

export interface Part {
  readonly kind: 'card' | 'checklist' | 'item' | 'attachment' | 'column';
  readonly id: Uuid;
}

/** Everything whose id is taken by this row, itself included. */
export function partsOf({ content }: Archived): Part[] {
  const { card, checklists = [], items = [], attachments = [], column } = content;
  return [
    ...(card === undefined ? [] : [{ kind: 'card', id: card.id } as const]),
    ...(column === undefined ? [] : [{ kind: 'column', id: column.id } as const]),
    ...checklists.map(({ id }) => ({ kind: 'checklist', id }) as const),
    ...items.map(({ id }) => ({ kind: 'item', id }) as const),
    ...attachments.map(({ id }) => ({ kind: 'attachment', id }) as const),
  ];
}

/** With the fields that came after it was archived. */
export function upToDate(archived: Archived): Archived {
  const { card, attachments } = archived.content;
  const isWhole = attachments === undefined || attachments.every((file) => 'comment_id' in file);
  if (card === undefined || ('reminder_minutes' in card && 'text_edits' in card && isWhole)) return archived;
  const content = {
    ...archived.content,
    card: { ...WITHOUT, ...(card as Card) },
    ...(attachments && { attachments: attachments.map((file) => ({ ...PLAIN_FILE, ...file })) }),
  };
  return { ...archived, content };
}

const WITHOUT = { number: null, cover: null, reminder_minutes: null, text_edits: 0 };
const PLAIN_FILE = { url: null, comment_id: null };

export function attachmentIn({ content }: Archived, id: Uuid): Attachment | undefined {
  return content.attachments?.find((attachment) => attachment.id === id);
}

/** The labels that the board still has. A label that is deleted meanwhile changes no row of the archive. */
export function keptLabels(view: BoardView, ids: readonly Uuid[]): readonly Uuid[] {
  return ids.every((id) => view.get('label', id) !== undefined) ? ids : ids.filter((id) => view.get('label', id) !== undefined);
}

/** The assignees who can be assigned and could be all the time: a removal or another role has ended the assignments of others. */
export function keptAssignees(view: BoardView, { seq }: Pick<Archived, 'seq'>, ids: readonly Uuid[]): readonly Uuid[] {
  return ids.filter((id) => {
    const member = view.get('member', id);
    return member !== undefined && !isRestricted(member.role) && member.assignable_since <= seq;
  });
}
