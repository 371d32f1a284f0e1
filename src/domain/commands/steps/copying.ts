/**
 * Copies a card or a column within its board: fresh ids, and nothing of what happened to the original. Labels and people are
 * those of the board, which stay.
 */
import { ownBytes, shownBytes } from '../../board/boardSize.js';
import { created, createdBy, createdLast } from '../../board/creation.js';
import { completionAfter } from '../../board/dates.js';
import type { Draft } from '../../board/draft.js';
import { rankForNew, type ListPosition } from '../../board/order/placing.js';
import { list, need } from '../../board/view.js';
import { AppError } from '../../errors.js';
import { boardLimit, measure, requireRoom } from '../../limits.js';
import type { Uuid } from '../../ids.js';
import type { Card, Column, Cover } from '../../model.js';
import type { CopiedFile } from '../commands.js';
import { isAssignable } from './assignment.js';

/** The new id of each file whose content is staged, by the id of the original. */
export type StagedCopies = ReadonlyMap<Uuid, Uuid>;

export interface WantedCopy {
  readonly column_id: Uuid;
  readonly position: ListPosition;
  readonly comments: boolean;
  /** Null: without files and links. */
  readonly files: StagedCopies | null;
}

/**
 * Of one command: some twenty milliseconds, for which other boards wait. Far fewer than an archiving moves, because each is made anew and
 * the event shows all of it: beside copies of 990 cards a bystander waited 120 ms, beside copies of 240 cards 37 ms.
 */
const MAX_COPIED_RECORDS = 250;
const MAX_COPIED_BYTES = 512 * 1024;
export const COPY_BOUNDS = `${MAX_COPIED_RECORDS} cards, checklists, items, assignments, attachments and comments and ${MAX_COPIED_BYTES} bytes of text`;

export function copyCard(draft: Draft, card: Card, { column_id, position, comments, files }: WantedCopy): Card {
  new CopySize(draft, 'A card can be copied').addCard(card, { comments, files });
  const rank = rankForNew(draft, 'card', column_id, position);
  return writeCard(draft, card, { column_id, rank, comments, files });
}

/** Refuses a card that is too much for one command of the other board. */
export function requireMovable(draft: Draft, card: Card): void {
  new CopySize(draft, 'A card can be moved to another board').addCard(card, { comments: true, files: new Map() });
}

const BARE = { comments: false, files: null } as const;

/** With its cards, without their comments and files. */
export function copyColumn(draft: Draft, column: Column, position: ListPosition): Column {
  const size = new CopySize(draft, 'A column can be copied');
  const cards = list(draft, 'card', column.id);
  for (const card of cards) size.addCard(card, BARE);
  const { title, color, is_done_column } = column;
  const rank = rankForNew(draft, 'column', draft.id, position);
  const copy: Column = { id: draft.newId(), title, rank, color, is_done_column, ...createdBy(draft) };
  draft.put('column', copy);
  for (const card of cards) writeCard(draft, card, { column_id: copy.id, rank: card.rank, ...BARE });
  return copy;
}

/**
 * What a copy takes, refused as soon as it is too much. The event shows each label and assignee in full, and each assignee gets
 * a notice.
 */
class CopySize {
  readonly #draft: Draft;
  readonly #what: string;
  #records = 0;
  #bytes = 0;

  constructor(draft: Draft, what: string) {
    this.#draft = draft;
    this.#what = what;
  }

  addCard(card: Card, { comments, files }: Pick<WantedCopy, 'comments' | 'files'>): void {
    const draft = this.#draft;
    this.#add(1, ownBytes('card', card));
    for (const id of card.label_ids) this.#add(0, shownBytes('label', need(draft, 'label', id)));
    this.#addAssignees(card.assignee_ids);
    for (const checklist of list(draft, 'checklist', card.id)) {
      this.#add(1, ownBytes('checklist', checklist));
      for (const item of list(draft, 'item', checklist.id)) {
        this.#add(1, ownBytes('item', item));
        this.#addAssignees(item.assignee_ids);
      }
    }
    if (files !== null) for (const file of list(draft, 'attachment', card.id)) this.#add(1, ownBytes('attachment', file));
    if (comments) this.#add(card.comment_count, card.comment_bytes);
  }

  #addAssignees(ids: readonly Uuid[]): void {
    for (const id of ids) this.#add(1, shownBytes('member', need(this.#draft, 'member', id)));
  }

  #add(records: number, bytes: number): void {
    this.#records += records;
    this.#bytes += bytes;
    if (this.#records <= MAX_COPIED_RECORDS && this.#bytes <= MAX_COPIED_BYTES) return;
    throw new AppError('limit', `${this.#what} with at most ${COPY_BOUNDS}`);
  }
}

