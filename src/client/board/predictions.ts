/**
 * What a change will make of a board, as far as a client can know: times, authors and ranks may differ from the
 * service's, and automation rules are not run. A prediction is made again after every event, on whatever board there
 * is then, so it must fit a board that already contains the change, or no longer contains its target.
 */
import { applyEvent } from './applyEvent.js';
import type { BoardFact } from '../events.js';
import { DEFAULT_COLOR, LINK_TYPE, RANK_GAP, TITLE_CHARACTERS } from '../facts.js';
import { find, findAttachment, findCard, findChecklist, findItem } from './finding.js';
import type { CallOptions, Link } from '../calls/call.js';
import type { Operations } from '../operations.js';
import type { Card, ChecklistItem, Column, FullBoard, PublicUser } from '../resources.js';
import { without } from './sharedLists.js';

/** The changes that can be predicted. */
export type ChangeName =
  | 'board.update'
  | `column.${'create' | 'update' | 'move' | 'delete' | 'archive'}`
  | `card.${'create' | 'update' | 'move' | 'delete' | 'archive' | 'assign' | 'unassign' | 'addLabel' | 'removeLabel'}`
  | `label.${'create' | 'update' | 'delete'}`
  | `checklist.${'create' | 'update' | 'move' | 'delete'}`
  | `item.${'create' | 'update' | 'move' | 'delete' | 'assign' | 'unassign'}`
  | `comment.${'create' | 'update' | 'delete'}`
  | `attachment.${'create' | 'delete'}`;

type MethodNamed<Name extends string> = Name extends `${infer Group extends keyof Operations}.${infer Method}`
  ? Method extends keyof Operations[Group]
    ? Operations[Group][Method]
    : never
  : never;

/** A file is no plain data, which a store could keep. */
type LinkArguments = [path: { card_id: string }, link: Link, options?: CallOptions];

/** As the method of the client takes them, but for files. */
export type ChangeArguments<Name extends ChangeName> = Name extends 'attachment.create'
  ? LinkArguments
  : MethodNamed<Name> extends (...args: infer Args) => unknown
    ? Args
    : never;

export type ChangeAnswer<Name extends ChangeName> = MethodNamed<Name> extends (...args: never) => Promise<infer Answer> ? Answer : never;

/** The fields of what a change creates. */
export interface Made {
  readonly id: string;
  /** The time of the change. */
  readonly at: string;
  /** Null if the user is unknown. */
  readonly by: string | null;
}

/** Null if the change does nothing to this board. */
type Prediction<Name extends ChangeName> = (board: FullBoard, made: Made, ...args: ChangeArguments<Name>) => BoardFact | null;

