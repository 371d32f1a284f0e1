/** Comments on cards. */
import * as v from 'valibot';
import { COMMENT_BYTES, MAX_CARD_COMMENT_BYTES } from '../../../domain/board/comments/commentsOnDisk.js';
import { givenFields } from '../../../domain/givenFields.js';
import { boardOperation } from '../../operation/boardOperation.js';
import type { Operation } from '../../operation/operation.js';
import { beforePlace, nextPlace, pageLimit } from '../../operation/paging.js';
import { commentText, textBase } from '../../schemas/fields.js';
import { Comment, TextConflict } from '../../schemas/resources.js';
import { BASE_TEXT, CONFLICT_TEXT } from './versions.js';

const tag = 'Comments';

const listComments = boardOperation({
  op: 'comment.list',
  method: 'GET',
  path: '/cards/{card_id}/comments',
  tag,
  summary: 'Read the comments of a card',
  description: 'The newest first. A page with long texts has fewer comments than `limit`; `next` says whether older ones follow.',
  query: {
    before: beforePlace,
    limit: pageLimit('comments'),
  },
  success: {
    status: 200,
    description: 'A page of comments',
    schema: v.object({
      comments: v.array(Comment),
      next: nextPlace,
    }),
  },
  input: ({ query }) => ({ before: query.before ?? null, limit: query.limit }),
});

const createComment = boardOperation({
  op: 'comment.create',
  method: 'POST',
  path: '/cards/{card_id}/comments',
  tag,
  summary: 'Comment on a card',
  description:
    '`@` and the username of a member is a mention; of anyone else it is plain text. The body may be Markdown. A card can have ' +
    `at most ${MAX_CARD_COMMENT_BYTES} bytes of comments, and a board as many as \`MAX_BOARD_COMMENT_BYTES\` says; each counts ${COMMENT_BYTES} bytes more than its text.`,
  body: { kind: 'json', schema: v.object({ body: commentText() }) },
  success: { status: 201, description: 'The new comment', schema: Comment },
  input: ({ body }) => body,
});

const updateComment = boardOperation({
  op: 'comment.update',
  method: 'PATCH',
  path: '/comments/{comment_id}',
  tag,
  summary: 'Change a comment',
  description: `Only its author may. Each change of the body raises \`text_version\`. ${BASE_TEXT}`,
  body: { kind: 'json', schema: v.object({ body: v.optional(commentText()), base: v.optional(textBase()) }) },
  success: { status: 200, description: 'The comment', schema: Comment },
  errors: { 403: 'The caller may not comment on the board, or is not the author of the comment', 409: CONFLICT_TEXT },
  errorSchemas: { 409: TextConflict },
  input: ({ body }) => givenFields(body),
});

const deleteComment = boardOperation({
  op: 'comment.delete',
  method: 'DELETE',
  path: '/comments/{comment_id}',
  tag,
  summary: 'Delete a comment',
  description: 'Its author and the owners of the board may.',
  success: { status: 204, description: 'Deleted' },
  errors: { 403: 'The caller may not comment on the board, or is neither the author of the comment nor an owner' },
});

export const commentOperations: readonly Operation[] = [listComments, createComment, updateComment, deleteComment];
