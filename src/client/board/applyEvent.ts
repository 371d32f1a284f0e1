/**
 * Applies an event to a board, with the same result as the service. Boards are immutable: everything that an event does
 * not touch is shared between the old and the new board, so identity shows what changed.
 */
import type { BoardFact } from '../events.js';
import type { Board, BoardMember, Card, Checklist } from '../resources.js';
import type { ChecklistItem, FullBoard, Label, PublicUser } from '../resources.js';
import { byCreation, byRank, compare, mapped, put, withField, without } from './sharedLists.js';

/** Null for an unknown kind of event: the caller must read the board again. */
export function applyEvent(board: FullBoard, event: BoardFact): FullBoard | null {
  switch (event.type) {
    case 'board.updated':
      return withProfiles({ ...board, ...event.data }, changedProfiles(board, event.data));
    case 'board.deleted':
      return board;
    case 'board.member_added':
      return { ...board, members: [...othersThan(event.data, board), event.data].sort(byJoining) };
    case 'board.member_removed':
      return { ...board, members: othersThan(event.data, board) };
    case 'column.created':
    case 'column.updated':
    case 'column.moved':
    case 'column.restored':
      return withField(board, 'columns', put(board.columns, event.data, byRank));
    case 'column.deleted':
    case 'column.archived':
      return withField(board, 'columns', without(board.columns, event.data));
    case 'card.created':
    case 'card.updated':
    case 'card.moved':
    case 'card.labeled':
    case 'card.unlabeled':
    case 'card.assigned':
    case 'card.unassigned':
    case 'card.restored':
      return placeCard(board, event.data, event.data.column_id);
    case 'card.deleted':
    case 'card.archived':
      return placeCard(board, event.data, null);
    case 'label.created':
    case 'label.updated':
      return putLabel(board, event.data);
    case 'label.deleted':
      return removeLabel(board, event.data);
    case 'checklist.created':
    case 'checklist.updated':
    case 'checklist.moved':
      return onCardOf(event.data, board, (card) => withField(card, 'checklists', put(card.checklists, event.data, byRank)));
    case 'checklist.deleted':
      return onCardOf(event.data, board, (card) => withField(card, 'checklists', without(card.checklists, event.data)));
    case 'checklist_item.created':
    case 'checklist_item.updated':
    case 'checklist_item.moved':
    case 'checklist_item.assigned':
    case 'checklist_item.unassigned':
      return placeItem(board, event.data, event.data.checklist_id);
    case 'checklist_item.deleted':
      return placeItem(board, event.data, null);
    case 'attachment.created':
      return onCardOf(event.data, board, (card) => withField(card, 'attachments', put(card.attachments, event.data, byCreation)));
    case 'attachment.deleted':
      return onCardOf(event.data, board, (card) =>
        withField(withoutCover(card, event.data.id), 'attachments', without(card.attachments, event.data)),
      );
    case 'comment.created':
      return onCardOf(event.data, board, (card) => withField(card, 'comment_count', card.comment_count + 1));
    case 'comment.deleted':
      return onCardOf(event.data, board, (card) => withField(card, 'comment_count', card.comment_count - 1));
    case 'comment.updated':
    case 'rule.created':
    case 'rule.updated':
    case 'rule.deleted':
      return board;
    default:
      return unknownKind(event);
  }
}

/** The type makes the compiler report a kind of event that is not handled above. */
function unknownKind(_event: never): null {
  return null;
}

/** The cover goes with its picture. */
function withoutCover(card: Card, attachmentId: string): Card {
  return card.cover && 'attachment_id' in card.cover && card.cover.attachment_id === attachmentId ? withField(card, 'cover', null) : card;
}

function othersThan({ user_id }: BoardMember, { members }: FullBoard): BoardMember[] {
  return members.filter((member) => member.user_id !== user_id);
}

function byJoining(a: BoardMember, b: BoardMember): number {
  return compare(a.created_at, b.created_at) || compare(a.user_id, b.user_id);
}

function changedProfiles({ members: before }: FullBoard, { members: after }: Board): ReadonlyMap<string, PublicUser> {
  const known = new Map(before.map(({ user }) => [user.id, JSON.stringify(user)]));
  const changed = after.filter(({ user }) => known.get(user.id) !== JSON.stringify(user));
  return new Map(changed.map(({ user }) => [user.id, user]));
}

/** An updated board carries its members' profiles, which cards and items show too. */
function withProfiles(board: FullBoard, profiles: ReadonlyMap<string, PublicUser>): FullBoard {
  if (profiles.size === 0) return board;
  const renew = <T extends { readonly assignees: readonly PublicUser[] }>(thing: T): T =>
    withField(
      thing,
      'assignees',
      mapped(thing.assignees, (user) => profiles.get(user.id) ?? user),
    );
  return everyChecklist(everyCard(board, renew), (checklist) => withField(checklist, 'items', mapped(checklist.items, renew)));
}

/** Puts the card into that column and removes it from every other; null for none. */
function placeCard(board: FullBoard, card: Card, columnId: string | null): FullBoard {
  const columns = mapped(board.columns, (column) => {
    const isHome = column.id === columnId;
    return withField(column, 'cards', isHome ? put(column.cards, card, byRank) : without(column.cards, card));
  });
  return withField(board, 'columns', columns);
}

function placeItem(board: FullBoard, item: ChecklistItem, checklistId: string | null): FullBoard {
  return everyChecklist(board, (checklist) => {
    const isHome = checklist.id === checklistId;
    return withField(checklist, 'items', isHome ? put(checklist.items, item, byRank) : without(checklist.items, item));
  });
}

function putLabel(board: FullBoard, label: Label): FullBoard {
  const onBoard = withField(board, 'labels', put(board.labels, label, byCreation));
  const renew = (other: Label): Label => (other.id === label.id ? label : other);
  return everyCard(onBoard, (card) => withField(card, 'labels', mapped(card.labels, renew)));
}

/** No event for the cards follows. */
function removeLabel(board: FullBoard, label: Label): FullBoard {
  const onBoard = withField(board, 'labels', without(board.labels, label));
  return everyCard(onBoard, (card) => withField(card, 'labels', without(card.labels, label)));
}

interface OnCard {
  readonly card_id: string;
}

function onCardOf({ card_id: id }: OnCard, board: FullBoard, change: (card: Card) => Card): FullBoard {
  return everyCard(board, (card) => (card.id === id ? change(card) : card));
}

function everyCard(board: FullBoard, change: (card: Card) => Card): FullBoard {
  const columns = mapped(board.columns, (column) => withField(column, 'cards', mapped(column.cards, change)));
  return withField(board, 'columns', columns);
}

function everyChecklist(board: FullBoard, change: (checklist: Checklist) => Checklist): FullBoard {
  return everyCard(board, (card) => withField(card, 'checklists', mapped(card.checklists, change)));
}
