import type { Draft } from '../board/draft.js';
import type { Uuid } from '../ids.js';
import { boardLimit, measure, requireRoom } from '../limits.js';
import type { Attachment } from '../model.js';
import { attachmentIn } from '../board/archive/archiveOnDisk.js';
import { LINK_TYPE } from '../content/links.js';
import { TITLE_CHARACTERS } from '../textLimits.js';
import { notFound, uploadLost } from '../refusals.js';
import { need } from '../board/view.js';
import { createdLast } from '../board/creation.js';
import { announce, announceDeletion, type HandlersOf } from './handler.js';

/** What a download needs to know. An older owner answers without the last two. */
export type StoredFile = Pick<Attachment, 'name' | 'mime_type' | 'size' | 'created_at'> & Partial<Pick<Attachment, 'digest' | 'url'>>;

export const attachmentHandlers: HandlersOf<'attachment'> = {
  'attachment.begin': {
    target: 'card',
    access: 'member',
    effect: 'read',
    cacheable: false,
    run(draft, card) {
      refuseUpload(draft, card.id);
      return { json: JSON.stringify(draft.newId()) };
    },
  },

  'attachment.create': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, card, { id, name, mime_type, size, digest = null }) {
      // Something else may have got the id of the upload meanwhile.
      if (!draft.isNew(id)) throw uploadLost();
      const times = createdLast(draft, 'attachment', card.id);
      const attachment: Attachment = { id, card_id: card.id, name, mime_type, size, ...times, digest, url: null };
      draft.put('attachment', attachment);
      return announce(draft, 'attachment.created', 'attachment', attachment);
    },
  },

  'attachment.link': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, card, { url, title }) {
      const times = createdLast(draft, 'attachment', card.id);
      const name = title ?? url.slice(0, TITLE_CHARACTERS);
      const attachment: Attachment = { id: draft.newId(), card_id: card.id, name, mime_type: LINK_TYPE, size: 0, ...times, digest: null, url };
      draft.put('attachment', attachment);
      return announce(draft, 'attachment.created', 'attachment', attachment);
    },
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
    access: 'member',
    effect: 'write',
    grows: false,
    run(draft, attachment) {
      const answer = announceDeletion(draft, 'attachment.deleted', 'attachment', attachment);
      const card = need(draft, 'card', attachment.card_id);
      if (card.cover !== null && 'attachment_id' in card.cover && card.cover.attachment_id === attachment.id) {
        announce(draft, 'card.updated', 'card', draft.revise('card', card, { cover: null }));
      }
      return answer;
    },
  },
};

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
