/** Documents that can be imported as they stand: what their parts refer to is in them. */
import type * as v from 'valibot';
import { DOCUMENT_FORMAT, DOCUMENT_VERSION } from '../../domain/document/boardDocument.js';
import type { IncomingBoard, TrelloExport } from '../schemas/transferSchemas.js';

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

export const TRELLO_EXAMPLE = {
  name: 'Spring catalogue',
  desc: 'Everything until the catalogue is **printed**.',
  lists: [{ id: '5f00a0000000000000000001', name: 'To do', closed: false, pos: 16384 }],
  cards: [
    {
      id: '5f00a0000000000000000002',
      idList: '5f00a0000000000000000001',
      idShort: 1,
      name: 'Call the printer',
      desc: 'Ask for **two** proofs before Friday.',
      closed: false,
      pos: 16384,
      due: '2030-01-18T12:00:00.000Z',
      idLabels: ['5f00a0000000000000000003'],
      idChecklists: ['5f00a0000000000000000004'],
    },
  ],
  labels: [{ id: '5f00a0000000000000000003', name: 'urgent', color: 'red' }],
  checklists: [
    {
      id: '5f00a0000000000000000004',
      name: 'Before it goes out',
      pos: 16384,
      checkItems: [{ name: 'Find the number', state: 'complete', pos: 16384 }],
    },
  ],
} satisfies v.InferInput<typeof TrelloExport>;
