/** The archive of a board: cards and columns that left it and can come back. */
import * as v from 'valibot';
import { MAX_ARCHIVED_BYTES, MAX_ARCHIVED_RECORDS } from '../../domain/board/archive/archiving.js';
import { MAX_SEARCHED_TEXT, SEARCHED_ROWS } from '../../domain/board/archive/searching.js';
import { boardOperation } from '../operation/boardOperation.js';
import type { Operation } from '../operation/operation.js';
import { beforePlace, nextPlace, pageLimit } from '../operation/paging.js';
import { enumeration, NOT_BLANK_PATTERN, position, searchedText, uuid } from '../schemas/fields.js';
import { Card, Column } from '../schemas/resources.js';

const tag = 'Archive';
const KINDS = ['card', 'column'] as const;

const bounds =
  `Its ids stay, and it goes on counting in the board’s limits. At most ${MAX_ARCHIVED_RECORDS} cards, checklists, items and attachments ` +
  `and ${MAX_ARCHIVED_BYTES} bytes of text are archived at once.`;

const listArchive = boardOperation({
  op: 'archive.list',
  method: 'GET',
  path: '/boards/{board_id}/archive',
  tag,
  summary: 'Read the archive of a board',
  description:
    'The latest archived first. A column is shown without its cards: `card_count` says how many went with it. A page with long texts is shorter than ' +
    '`limit`; `next` says whether others follow.\n\nWith `q` one request examines a part of the archive, at most ' +
    `${SEARCHED_ROWS} cards and columns: a page can be empty and have a \`next\` all the same. The search is at its end when \`next\` is null. ` +
    'What went with its column is found by the title of that column.',
  query: {
    kind: { schema: v.optional(enumeration(KINDS)), description: 'Only cards, or only columns', document: { type: 'string', enum: [...KINDS] } },
    q: {
      schema: v.optional(searchedText(MAX_SEARCHED_TEXT)),
      description: 'Only those with this text in the title or the description, in any case',
      document: { type: 'string', minLength: 1, maxLength: MAX_SEARCHED_TEXT, pattern: NOT_BLANK_PATTERN },
    },
    before: beforePlace,
    limit: pageLimit('cards and columns'),
  },
  success: {
    status: 200,
    description: 'A page of the archive',
    schema: v.object({
      cards: v.array(Card),
      columns: v.array(Column),
      next: nextPlace,
    }),
  },
  input: ({ query: { kind, q, before, limit } }) => ({ kind: kind ?? null, ...(q === undefined ? {} : { q }), before: before ?? null, limit }),
});

const archiveCard = boardOperation({
  op: 'card.archive',
  method: 'POST',
  path: '/cards/{card_id}/archive',
  tag,
  summary: 'Archive a card',
  description: `The card leaves the board with everything on it. It can be read, restored and deleted; other changes are refused with 409. ${bounds}`,
  success: { status: 200, description: 'The card with its `archived_at`', schema: Card },
  errors: { 409: 'The card is archived already, or too much is on it' },
});

const restoreCard = boardOperation({
  op: 'card.restore',
  method: 'POST',
  path: '/cards/{card_id}/restore',
  tag,
  summary: 'Restore a card from the archive',
  description:
    'It goes to its old place; if its column is not there, last in the last column. With a `column_id` it goes there, with a `position` to that place. ' +
    'Labels and people that are gone from the board are dropped.',
  body: { kind: 'json', schema: v.object({ column_id: v.optional(v.nullable(uuid())), position: v.optional(position()) }) },
  success: { status: 200, description: 'The card', schema: Card },
  errors: {
    404: 'No such card, or no such column on its board',
    409: 'The card is not archived, or was archived with its column, or exceeds a limit of the board',
  },
  input: ({ body }) => ({ column_id: body.column_id ?? null, position: body.position ?? null }),
});

const archiveColumn = boardOperation({
  op: 'column.archive',
  method: 'POST',
  path: '/columns/{column_id}/archive',
  tag,
  summary: 'Archive a column with its cards',
  description: `They leave the board and come back together. Automation rules that refer to the column lose the reference and are disabled. ${bounds}`,
  success: { status: 200, description: 'The column with its `archived_at`, without its cards', schema: Column },
  errors: { 409: 'The column is archived already, or too much is in it' },
});

const restoreColumn = boardOperation({
  op: 'column.restore',
  method: 'POST',
  path: '/columns/{column_id}/restore',
  tag,
  summary: 'Restore a column from the archive',
  description: 'It goes to its old place or to the `position`, with the cards that were archived with it.',
  body: { kind: 'json', schema: v.object({ position: v.optional(position()) }) },
  success: { status: 200, description: 'The column', schema: Column },
  errors: { 409: 'The column is not archived, or exceeds a limit of the board' },
  input: ({ body }) => ({ position: body.position ?? null }),
});

export const archiveOperations: readonly Operation[] = [listArchive, archiveCard, restoreCard, archiveColumn, restoreColumn];
