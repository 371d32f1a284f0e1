/** A board document that can be imported as it stands: what its parts refer to is in it. */
import type * as v from 'valibot';
import { DOCUMENT_FORMAT, DOCUMENT_VERSION } from '../../domain/document/boardDocument.js';
import type { IncomingBoard } from '../schemas/transferSchemas.js';

export const BOARD_DOCUMENT_EXAMPLE = {
  format: DOCUMENT_FORMAT,
  version: DOCUMENT_VERSION,
  title: 'Spring catalogue',
  description: 'Everything until the catalogue is **printed**.',
  color: '#dc2626',
  icon: '🚀',
  members: [{ email: 'ann@example.org', username: 'ann', role: 'member' }],
  labels: [{ id: 'urgent', name: 'urgent', color: 'teal' }],
  columns: [
    {
      id: 'to do',
      title: 'To do',
      cards: [
        {
          title: 'Call the printer',
          description: 'Ask for **two** proofs before Friday.',
          due_at: '2030-01-18',
          labels: ['urgent'],
          checklists: [{ title: 'Before it goes out', items: [{ content: 'Find the number', is_done: true }] }],
          attachments: [{ name: 'The printer', mime_type: 'text/uri-list', url: 'https://example.org/printer' }],
          comments: [{ author_name: 'ann', body: 'The printer wants two days more.', created_at: '2030-01-15T09:30:00.000Z' }],
        },
      ],
    },
    { id: 'printed', title: 'Printed', is_done_column: true },
  ],
  rules: [
    { name: 'Urgent is printed', trigger_type: 'LABEL_ADDED', trigger_label: 'urgent', action_type: 'MOVE_TO_COLUMN', action_column: 'printed' },
  ],
} satisfies v.InferInput<typeof IncomingBoard>;