interface Place extends Omit<WantedCopy, 'position'> {
  readonly rank: number;
}

function writeCard(draft: Draft, card: Card, { column_id, rank, comments, files }: Place): Card {
  const { title, description, start_at, due_at, reminder_minutes, label_ids } = card;
  const id = draft.newId();
  const dates = { start_at, due_at, completed_at: completionAfter(draft, card, column_id), reminder_minutes };
  const assignee_ids = assignable(draft, card.assignee_ids);
  const counts = comments ? { comment_count: card.comment_count, comment_bytes: card.comment_bytes } : { comment_count: 0, comment_bytes: 0 };
  const own = { number: draft.newNumber(), cover: coverOf(card, files), ...counts, text_edits: 0, label_ids, assignee_ids };
  const copy: Card = { id, column_id, title, description, rank, ...dates, ...own, ...createdBy(draft) };
  draft.put('card', copy);
  const assigned = new Set([...assignee_ids, ...copyChecklists(draft, card.id, id)]);
  for (const user of assigned) draft.notify('assigned', user, copy);
  const copied = comments ? copyComments(draft, card.id, id) : NO_COMMENTS;
  if (files !== null) copyAttachments(draft, { from: card.id, to: id }, files, copied);
  return copy;
}

/** Returns who has items. */
function copyChecklists(draft: Draft, from: Uuid, card_id: Uuid): Uuid[] {
  const assigned: Uuid[] = [];
  for (const { id, title, rank } of list(draft, 'checklist', from)) {
    const checklist_id = draft.newId();
    draft.put('checklist', { id: checklist_id, card_id, title, rank, ...created(draft) });
    for (const { content, is_done, due_at, rank: place, assignee_ids } of list(draft, 'item', id)) {
      const kept = assignable(draft, assignee_ids);
      assigned.push(...kept);
      const own = { content, is_done, due_at, rank: place, assignee_ids: kept };
      draft.put('item', { id: draft.newId(), checklist_id, ...own, ...created(draft) });
    }
  }
  return assigned;
}

/** The new id of each comment, by the id of the original. */
type CopiedComments = ReadonlyMap<Uuid, Uuid>;
const NO_COMMENTS: CopiedComments = new Map();

/** Those whose content was staged: a file that came meanwhile has none. Without its comment it belongs to the card. */
function copyAttachments(draft: Draft, { from, to: card_id }: Record<'from' | 'to', Uuid>, files: StagedCopies, comments: CopiedComments): void {
  for (const { id: original, comment_id: about, name, mime_type, size, digest, url } of list(draft, 'attachment', from)) {
    const id = url === null ? files.get(original) : draft.newId();
    if (id === undefined) continue;
    const comment_id = about === null ? null : (comments.get(about) ?? null);
    const times = createdLast(draft, 'attachment', card_id);
    draft.put('attachment', { id, card_id, comment_id, name, mime_type, size, digest, url, ...times });
  }
}

/** They stay their authors', with their times. Nobody is told: nothing was said anew. */
function copyComments(draft: Draft, from: Uuid, card_id: Uuid): CopiedComments {
  const originals = draft.comments.page(from, null, Infinity, Infinity).reverse();
  // Equal times are ordered by id.
  const ids = originals.map(() => draft.newId()).sort();
  const copied = new Map<Uuid, Uuid>();
  originals.forEach((comment, index) => {
    const id = ids[index];
    if (id === undefined) return;
    copied.set(comment.id, id);
    draft.put('comment', { ...comment, id, card_id, text_version: 1 });
  });
  return copied;
}

function coverOf({ cover }: Card, files: StagedCopies | null): Cover | null {
  if (cover === null || 'color' in cover) return cover;
  const attachment_id = files?.get(cover.attachment_id);
  return attachment_id === undefined ? null : { attachment_id };
}

function assignable(draft: Draft, ids: readonly Uuid[]): readonly Uuid[] {
  return ids.filter((id) => isAssignable(draft, id));
}

/** Checked before the first byte is copied. */
export function requireRoomForFiles(draft: Draft, files: readonly CopiedFile[]): void {
  const { limits, size } = draft;
  const added = { items: files.length, attachmentBytes: files.reduce((sum, file) => sum + file.size, 0) };
  for (const name of ['attachmentBytes', 'items'] as const) {
    if (added[name] > 0 && measure(size, name) + added[name] > limits[name]) throw boardLimit(name, limits);
  }
  requireRoom('card', 'attachments', files.length, 0);
}
