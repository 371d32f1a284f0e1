import type { Draft } from '../board/draft.js';
import type { Uuid } from '../ids.js';
import { boardLimit, requireRoom } from '../limits.js';
import type { Attachment } from '../model.js';
import { uploadLost } from '../refusals.js';
import { createdLast } from '../board/creation.js';
import { announce, announceRemoval, type HandlersOf } from './handler.js';

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
    run(draft, card, { id, name, mime_type, size }) {
      if (draft.get('attachment', id) !== undefined) throw uploadLost();
      const times = createdLast(draft, 'attachment', card.id);
      const attachment: Attachment = { id, card_id: card.id, name, mime_type, size, ...times };
      draft.put('attachment', attachment);
      return announce(draft, 'attachment.created', 'attachment', attachment);
    },
  },

  'attachment.get': {
    target: 'attachment',
    access: 'member',
    effect: 'read',
    cacheable: false,
    run: (draft, attachment) => ({ json: draft.render.attachment(attachment) }),
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
