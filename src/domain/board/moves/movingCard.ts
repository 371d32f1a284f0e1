/** A card with everything on it, as it goes from one board to another. */
import type { Uuid } from '../../ids.js';
import type { Attachment, Card, Checklist, ChecklistItem, Comment, Label } from '../../model.js';
import type { Draft } from '../draft.js';
import { remindedUntil } from '../timers/reminders.js';
import { list, need } from '../view.js';

/** Someone who cannot be assigned on the other board. */
export interface Person {
  readonly id: Uuid;
  readonly username: string;
}

export interface MovingCard {
  readonly card: Card;
  /** Whether its column completes cards. */
  readonly was_done: boolean;
  readonly labels: ReadonlyArray<Pick<Label, 'name' | 'color'>>;
  readonly checklists: readonly Checklist[];
  readonly items: readonly ChecklistItem[];
  readonly attachments: readonly Attachment[];
  /** The oldest first. */
  readonly comments: readonly Comment[];
  /** The assignees of the card and its items. */
  readonly assignees: readonly Person[];
  /** See `remindedUntil`: later reminders are for the other board. Absent: read by an older program. */
  readonly reminded_until?: number;
}

export function readMoving(draft: Draft, card: Card): MovingCard {
  const checklists = list(draft, 'checklist', card.id);
  const items = checklists.flatMap(({ id }) => list(draft, 'item', id));
  const assignees = new Set([card, ...items].flatMap(({ assignee_ids }) => assignee_ids));
  return {
    card,
    was_done: need(draft, 'column', card.column_id).is_done_column,
    labels: card.label_ids.map((id) => need(draft, 'label', id)).map(({ name, color }) => ({ name, color })),
    checklists,
    items,
    attachments: list(draft, 'attachment', card.id),
    comments: draft.comments.page(card.id, null, Infinity, Infinity).reverse(),
    assignees: [...assignees].map((id) => ({ id, username: need(draft, 'member', id).user.username })),
    reminded_until: remindedUntil(draft.moves.reminderDue(card.id), Date.parse(draft.now)),
  };
}
