import type { Draft } from '../board/draft.js';
import type { Uuid } from '../ids.js';
import { boardLimit, measure, requireRoom } from '../limits.js';
import type { Attachment, Comment } from '../model.js';
import { attachmentIn } from '../board/archive/archiveOnDisk.js';
import { LINK_TYPE } from '../content/links.js';
import { TITLE_CHARACTERS } from '../textLimits.js';
import { notFound, uploadLost } from '../refusals.js';
import { need } from '../board/view.js';
import { commentFiles } from '../board/comments/commentFiles.js';
import { createdLast } from '../board/creation.js';
import type { NewFile, NewLink } from './commands.js';
import { announce, announceDeletion, type HandlerAnswer, type HandlersOf } from './handler.js';

/** What a download needs to know. An older owner answers without the last two. */
export type StoredFile = Pick<Attachment, 'name' | 'mime_type' | 'size' | 'created_at'> & Partial<Pick<Attachment, 'digest' | 'url'>>;

export const attachmentHandlers: HandlersOf<'attachment'> = {
  'attachment.begin': {
    target: 'card',
    access: 'member',
    effect: 'read',
    cacheable: false,
    run: (draft, card) => beginUpload(draft, card.id),
  },

  'attachment.create': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, card, file) => addFile(draft, { card_id: card.id, comment_id: null }, file),
  },

  'attachment.link': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run: (draft, card, newLink) => addLink(draft, { card_id: card.id, comment_id: null }, newLink),
  },

  'attachment.get': {
    target: 'attachment',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    run: (_draft, attachment) => ({ json: storedFile(attachment) }),
    runArchived(_draft, archived, id) {
      const attachment = attachmentIn(archived, id);
      if (attachment === undefined) throw notFound('attachment');
      return { json: storedFile(attachment) };
    },
  },

  'attachment.delete': {
    target: 'attachment',
    access: 'commenter',
    only: 'member, or author of its comment or owner',
    effect: 'write',
    grows: false,
    run: deleteAttachment,
  },
};

/** Those of comments are attachments of the card with the comment that they belong to: only who attaches one differs. */
export const commentFileHandlers: HandlersOf<'commentFile'> = {
  'commentFile.begin': {
    target: 'comment',
    access: 'commenter',
    only: 'author',
    effect: 'read',
    cacheable: false,
    run(draft, comment) {
      requireRoomFor(draft, comment);
      return beginUpload(draft, comment.card_id);
    },
  },

  'commentFile.create': {
    target: 'comment',
    access: 'commenter',
    only: 'author',
    effect: 'write',
    grows: true,
    run(draft, comment, file) {
      requireRoomFor(draft, comment);
      return addFile(draft, placeOf(comment), file);
    },
  },

  'commentFile.link': {
    target: 'comment',
    access: 'commenter',
    only: 'author',
    effect: 'write',
    grows: true,
    run(draft, comment, link) {
      requireRoomFor(draft, comment);
      return addLink(draft, placeOf(comment), link);
    },
  },
};

type Place = Pick<Attachment, 'card_id' | 'comment_id'>;

function placeOf({ id, card_id }: Comment): Place {
  return { card_id, comment_id: id };
}

function requireRoomFor(draft: Draft, { id, card_id }: Comment): void {
  const count = commentFiles(draft, card_id, id).length;
  requireRoom('comment', 'files', count + 1, count);
}

/** Refuses what will be refused at the end, and answers the id that the file will have. */
function beginUpload(draft: Draft, card: Uuid): HandlerAnswer {
  refuseUpload(draft, card);
  return { json: JSON.stringify(draft.newId()) };
}

function addFile(draft: Draft, place: Place, { id, name, mime_type, size, digest = null }: NewFile): HandlerAnswer {
  // Something else may have got the id of the upload meanwhile.
  if (!draft.isNew(id)) throw uploadLost();
  return add(draft, { id, ...place, name, mime_type, size, ...createdLast(draft, 'attachment', place.card_id), digest, url: null });
}

function addLink(draft: Draft, place: Place, { url, title }: NewLink): HandlerAnswer {
  const times = createdLast(draft, 'attachment', place.card_id);
  const name = title ?? url.slice(0, TITLE_CHARACTERS);
  return add(draft, { id: draft.newId(), ...place, name, mime_type: LINK_TYPE, size: 0, ...times, digest: null, url });
}

function add(draft: Draft, attachment: Attachment): HandlerAnswer {
  draft.put('attachment', attachment);
  return announce(draft, 'attachment.created', 'attachment', attachment);
}

/** A card does not show a picture that is gone. */
export function deleteAttachment(draft: Draft, attachment: Attachment): HandlerAnswer {
  const answer = announceDeletion(draft, 'attachment.deleted', 'attachment', attachment);
  const card = need(draft, 'card', attachment.card_id);
  if (card.cover !== null && 'attachment_id' in card.cover && card.cover.attachment_id === attachment.id) {
    announce(draft, 'card.updated', 'card', draft.revise('card', card, { cover: null }));
  }
  return answer;
}

function storedFile({ name, mime_type, size, created_at, digest, url }: Attachment): string {
  return JSON.stringify({ name, mime_type, size, created_at, digest, url } satisfies StoredFile);
}

/** Checked before the first byte is read: the card or board has no room for the smallest file. */
function refuseUpload(draft: Draft, card: Uuid): void {
  const { limits, size } = draft;
  const attachments = draft.children('attachment', card).size;
  requireRoom('card', 'attachments', attachments + 1, attachments);
  for (const name of ['attachmentBytes', 'items'] as const) if (measure(size, name) >= limits[name]) throw boardLimit(name, limits);
}
