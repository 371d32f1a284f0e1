/** Who changed what on a board. */
import * as v from 'valibot';
import { MAX_ACTIVITY_BYTES } from '../../domain/board/activity/activityOnDisk.js';
import { MAX_FACT_TEXT } from '../../domain/board/activity/facts.js';
import { UNDO_DAYS } from '../../domain/commands/undo/undo.js';
import { EVENT_TYPES } from '../../domain/events.js';
import { boardOperation } from '../operation/boardOperation.js';
import type { Operation } from '../operation/operation.js';
import { pageLimit } from '../operation/paging.js';
import { uuid } from '../schemas/fields.js';
import { seq } from '../schemas/basics.js';
import { Activity } from '../schemas/resources.js';

const tag = 'Activity';

const ABOUT =
  'The newest first. Each entry names the event that it belongs to: `seq` is its number, `kind` its type. `before` and `after` have the changed fields; ' +
  'of a list `before` has the removed and `after` the added elements. ' +
  `Texts of more than ${MAX_FACT_TEXT} characters, and what went with something that was deleted, are only named in \`omitted\`. ` +
  'What a rule did has `by_rule` and no user. The texts of comments are never part of it. ' +
  'Entries are kept as long as `ACTIVITY_DAYS` says; beyond ' +
  `${MAX_ACTIVITY_BYTES} bytes of one board its oldest go. Changes from before a version with activity have none, and a copy of a board begins without. ` +
  'A page may have fewer entries than `limit` although others follow: `next` says so.';

const number = v.pipe(v.string(), v.regex(/^\d{1,15}$/, 'must be a whole number'), v.transform(Number));
const seqDocument = { type: 'integer', minimum: 0, maximum: 999_999_999_999_999 } as const;

const query = {
  before: { schema: v.optional(number), description: 'Only entries with lower numbers: the `next` of the page before', document: seqDocument },
  after: {
    schema: v.optional(number),
    description: 'Only entries with higher numbers, such as those since the number last seen',
    document: seqDocument,
  },
  limit: pageLimit('entries'),
};

const filters = {
  user_id: { schema: v.optional(uuid()), description: 'Only what this user did', document: { type: 'string', format: 'uuid' } },
  kind: { schema: v.optional(v.picklist(EVENT_TYPES)), description: 'Only entries of this kind', document: { type: 'string', enum: EVENT_TYPES } },
} as const;

const success = {
  status: 200,
  description: 'A page of entries',
  schema: v.object({
    activity: v.array(Activity),
    next: v.pipe(v.nullable(seq()), v.description('For `before`; null on the last page')),
  }),
} as const;

const listActivity = boardOperation({
  op: 'activity.list',
  method: 'GET',
  path: '/boards/{board_id}/activity',
  tag,
  summary: 'Read the activity of a board',
  description: ABOUT,
  query: {
    ...query,
    card_id: {
      schema: v.optional(uuid()),
      description: 'Only entries about this card, which may have been deleted',
      document: { type: 'string', format: 'uuid' },
    },
    ...filters,
  },
  success,
  input: ({ query: { before = null, after = null, card_id = null, user_id = null, kind = null, limit } }) => {
    return { before, after, card_id, user_id, kind, limit };
  },
});

const listActivityOfCard = boardOperation({
  op: 'activity.ofCard',
  method: 'GET',
  path: '/cards/{card_id}/activity',
  tag,
  summary: 'Read the activity of a card',
  description: ABOUT,
  query: { ...query, ...filters },
  success,
  input: ({ query: { before = null, after = null, user_id = null, kind = null, limit } }) => ({ before, after, user_id, kind, limit }),
});

const undo = boardOperation({
  op: 'board.undo',
  method: 'POST',
  path: '/boards/{board_id}/undo',
  tag,
  summary: 'Undo a change',
  description:
    'Takes back the caller’s last change of the board that is not taken back yet, or the one to which the number `seq` belongs, together with what rules ' +
    'did because of it: as a new change with its own events, which trigger no rule. To redo, undo the undo: its number is in the answer. Owners may undo changes of ' +
    'others by their number. Each write needs the right that the same operation needs now; people who left are not assigned again. ' +
    'Refused with 409: if a field was changed since (`detail` says by whom), what is older than ' +
    `${UNDO_DAYS} days, changes of members and roles, changed and deleted comments, texts and lists that the activity only names, and ` +
    'what is not in the trash any more, if it was a file or had parts: checklists, items, files, comments, cards with the label, or rules about it.',
  body: {
    kind: 'json',
    schema: v.object({ seq: v.optional(v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(Number.MAX_SAFE_INTEGER)))) }),
  },
  success: {
    status: 200,
    description: 'Undone',
    schema: v.object({
      seq: v.pipe(seq(), v.description('The number of this change, with which it can be undone')),
      undone: v.pipe(seq(), v.description('The number of the change that was taken back')),
    }),
  },
  errors: {
    403: 'The caller may not carry out one of the inverse changes, or undo changes of others',
    404: 'No such board, or nothing to undo',
    409: 'A field was changed since, or the change cannot be undone',
  },
  input: ({ body }) => ({ seq: body.seq ?? null }),
});

export const activityOperations: readonly Operation[] = [listActivity, listActivityOfCard, undo];
