/** Earlier versions of descriptions and comments. */
import * as v from 'valibot';
import { MAX_VERSION_BYTES, MAX_VERSIONS, VERSION_DAYS } from '../../../domain/board/versions/versionsOnDisk.js';
import { boardOperation } from '../../operation/boardOperation.js';
import type { Operation } from '../../operation/operation.js';
import { pageLimit } from '../../operation/paging.js';
import { NUMBER } from '../../operation/pathParameters.js';
import { integerParameter } from '../../operation/queryParameters.js';
import { timestamp } from '../../schemas/basics.js';
import { Card, Comment, PublicUser } from '../../schemas/resources.js';

const tag = 'Versions';

const MAX_NUMBER = 9_999_999_999;

const versionNumber = v.pipe(v.number(), v.integer());

const Version = v.object({
  version: v.pipe(versionNumber, v.description('Rises by one with each edit')),
  text: v.pipe(v.nullable(v.string()), v.description('The whole text; null where a card had no description')),
  created_at: v.pipe(v.nullable(timestamp()), v.description('When it was written; null if that is not kept')),
  user: v.pipe(v.nullable(PublicUser), v.description('Who wrote it, if they are on the board')),
  user_name: v.pipe(v.nullable(v.string()), v.description('Null if that is not kept, or if no user wrote it')),
});

const Page = v.object({
  versions: v.array(Version),
  next: v.pipe(v.nullable(versionNumber), v.description('For `before`; null on the last page')),
});

const query = {
  before: integerParameter('Only versions with lower numbers: the `next` of the page before', { min: 1, max: MAX_NUMBER, absent: MAX_NUMBER }),
  limit: pageLimit('versions'),
};

/** Of operations that change a text. */
export const BASE_TEXT =
  '`base` is the `text_version` on which the text was written: edits of different parts made since are merged, by lines and then by words. Without it the ' +
  'last edit wins.';
export const CONFLICT_TEXT =
  'The text was changed in the same place since `base`, which may also be kept no longer: nothing is changed, and the answer has the current text';

const kept =
  `The last ${MAX_VERSIONS} of a text are kept for ${VERSION_DAYS} days after they were replaced; of a board at most ${MAX_VERSION_BYTES} bytes, ` +
  'from which the oldest go first. They are not exported.';

const listDescriptions = boardOperation({
  op: 'version.ofCard',
  method: 'GET',
  path: '/cards/{card_id}/versions',
  tag,
  summary: 'Read the versions of a description',
  description: `The current one first, each with its text; a page with long texts has fewer than \`limit\`. ${kept}`,
  query,
  success: { status: 200, description: 'A page of versions', schema: Page },
  input: ({ query: { before, limit } }) => ({ before, limit }),
});

const listBodies = boardOperation({
  op: 'version.ofComment',
  method: 'GET',
  path: '/comments/{comment_id}/versions',
  tag,
  summary: 'Read the versions of a comment',
  description: `Its author and the owners of the board may. The current one is the first. They are gone with the comment. ${kept}`,
  query,
  success: { status: 200, description: 'A page of versions', schema: Page },
  errors: { 403: 'The caller may not comment on the board, or is neither the author of the comment nor an owner' },
  input: ({ query: { before, limit } }) => ({ before, limit }),
});

const noVersion = 'it is kept no longer, or never was';

const restoreDescription = boardOperation({
  op: 'version.restoreDescription',
  method: 'POST',
  path: '/cards/{card_id}/versions/{number}/restore',
  tag,
  summary: 'Restore a version of a description',
  description: 'As a new version, with the event `card.updated`. The current one stays among the versions.',
  success: { status: 200, description: 'The card', schema: Card },
  errors: { 404: `No such card, or no such version of its description: ${noVersion}` },
  input: ({ params }) => ({ version: Number(params[NUMBER]) }),
});

const restoreBody = boardOperation({
  op: 'version.restoreComment',
  method: 'POST',
  path: '/comments/{comment_id}/versions/{number}/restore',
  tag,
  summary: 'Restore a version of a comment',
  description: 'Only its author may. As a new version, with the event `comment.updated`.',
  success: { status: 200, description: 'The comment', schema: Comment },
  errors: {
    403: 'The caller may not comment on the board, or is not the author of the comment',
    404: `No such comment, or no such version of it: ${noVersion}`,
  },
  input: ({ params }) => ({ version: Number(params[NUMBER]) }),
});

const purged =
  'Owners may, so that a text that must not be read any more is gone; no event tells of it. The activity of the board and events that ' +
  'clients may still ask for can repeat a text.';

const deleteDescription = boardOperation({
  op: 'version.deleteOfCard',
  method: 'DELETE',
  path: '/cards/{card_id}/versions/{number}',
  tag,
  summary: 'Delete a version of a description',
  description: purged,
  success: { status: 204, description: 'Deleted' },
  errors: { 404: `No such card, or no such version of its description: ${noVersion}`, 409: 'It is the current text' },
  input: ({ params }) => ({ version: Number(params[NUMBER]) }),
});

const deleteBody = boardOperation({
  op: 'version.deleteOfComment',
  method: 'DELETE',
  path: '/comments/{comment_id}/versions/{number}',
  tag,
  summary: 'Delete a version of a comment',
  description: purged,
  success: { status: 204, description: 'Deleted' },
  errors: { 404: `No such comment, or no such version of it: ${noVersion}`, 409: 'It is the current text' },
  input: ({ params }) => ({ version: Number(params[NUMBER]) }),
});

export const versionOperations: readonly Operation[] = [listDescriptions, listBodies, restoreDescription, restoreBody, deleteDescription, deleteBody];
