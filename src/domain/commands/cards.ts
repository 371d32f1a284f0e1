import { assign, requireAssigned, unassign } from './steps/assignment.js';
import { assignedTo } from './steps/assignedCards.js';
import { runAutomation } from './steps/automation.js';
import { changeDescription } from './steps/descriptions.js';
import { AppError } from '../errors.js';
import type { Card, Cover } from '../model.js';
import type { Draft } from '../board/draft.js';
import { isPictureType } from '../content/pictures.js';
import { cardNumbered } from '../board/order/numbering.js';
import { completionIn, isAfter } from '../board/dates.js';
import { moveCard, rankForNew } from '../board/order/placing.js';
import { notCover, notFound, startsAfterDue, uploadLost } from '../refusals.js';
import { list, need } from '../board/view.js';
import { cardArchiveHandlers } from './archive/archive.js';
import { createdBy } from '../board/creation.js';
import { announce, announceArchivedDeletion, announceDeletion, show, type HandlersOf } from './handler.js';
import { copyCard, requireRoomForFiles } from './steps/copying.js';
import type { CopiedFile } from './commands.js';

export const cardHandlers: HandlersOf<'card'> = {
  ...cardArchiveHandlers,

  'card.create': {
    target: 'board',
    access: 'member',
    effect: 'write',
    grows: true,
    lists: null,
    path: { column_id: 'column' },
    run(draft, _board, { column_id, title, description, start_at = null, due_at = null, completed_at = null, reminder_minutes = null, position }) {
      requireOrder(start_at, due_at);
      const dates = { start_at, due_at, completed_at: completed_at ?? completionIn(draft, column_id), reminder_minutes };
      const rank = rankForNew(draft, 'card', column_id, position);
      const blank = { cover: null, comment_count: 0, comment_bytes: 0, text_edits: 0, label_ids: [], assignee_ids: [], ...createdBy(draft) };
      const card: Card = { id: draft.newId(), column_id, title, description, rank, number: draft.newNumber(), ...dates, ...blank };
      draft.put('card', card);
      draft.emit('card.created', draft.render.card(card), draft.caller, { kind: 'card', record: card });
      runAutomation(draft, card.id, { type: 'CARD_CREATED' });
      return show(draft, 'card', need(draft, 'card', card.id));
    },
  },

  'card.get': {
    target: 'card',
    access: 'viewer',
    effect: 'read',
    cacheable: true,
    run: (draft, card) => ({ json: draft.render.card(card) }),
    runArchived: (draft, archived) => ({ json: draft.render.archived(archived) }),
  },

  'card.assigned': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: true,
    lists: null,
    run: (draft, board) => ({ json: JSON.stringify(draft.caller === null ? [] : assignedTo(draft, board, draft.caller)) }),
  },

  'card.find': {
    target: 'board',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    lists: null,
    run(draft, _board, { number }) {
      const card = cardNumbered(draft, number);
      if (card === undefined) throw notFound('card');
      return { json: draft.render.card(card) };
    },
  },

  'card.update': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, card, input) {
      const { start_at = card.start_at, due_at = card.due_at } = input;
      if (input.start_at !== undefined || input.due_at !== undefined) requireOrder(start_at, due_at);
      if (input.cover) requirePicture(draft, card, input.cover);
      return changeDescription(draft, card, input);
    },
  },

  'card.delete': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: false,
    run: (draft, card) => announceDeletion(draft, 'card.deleted', 'card', card),
    runArchived: (draft, archived) => announceArchivedDeletion(draft, 'card.deleted', archived),
  },

  'card.move': {
    target: 'card',
    access: 'member',
    effect: 'write',
    // Through the rules that it triggers.
    grows: true,
    run(draft, card, { column_id, position, board_id = draft.id }) {
      if (board_id !== draft.id) throw notFound('board');
      const column = column_id ?? card.column_id;
      if (draft.get('column', column) === undefined) throw notFound('column');
      moveCard(draft, card, column, position);
      if (column !== card.column_id) runAutomation(draft, card.id, { type: 'CARD_MOVED', column });
      return show(draft, 'card', need(draft, 'card', card.id));
    },
  },

  'card.beginCopy': {
    target: 'card',
    access: 'member',
    effect: 'read',
    cacheable: false,
    run(draft, card) {
      const files = list(draft, 'attachment', card.id).filter(({ url }) => url === null);
      requireRoomForFiles(draft, files);
      return { json: JSON.stringify(files.map(({ id, size }): CopiedFile => ({ id, size }))) };
    },
  },

  'card.copy': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, card, { column_id, position, comments, files }) {
      const column = column_id ?? card.column_id;
      if (draft.get('column', column) === undefined) throw notFound('column');
      // Something else may have got the id meanwhile.
      if (files?.some(({ to }) => !draft.isNew(to)) === true) throw uploadLost();
      const staged = files === null ? null : new Map(files.map(({ from, to }) => [from, to]));
      return announce(draft, 'card.created', 'card', copyCard(draft, card, { column_id: column, position, comments, files: staged }));
    },
  },

  'card.assign': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, card, { user_ids }) => assign(draft, 'card', card, user_ids),
  },

  'card.unassign': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: false,
    run(draft, card, { user_id }) {
      requireAssigned('card', card, user_id);
      unassign(draft, 'card', card, user_id);
      return { json: null };
    },
  },

  'card.addLabel': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    path: { label_id: 'label' },
    run(draft, card, { label_id }) {
      if (card.label_ids.includes(label_id)) return show(draft, 'card', card);
      const labelled = draft.revise('card', card, { label_ids: [...card.label_ids, label_id] });
      draft.emit('card.labeled', draft.render.card(labelled), draft.caller, { kind: 'card', record: labelled });
      runAutomation(draft, card.id, { type: 'LABEL_ADDED', label: label_id });
      return show(draft, 'card', need(draft, 'card', card.id));
    },
  },

  'card.removeLabel': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: false,
    path: { label_id: 'label' },
    run(draft, card, { label_id }) {
      if (!card.label_ids.includes(label_id)) throw new AppError('not_found', 'The card does not have this label');
      const label_ids = card.label_ids.filter((id) => id !== label_id);
      announce(draft, 'card.unlabeled', 'card', draft.revise('card', card, { label_ids }));
      return { json: null };
    },
  },
};

function requirePicture(draft: Draft, card: Card, cover: Cover): void {
  if (!('attachment_id' in cover)) return;
  const attachment = draft.get('attachment', cover.attachment_id);
  if (attachment?.card_id !== card.id) throw notFound('attachment');
  if (!isPictureType(attachment.mime_type)) throw notCover();
}

function requireOrder(start: string | null, due: string | null): void {
  if (start !== null && due !== null && isAfter(start, due)) throw startsAfterDue();
}
