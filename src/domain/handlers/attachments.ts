import type { Attachment } from '../model.js';
import { announce, announceRemoval, createdLast, type HandlersOf } from './handler.js';

export const attachmentHandlers: HandlersOf<'attachment'> = {
  'attachment.begin': {
    target: 'card',
    run: () => ({ json: null }),
  },

  'attachment.create': {
    target: 'card',
    run(draft, card, { id, name, mime_type, size }) {
      const times = createdLast(draft, 'attachment', card.id);
      const attachment: Attachment = { id, card_id: card.id, name, mime_type, size, ...times };
      draft.put('attachment', attachment);
      return announce(draft, 'attachment.created', 'attachment', attachment);
    },
  },

  'attachment.get': {
    target: 'attachment',
    run: (draft, attachment) => ({ json: draft.render.attachment(attachment) }),
  },

  'attachment.delete': {
    target: 'attachment',
    run: (draft, attachment) => announceRemoval(draft, 'attachment.deleted', 'attachment', attachment),
  },
};