const PREDICTIONS: { readonly [Name in ChangeName]: Prediction<Name> } = {
  'board.update': (board, _made, _path, fields) => ({ type: 'board.updated', data: { ...board, ...given(fields) } }),

  'column.create': (board, made, _path, { title, color = DEFAULT_COLOR, is_done_column = false, position }) => {
    if (find(board.columns, made.id) !== undefined) return null;
    const own = { title, color, is_done_column, rank: rankAt(board.columns, position), archived_at: null, cards: [] };
    return { type: 'column.created', data: { id: made.id, board_id: board.id, ...own, ...createdBy(made) } };
  },
  'column.update': (board, _made, { column_id }, fields) =>
    on(find(board.columns, column_id), (column) => ({ type: 'column.updated', data: { ...column, ...given(fields) } })),
  'column.move': (board, _made, { column_id }, { position }) =>
    on(find(board.columns, column_id), (column) => {
      const rank = rankAt(without(board.columns, column), position);
      return { type: 'column.moved', data: { ...column, rank } };
    }),
  'column.delete': (board, _made, { column_id }) => on(find(board.columns, column_id), (column) => ({ type: 'column.deleted', data: column })),
  'column.archive': (board, _made, { column_id }) => on(find(board.columns, column_id), (column) => ({ type: 'column.archived', data: column })),

  'card.create': (
    board,
    made,
    { column_id },
    { title, description = null, start_at = null, due_at = null, completed_at = null, reminder_minutes = null, position },
  ) => {
    const column = find(board.columns, column_id);
    if (column === undefined || findCard(board, made.id) !== undefined) return null;
    const dates = { start_at, due_at, completed_at: completed_at ?? (column.is_done_column ? made.at : null), reminder_minutes };
    const own = { title, description, ...dates, rank: rankAt(column.cards, position) };
    const nothing = {
      number: null,
      cover: null,
      comment_count: 0,
      text_version: 1,
      archived_at: null,
      labels: [],
      assignees: [],
      checklists: [],
      attachments: [],
    };
    const data = { id: made.id, board_id: board.id, column_id, ...own, ...nothing, ...createdBy(made) };
    return { type: 'card.created', data };
  },
  'card.update': (board, _made, { card_id }, { base: _base, ...fields }) =>
    on(findCard(board, card_id), (card) => ({ type: 'card.updated', data: { ...card, ...given(fields) } })),
  'card.move': (board, made, { card_id }, { column_id, position }) => {
    const card = findCard(board, card_id);
    const column = find(board.columns, column_id ?? card?.column_id ?? '');
    if (card === undefined || column === undefined) return null;
    const rank = rankAt(without(column.cards, card), position);
    const completed_at = completionAfter(board, card, column, made.at);
    return { type: 'card.moved', data: { ...card, column_id: column.id, rank, completed_at } };
  },
  'card.delete': (board, _made, { card_id }) => on(findCard(board, card_id), (card) => ({ type: 'card.deleted', data: card })),
  'card.archive': (board, _made, { card_id }) => on(findCard(board, card_id), (card) => ({ type: 'card.archived', data: card })),
  'card.assign': (board, _made, { card_id }, { user_ids }) =>
    on(findCard(board, card_id), (card) => assigned('card.assigned', board, card, user_ids)),
  'card.unassign': (board, _made, { card_id, user_id }) =>
    on(findCard(board, card_id), (card) => {
      return { type: 'card.unassigned', data: { ...card, assignees: without(card.assignees, { id: user_id }) } };
    }),
  'card.addLabel': (board, _made, { card_id, label_id }) => {
    const [card, label] = [findCard(board, card_id), find(board.labels, label_id)];
    if (card === undefined || label === undefined || find(card.labels, label_id) !== undefined) return null;
    return { type: 'card.labeled', data: { ...card, labels: [...card.labels, label] } };
  },
  'card.removeLabel': (board, _made, { card_id, label_id }) =>
    on(findCard(board, card_id), (card) => {
      return { type: 'card.unlabeled', data: { ...card, labels: without(card.labels, { id: label_id }) } };
    }),

  'label.create': (board, made, _path, { name, color = DEFAULT_COLOR }) => {
    if (find(board.labels, made.id) !== undefined) return null;
    // Labels are in order of creation, and our clock may be behind.
    const at = later(made.at, board.labels.at(-1)?.created_at);
    const data = { id: made.id, board_id: board.id, name, color, created_at: at, updated_at: at };
    return { type: 'label.created', data };
  },
  'label.update': (board, _made, { label_id }, fields) =>
    on(find(board.labels, label_id), (label) => ({ type: 'label.updated', data: { ...label, ...given(fields) } })),
  'label.delete': (board, _made, { label_id }) => on(find(board.labels, label_id), (label) => ({ type: 'label.deleted', data: label })),

  'checklist.create': (board, made, { card_id }, { title }) =>
    on(findCard(board, card_id), ({ checklists }) => {
      if (find(checklists, made.id) !== undefined) return null;
      const own = { title, rank: rankAt(checklists), items: [] };
      return { type: 'checklist.created', data: { id: made.id, card_id, ...own, ...created(made) } };
    }),
  'checklist.update': (board, _made, { checklist_id }, fields) =>
    on(findChecklist(board, checklist_id), (checklist) => {
      return { type: 'checklist.updated', data: { ...checklist, ...given(fields) } };
    }),
  'checklist.move': (board, _made, { checklist_id }, { position }) =>
    on(findChecklist(board, checklist_id), (checklist) => {
      const siblings = findCard(board, checklist.card_id)?.checklists ?? [];
      return { type: 'checklist.moved', data: { ...checklist, rank: rankAt(without(siblings, checklist), position) } };
    }),
  'checklist.delete': (board, _made, { checklist_id }) =>
    on(findChecklist(board, checklist_id), (checklist) => ({ type: 'checklist.deleted', data: checklist })),

  'item.create': (board, made, { checklist_id }, { content, due_at = null }) =>
    on(findChecklist(board, checklist_id), ({ items }) => {
      if (findItem(board, made.id) !== undefined) return null;
      const own = { content, is_done: false, due_at, rank: rankAt(items), assignees: [] };
      return { type: 'checklist_item.created', data: { id: made.id, checklist_id, ...own, ...created(made) } };
    }),
  'item.update': (board, _made, { item_id }, fields) =>
    on(findItem(board, item_id), (item) => ({ type: 'checklist_item.updated', data: { ...item, ...given(fields) } })),
  'item.move': (board, _made, { item_id }, { position, checklist_id }) => {
    const item = findItem(board, item_id);
    const checklist = findChecklist(board, checklist_id ?? item?.checklist_id ?? '');
    if (item === undefined || checklist === undefined) return null;
    const rank = rankAt(without(checklist.items, item), position);
    return { type: 'checklist_item.moved', data: { ...item, checklist_id: checklist.id, rank } };
  },
  'item.delete': (board, _made, { item_id }) => on(findItem(board, item_id), (item) => ({ type: 'checklist_item.deleted', data: item })),
  'item.assign': (board, _made, { item_id }, { user_ids }) =>
    on(findItem(board, item_id), (item) => assigned('checklist_item.assigned', board, item, user_ids)),
  'item.unassign': (board, _made, { item_id, user_id }) =>
    on(findItem(board, item_id), (item) => {
      return { type: 'checklist_item.unassigned', data: { ...item, assignees: without(item.assignees, { id: user_id }) } };
    }),

  // A board has only the number of its comments, which does not tell whether it has this one already: the event changes it.
  'comment.create': () => null,
  'comment.update': () => null,
  'comment.delete': () => null,

  'attachment.create': (board, made, { card_id }, { url, title }) =>
    on(findCard(board, card_id), ({ attachments }) => {
      if (find(attachments, made.id) !== undefined) return null;
      // They are in order of creation.
      const at = later(made.at, attachments.at(-1)?.created_at);
      const own = { name: title ?? url.slice(0, TITLE_CHARACTERS), mime_type: LINK_TYPE, size: 0, url };
      return { type: 'attachment.created', data: { id: made.id, card_id, comment_id: null, ...own, created_at: at, updated_at: at } };
    }),
  'attachment.delete': (board, _made, { attachment_id }) =>
    on(findAttachment(board, attachment_id), (attachment) => ({ type: 'attachment.deleted', data: attachment })),
};

