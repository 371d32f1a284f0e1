/** Finds the parts of a board by their ids. */
import type { Attachment, Card, Checklist, ChecklistItem, Column, FullBoard } from '../resources.js';

export function find<T extends { readonly id: string }>(list: readonly T[], id: string): T | undefined {
  return list.find((one) => one.id === id);
}

export function findCard(board: FullBoard, id: string): Card | undefined {
  return find(everyCard(board), id);
}

export function findChecklist(board: FullBoard, id: string): Checklist | undefined {
  return find(everyChecklist(board), id);
}

export function findItem(board: FullBoard, id: string): ChecklistItem | undefined {
  return find(
    everyChecklist(board).flatMap(({ items }) => items),
    id,
  );
}

export function findAttachment(board: FullBoard, id: string): Attachment | undefined {
  return find(
    everyCard(board).flatMap(({ attachments }) => attachments),
    id,
  );
}

function everyCard({ columns }: FullBoard): readonly Card[] {
  return columns.flatMap(({ cards }: Column) => cards);
}

function everyChecklist(board: FullBoard): readonly Checklist[] {
  return everyCard(board).flatMap(({ checklists }) => checklists);
}
