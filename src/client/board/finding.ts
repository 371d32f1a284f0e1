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

type Ids = Readonly<Record<string, string | undefined>>;

/** The title of what the path of an operation names; the board's title if it names nothing else, or nothing that is there. */
export function titleOf(board: FullBoard, ids: Ids): string {
  const { item_id = '', checklist_id = '', attachment_id = '', card_id = '', column_id = '', label_id = '' } = ids;
  return (
    findItem(board, item_id)?.content ??
    findChecklist(board, checklist_id)?.title ??
    findAttachment(board, attachment_id)?.name ??
    findCard(board, card_id)?.title ??
    find(board.columns, column_id)?.title ??
    find(board.labels, label_id)?.name ??
    board.title
  );
}

/** The titles of what a change names besides its target. */
export function titlesNamed(board: FullBoard, path: Ids, input: unknown): readonly string[] {
  const {
    column_id = '',
    checklist_id = '',
    cover,
    user_ids = [],
  } = (input ?? {}) as {
    readonly column_id?: string | null;
    readonly checklist_id?: string | null;
    readonly cover?: Card['cover'];
    readonly user_ids?: readonly string[];
  };
  const people = [...user_ids, path['user_id']];
  return [
    find(board.columns, column_id ?? '')?.title,
    findChecklist(board, checklist_id ?? '')?.title,
    findAttachment(board, cover && 'attachment_id' in cover ? cover.attachment_id : '')?.name,
    path['card_id'] === undefined ? undefined : find(board.labels, path['label_id'] ?? '')?.name,
    ...people.map((id) => board.members.find(({ user_id }) => user_id === id)?.user.username),
  ].filter((title) => title !== undefined);
}

function everyCard({ columns }: FullBoard): readonly Card[] {
  return columns.flatMap(({ cards }: Column) => cards);
}

function everyChecklist(board: FullBoard): readonly Checklist[] {
  return everyCard(board).flatMap(({ checklists }) => checklists);
}
