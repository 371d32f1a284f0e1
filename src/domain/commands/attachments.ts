import type { Draft } from '../board/draft.js';
import type { Uuid } from '../ids.js';
import { boardLimit, requireRoom } from '../limits.js';
import type { Attachment } from '../model.js';
import { uploadLost } from '../refusals.js';
import { createdLast } from '../board/creation.js';
import { announce, announceRemoval, type HandlersOf } from './handler.js';

/** What a download needs to know. An older owner answers without `digest`. */
export type StoredFile = Pick<Attachment, 'name' | 'mime_type' | 'size' | 'created_at'> & Partial<Pick<Attachment, 'digest'>>;

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
      const attachment: Attachment = { id, card_id: card.id, name, mime_type, size, ...times, digest };
      draft.put('attachment', attachment);
      return announce(draft, 'attachment.created', 'attachment', attachment);
    },
  },

  'attachment.get': {
    target: 'attachment',
    access: 'member',
    effect: 'read',
    cacheable: false,
    run(_draft, { name, mime_type, size, created_at, digest }) {
      return { json: JSON.stringify({ name, mime_type, size, created_at, digest } satisfies StoredFile) };
    },
  },

  'attachment.delete': {
    target: 'attachment',
    access: 'member',
    effect: 'write',
    grows: false,
    run: (draft, attachment) => announceRemoval(draft, 'attachment.deleted', 'attachment', attachment),
  },
};

/** Checked before the first byte is read: the card or board has no room for the smallest file. */
function refuseUpload(draft: Draft, card: Uuid): void {
  const { limits, size } = draft;
  const attachments = draft.children('attachment', card).size;
  requireRoom('card', 'attachments', attachments + 1, attachments);
  if (size.attachmentBytes >= limits.attachmentBytes) throw boardLimit('attachmentBytes', limits);
  if (size.count('checklist') + size.count('item') + size.count('attachment') >= limits.items) throw boardLimit('items', limits);
}