export function isChange(name: string): name is ChangeName {
  return name in PREDICTIONS;
}

/** The board with the change. The name and the arguments belong together. */
export function predict(board: FullBoard, name: ChangeName, made: Made, args: readonly unknown[]): FullBoard {
  // The name selects the prediction at run time, so the types of its arguments are erased here.
  const prediction = PREDICTIONS[name] as ((board: FullBoard, made: Made, ...args: readonly unknown[]) => BoardFact | null) | undefined;
  // A store may have changes that only a newer program can show.
  const fact = prediction?.(board, made, ...args) ?? null;
  return fact === null ? board : (applyEvent(board, fact) ?? board);
}

/** Null if there is nothing to change. */
function on<T>(found: T | undefined, change: (found: T) => BoardFact | null): BoardFact | null {
  return found === undefined ? null : change(found);
}

/** As the service: users who are assigned already stay, and one who is not a member refuses all. */
function assigned<T extends Card | ChecklistItem>(
  type: T extends Card ? 'card.assigned' : 'checklist_item.assigned',
  { members }: FullBoard,
  thing: T,
  userIds: readonly string[],
): BoardFact | null {
  const added: PublicUser[] = [];
  for (const id of new Set(userIds)) {
    const member = members.find(({ user_id }) => user_id === id);
    // Only owners and members can be assigned.
    if (member === undefined || (member.role !== 'owner' && member.role !== 'member')) return null;
    if (find(thing.assignees, id) === undefined) added.push(member.user);
  }
  return { type, data: { ...thing, assignees: [...thing.assignees, ...added] } } as BoardFact;
}

/** As the service: entering a done column completes a card, leaving one does the opposite. */
function completionAfter(board: FullBoard, card: Card, to: Column, at: string): string | null {
  if (to.id === card.column_id) return card.completed_at;
  const wasDone = find(board.columns, card.column_id)?.is_done_column === true;
  if (to.is_done_column) return (wasDone ? card.completed_at : null) ?? at;
  return wasDone ? null : card.completed_at;
}

/** A rank for that position, by default the last. */
function rankAt(siblings: ReadonlyArray<{ readonly rank: number }>, position = siblings.length): number {
  const at = Math.min(position, siblings.length);
  const [before, after] = [siblings[at - 1]?.rank, siblings[at]?.rank];
  if (before === undefined) return (after ?? 0) - RANK_GAP;
  return after === undefined ? before + RANK_GAP : (before + after) / 2;
}

/** The fields of a partial update that have a value: null is one, undefined is not. */
function given<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function created({ at }: Made): { created_at: string; updated_at: string } {
  return { created_at: at, updated_at: at };
}

function createdBy(made: Made): ReturnType<typeof created> & { created_by: string | null; updated_by: string | null } {
  return { created_by: made.by, updated_by: made.by, ...created(made) };
}

function later(at: string, than: string | undefined): string {
  return than === undefined || than < at ? at : new Date(Date.parse(than) + 1).toISOString();
}
