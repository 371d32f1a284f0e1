/**
 * Makes a card that comes from another board: what is on it with its times and authors, labels by name and colour, people as far as
 * they can be assigned here. Its history, its versions and who watched it stay there.
 */
import { completionFrom } from '../../board/dates.js';
import { bytesOfComment } from '../../board/comments/commentsOnDisk.js';
import { created } from '../../board/creation.js';
import type { Draft } from '../../board/draft.js';
import type { MovingCard, Person } from '../../board/moves/movingCard.js';
import { rankForNew, type ListPosition } from '../../board/order/placing.js';
import { list } from '../../board/view.js';
import { tellWatchers } from '../../board/watching/watching.js';
import type { Uuid } from '../../ids.js';
import type { Card, Comment, Cover, Label } from '../../model.js';
import { uploadLost } from '../../refusals.js';
import { about, announce } from '../handler.js';
import { isAssignable } from '../steps/assignment.js';
import { runAutomation } from '../steps/automation.js';
import type { StagedCopies } from '../steps/copying.js';

export interface Arrival {
  /** Of the card here. */
  readonly id: Uuid;
  readonly column_id: Uuid;
  readonly position: ListPosition;
  readonly content: MovingCard;
  readonly files: StagedCopies;
}

export interface Arrived {
  readonly dropped: readonly Person[];
  /** Authors of comments who are not on the board. */
  readonly visitors: readonly Uuid[];
}

export function makeArrived(draft: Draft, { id, column_id, position, content, files }: Arrival): Arrived {
  const { card, was_done, attachments } = content;
  const rank = rankForNew(draft, 'card', column_id, position);
  // Two labels of the card may be alike.
  const label_ids = [...new Set(content.labels.map((label) => labelLike(draft, label)))];
  const assignable = (ids: readonly Uuid[]): readonly Uuid[] => ids.filter((user) => isAssignable(draft, user));
  const ids = new Map(attachments.map((file) => [file.id, file.url === null ? stagedOf(draft, files, file.id) : draft.newId()]));
  const comments = commentsFor(draft, id, content.comments);
  const arrived: Card = {
    ...card,
    id,
    column_id,
    rank,
    number: draft.newNumber(),
    cover: coverIn(card.cover, ids),
    completed_at: completionFrom(draft, { completed_at: card.completed_at, wasDone: was_done }, column_id),
    comment_bytes: [...comments.values()].reduce((sum, comment) => sum + bytesOfComment(comment), 0),
    text_edits: 0,
    label_ids,
    assignee_ids: assignable(card.assignee_ids),
    updated_at: draft.now,
    updated_by: draft.caller,
  };
  draft.put('card', arrived);
  for (const checklist of content.checklists) {
    const checklist_id = draft.newId();
    draft.put('checklist', { ...checklist, id: checklist_id, card_id: id });
    for (const item of content.items) {
      if (item.checklist_id !== checklist.id) continue;
      draft.put('item', { ...item, id: draft.newId(), checklist_id, assignee_ids: assignable(item.assignee_ids) });
    }
  }
  for (const comment of comments.values()) draft.put('comment', comment);
  for (const file of attachments) {
    const comment_id = file.comment_id === null ? null : (comments.get(file.comment_id)?.id ?? null);
    draft.put('attachment', { ...file, id: ids.get(file.id) ?? draft.newId(), card_id: id, comment_id });
  }
  emitMove(draft, 'card.created', arrived);
  tellWatchers(draft, 'moved', arrived, { actor: draft.caller });
  runAutomation(draft, id, { type: 'CARD_CREATED' });
  const authors = new Set(content.comments.flatMap(({ created_by }) => created_by ?? []));
  return {
    dropped: content.assignees.filter((person) => !isAssignable(draft, person.id)),
    visitors: [...authors].filter((author) => draft.get('member', author) === undefined),
  };
}

/** The activity says that it is a move, because half of it cannot be undone. */
export function emitMove(draft: Draft, type: 'card.created' | 'card.deleted', card: Card, caller = draft.caller): void {
  const { recorder } = draft;
  if (recorder !== undefined) recorder.isMove = true;
  draft.emit(type, draft.render.card(card), caller, about('card', card));
  if (recorder !== undefined) recorder.isMove = false;
}

/** The first of them if the board has several. */
function labelLike(draft: Draft, { name, color }: MovingCard['labels'][number]): Uuid {
  const known = list(draft, 'label', draft.id).find((label) => label.name === name && label.color === color);
  if (known !== undefined) return known.id;
  const label: Label = { id: draft.newId(), name, color, ...created(draft) };
  draft.put('label', label);
  announce(draft, 'label.created', 'label', label);
  return label.id;
}

/** Something else may have got the id meanwhile, or the content was dropped. */
function stagedOf(draft: Draft, files: StagedCopies, id: Uuid): Uuid {
  const staged = files.get(id);
  if (staged === undefined || !draft.isNew(staged)) throw uploadLost();
  return staged;
}

/** By their ids on the other board. Equal times are ordered by id. */
function commentsFor(draft: Draft, card_id: Uuid, originals: readonly Comment[]): ReadonlyMap<Uuid, Comment> {
  const ids = originals.map(() => draft.newId()).sort();
  const comments = new Map<Uuid, Comment>();
  originals.forEach((comment, index) => {
    const mention_ids = comment.mention_ids.filter((user) => draft.get('member', user) !== undefined);
    comments.set(comment.id, { ...comment, id: ids[index] ?? draft.newId(), card_id, mention_ids, text_version: 1 });
  });
  return comments;
}

function coverIn(cover: Cover | null, ids: ReadonlyMap<Uuid, Uuid>): Cover | null {
  if (cover === null || 'color' in cover) return cover;
  const attachment_id = ids.get(cover.attachment_id);
  return attachment_id === undefined ? null : { attachment_id };
}
