import type { CommentPlace, CommentsOnDisk } from '../../../src/domain/board/comments/commentsOnDisk.js';
import type { Comment } from '../../../src/domain/model.js';

/** Comments of a board without a disk. */
export function memoryComments(all: () => readonly Comment[]): CommentsOnDisk {
  return {
    find: (id) => all().find((comment) => comment.id === id),
    page(card, before, limit, maxCharacters) {
      const older = all()
        .filter((comment) => comment.card_id === card && (before === null || compare(comment, before) < 0))
        .sort((a, b) => compare(b, a));
      const page: Comment[] = [];
      let characters = 0;
      for (const comment of older) {
        characters += comment.body.length;
        if (page.length > 0 && (characters > maxCharacters || page.length >= limit)) break;
        page.push(comment);
      }
      return page;
    },
    byAuthor: (user, limit) =>
      all()
        .filter(({ created_by }) => created_by === user)
        .slice(0, limit),
  };
}

function compare(a: CommentPlace, b: CommentPlace): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
