/** The trash of a board: what was deleted, and can be restored for a while. */
import * as v from 'valibot';
import { TRASHED_KINDS } from '../../domain/model.js';
import { boardOperation } from '../operation/boardOperation.js';
import type { Operation } from '../operation/operation.js';
import { beforePlace, nextPlace, pageLimit } from '../operation/paging.js';
import { id, timestamp } from '../schemas/basics.js';
import { uuid } from '../schemas/fields.js';

const tag = 'Trash';

const Entry = v.object({
  id: v.pipe(id(), v.description('That of the deleted thing')),
  kind: v.picklist(TRASHED_KINDS),
  title: v.pipe(v.string(), v.description('The title or name of the deleted thing')),
  deleted_at: timestamp(),
  deleted_by: v.pipe(v.nullable(id()), v.description('The user who deleted it')),
  expires_at: v.pipe(timestamp(), v.description('Until then it can be restored, unless the board needs the room')),
});

const noEntry = 'No such board, or no such entry: it has expired, was restored or thrown away, or had to make room';

const listTrash = boardOperation({
  op: 'trash.list',
  method: 'GET',
  path: '/boards/{board_id}/trash',
  tag,
  summary: 'Read the trash of a board',
  description:
    'The cards, columns, checklists, labels and attachments that were deleted, the latest first, for as many days as `TRASH_DAYS` says. They count ' +
    'in the board’s limits only as long as there is room: the oldest go first, and nothing is refused because of them.',
  query: {
    before: beforePlace,
    limit: pageLimit('entries'),
  },
  success: {
    status: 200,
    description: 'A page of the trash',
    schema: v.object({ entries: v.array(Entry), next: nextPlace }),
  },
  input: ({ query }) => ({ before: query.before ?? null, limit: query.limit }),
});

const restoreEntry = boardOperation({
  op: 'trash.restore',
  method: 'POST',
  path: '/boards/{board_id}/trash/{entry_id}/restore',
  tag,
  summary: 'Restore what was deleted',
  description:
    'It comes back with its id and everything that was on it, comments and files too, to its old place; a card to another column, if one is given. ' +
    'Its `created` event shows it with all its parts. What was in the archive is there again. A label comes with a `card.labeled` for each of its ' +
    'cards. Labels and people that are gone from the board are dropped, and rules that were disabled stay so. ' +
    'What is too much for one request is restored in parts: repeat it until `is_complete` is true.',
  body: { kind: 'json', schema: v.object({ column_id: v.optional(v.nullable(uuid())) }) },
  success: {
    status: 200,
    description: 'Restored, as a whole or in part',
    schema: v.object({
      id: id(),
      kind: v.picklist(TRASHED_KINDS),
      is_complete: v.pipe(v.boolean(), v.description('False if more of it is left in the trash')),
    }),
  },
  errors: { 404: `${noEntry}. Or no such column`, 409: 'What it was on is not there any more, or a limit of the board is exceeded' },
  input: ({ params, body }) => ({ entry_id: params['entry_id'] ?? '', column_id: body.column_id ?? null }),
});

const deleteEntry = boardOperation({
  op: 'trash.delete',
  method: 'DELETE',
  path: '/boards/{board_id}/trash/{entry_id}',
  tag,
  summary: 'Throw away what was deleted',
  description: 'It can be restored no longer.',
  success: { status: 204, description: 'Thrown away' },
  errors: { 404: noEntry },
  input: ({ params }) => ({ entry_id: params['entry_id'] ?? '' }),
});

export const trashOperations: readonly Operation[] = [listTrash, restoreEntry, deleteEntry];
