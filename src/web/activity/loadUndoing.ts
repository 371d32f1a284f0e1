/** The way to what takes changes back, which is loaded when it is first needed. */
import { loadPart } from '../page/loadPart.js';
import type { Attachment, Card, Checklist, Column, Label } from '../../client/index.js';
import type { OpenBoard, Place } from '../state/openBoard.js';
import { loadLaterWords } from '../words/language.js';
import type { Done } from './undoing.js';

export async function undoing(): Promise<typeof import('./undoing.js').UNDOING> {
  const [{ UNDOING }] = await Promise.all([loadPart(() => import('./undoing.js')), loadLaterWords()]);
  return UNDOING;
}

/** Deletes the card, and offers to take that back. */
export function deleteCard(open: OpenBoard, card: Card): void {
  void open.change('card.delete', { card_id: card.id });
  offer(open, { kind: 'card.deleted', ...card });
}

export function deleteColumn(open: OpenBoard, { id, title }: Column): void {
  void open.change('column.delete', { column_id: id });
  offer(open, { kind: 'column.deleted', id, title });
}

export function deleteChecklist(open: OpenBoard, { id, title }: Checklist): void {
  void open.change('checklist.delete', { checklist_id: id });
  offer(open, { kind: 'checklist.deleted', id, title });
}

export function deleteLabel(open: OpenBoard, { id, name }: Label): void {
  void open.change('label.delete', { label_id: id });
  offer(open, { kind: 'label.deleted', id, title: name });
}

export function deleteAttachment(open: OpenBoard, { id, name }: Attachment): void {
  void open.change('attachment.delete', { attachment_id: id });
  // Who only comments deletes files of their comments, and restores nothing.
  if (open.mayChange.value) offer(open, { kind: 'attachment.deleted', id, title: name });
}

/** Archives the card, and offers to take that back. */
export function archiveCard(open: OpenBoard, card: Card): void {
  void open.change('card.archive', { card_id: card.id });
  offer(open, { kind: 'card.archived', ...card });
}

export function archiveColumn(open: OpenBoard, column: Column): void {
  void open.change('column.archive', { column_id: column.id });
  offer(open, { kind: 'column.archived', ...column });
}

/** Moves the card, and offers to take that back. */
export function moveCard(open: OpenBoard, card: Card, place: Place): void {
  if (open.moveCard(card, place)) offer(open, { kind: 'card.moved', ...card });
}

export function moveColumn(open: OpenBoard, column: Column, beforeId: string | null): void {
  if (open.moveColumn(column, beforeId)) offer(open, { kind: 'column.moved', ...column });
}

/** While it cannot be loaded there is no offer. The change can be taken back by keys later. */
function offer(open: OpenBoard, done: Done): void {
  undoing().then(
    ({ offerUndo }) => offerUndo(open, done),
    (error: unknown) => console.warn(error),
  );
}
