/** Checks the plan of an import against the limits of a board, before anything is written. */
import { ownBytes, shownBytes } from '../board/boardSize.js';
import { bytesOfComment } from '../board/comments/commentsOnDisk.js';
import type { Uuid } from '../ids.js';
import type { ImportedBoard, ImportedCard } from './importedBoard.js';
import { boardLimit, requireRoom, requireRoomForComments, type BoardLimits, type BoardMeasure } from '../limits.js';
import type { PublicUser } from '../account/user.js';

/** Refuses with `limit` what would be refused if the same board were created step by step. */
export function refuseOversizedPlan(plan: ImportedBoard, limits: BoardLimits): void {
  const measures = measurePlan(plan);
  for (const measure of Object.keys(measures) as BoardMeasure[]) {
    if (measures[measure] > limits[measure]) throw boardLimit(measure, limits);
  }
}

/** Refuses a card with too much on it. */
export function measurePlan(plan: ImportedBoard): Record<BoardMeasure, number> {
  const members = new Map<Uuid, PublicUser>();
  for (const { user } of plan.members) members.set(user.id, user);
  members.set(plan.importer.id, plan.importer);
  const cards = new PlannedCards(plan, members);
  return {
    columns: plan.columns.length,
    labels: plan.labels.length,
    members: members.size,
    rules: plan.rules.length,
    cards: cards.cards,
    items: cards.items,
    attachmentBytes: cards.attachmentBytes,
    commentBytes: cards.commentBytes,
    bytes: cards.bytes + bytesAround(plan, members),
  };
}

/** Bytes of everything but the cards. */
function bytesAround(plan: ImportedBoard, members: ReadonlyMap<Uuid, PublicUser>): number {
  let bytes = ownBytes('board', { ...plan, color: plan.color ?? null, icon: plan.icon ?? null });
  for (const user of members.values()) bytes += ownBytes('member', { user });
  for (const label of plan.labels) bytes += ownBytes('label', label);
  for (const column of plan.columns) bytes += ownBytes('column', column);
  for (const rule of plan.rules) bytes += ownBytes('rule', rule);
  return bytes;
}

/** Counts the cards and their contents; refuses a card with too much on it. */
class PlannedCards {
  cards = 0;
  items = 0;
  bytes = 0;
  attachmentBytes = 0;
  commentBytes = 0;
  readonly #labelBytes: readonly number[];
  readonly #memberBytes: ReadonlyMap<Uuid, number>;

  constructor(plan: ImportedBoard, members: ReadonlyMap<Uuid, PublicUser>) {
    this.#labelBytes = plan.labels.map((label) => shownBytes('label', label));
    this.#memberBytes = new Map([...members].map(([id, user]) => [id, shownBytes('member', { user })]));
    for (const { cards } of plan.columns) for (const card of cards) this.#add(card);
  }

  #add(card: ImportedCard): void {
    requireRoom('card', 'labels', card.labels.length, 0);
    requireRoom('card', 'checklists', card.checklists.length, 0);
    requireRoom('card', 'attachments', card.attachments.length, 0);
    this.#addComments(card.comments);
    this.cards += 1;
    this.items += card.checklists.length + card.attachments.length;
    this.bytes += ownBytes('card', card);
    for (const label of card.labels) this.bytes += this.#labelBytes[label] ?? 0;
    this.#assign('card', card.assignee_ids);
    for (const { title, items } of card.checklists) {
      requireRoom('checklist', 'items', items.length, 0);
      this.items += items.length;
      this.bytes += ownBytes('checklist', { title });
      for (const item of items) {
        this.bytes += ownBytes('item', item);
        this.#assign('item', item.assignee_ids);
      }
    }
    for (const attachment of card.attachments) {
      this.bytes += ownBytes('attachment', attachment);
      this.attachmentBytes += attachment.size;
    }
  }

  #addComments(comments: ImportedCard['comments']): void {
    const bytes = comments.reduce((sum, comment) => sum + bytesOfComment(comment), 0);
    requireRoomForComments(bytes, 0);
    this.commentBytes += bytes;
  }

  #assign(parent: 'card' | 'item', users: readonly Uuid[]): void {
    requireRoom(parent, 'assignees', users.length, 0);
    for (const user of users) this.bytes += this.#memberBytes.get(user) ?? 0;
  }
}
