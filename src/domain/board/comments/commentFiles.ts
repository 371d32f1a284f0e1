/** The files of comments, which are among the attachments of their card. */
import type { Uuid } from '../../ids.js';
import type { Attachment } from '../../model.js';
import { list, type BoardView } from '../view.js';

/** Of one comment, in the order of adding. */
export function commentFiles(view: BoardView, card: Uuid, comment: Uuid): Attachment[] {
  return list(view, 'attachment', card).filter(({ comment_id }) => comment_id === comment);
}

export type FilesByComment = ReadonlyMap<Uuid, readonly Uuid[]>;

/** Of each comment that has some, so that a page of comments looks at the attachments of its card once. */
export function filesByComment(attachments: readonly Attachment[]): FilesByComment {
  const byComment = new Map<Uuid, Uuid[]>();
  for (const { id, comment_id } of attachments) {
    if (comment_id === null) continue;
    const others = byComment.get(comment_id);
    if (others === undefined) byComment.set(comment_id, [id]);
    else others.push(id);
  }
  return byComment;
}
