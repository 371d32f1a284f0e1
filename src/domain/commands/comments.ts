import type { Draft } from '../board/draft.js';
import { PAGE_CHARACTERS, withComment, writePlace } from '../board/comments/commentsOnDisk.js';
import { commentFiles, filesByComment } from '../board/comments/commentFiles.js';
import { createdAfter } from '../board/creation.js';
import { mentionsIn } from '../board/comments/mentions.js';
import { bodyOf, editedText, keepVersion } from '../board/versions/editing.js';
import { list, need } from '../board/view.js';
import { tellWatchers, watchWritten } from '../board/watching/watching.js';
import type { Uuid } from '../ids.js';
import { requireRoom } from '../limits.js';
import type { Attachment, Comment } from '../model.js';
import { CARD_TEXT_CHARACTERS } from '../textLimits.js';
import { deleteAttachment } from './attachments.js';
import type { BoardCommands } from './commands.js';
import { about, announce, show, type HandlerAnswer, type HandlersOf } from './handler.js';

export const commentHandlers: HandlersOf<'comment'> = {
  'comment.list': {
    target: 'card',
    access: 'viewer',
    effect: 'read',
    cacheable: false,
    run: (draft, card, input) => pageOf(draft, card.id, input, list(draft, 'attachment', card.id)),
    runArchived: (draft, archived, card, input) => pageOf(draft, card, input, archived.content.attachments ?? []),
  },

  'comment.create': {
    target: 'card',
    access: 'commenter',
    effect: 'write',
    grows: true,
    run(draft, card, { body }) {
      const latest = draft.latestComment(card.id);
      const comment: Comment = {
        id: draft.newId(),
        card_id: card.id,
        created_by: draft.caller,
        author_name: nameOf(draft, draft.caller),
        body,
        mention_ids: requireMentions(draft, body),
        text_version: 1,
        ...createdAfter(draft, latest === null ? -Infinity : Date.parse(latest)),
      };
      draft.put('comment', comment);
      draft.put('card', withComment(card, null, comment));
      for (const user of comment.mention_ids) draft.notify('mentioned', user, card, comment.id);
      tellWatchers(draft, 'commented', card, { comment: comment.id });
      watchWritten(draft, card);
      return announce(draft, 'comment.created', 'comment', comment);
    },
  },

  'comment.update': {
    target: 'comment',
    access: 'commenter',
    only: 'author',
    effect: 'write',
    grows: true,
    run(draft, comment, { body, base }) {
      if (body === undefined) return show(draft, 'comment', comment);
      return editComment(draft, comment, editedText(draft, bodyOf(comment), body, base, isAllowed) ?? '');
    },
  },

  'comment.delete': {
    target: 'comment',
    access: 'commenter',
    only: 'author or owner',
    effect: 'write',
    grows: false,
    run(draft, comment) {
      const lastState = draft.render.comment(comment);
      // They can be restored for a while, as files of the card.
      for (const file of commentFiles(draft, comment.card_id, comment.id)) deleteAttachment(draft, file);
      draft.put('card', withComment(need(draft, 'card', comment.card_id), comment, null));
      draft.emit('comment.deleted', lastState, draft.caller, about('comment', comment));
      draft.remove('comment', comment.id);
      return { json: null };
    },
  },
};

/** The text before it is kept as a version. */
export function editComment(draft: Draft, comment: Comment, body: string): HandlerAnswer {
  if (body === comment.body) return show(draft, 'comment', comment);
  keepVersion(draft, bodyOf(comment));
  const fields = { body, mention_ids: requireMentions(draft, body), text_version: comment.text_version + 1 };
  const edited = draft.revise('comment', comment, fields);
  const card = need(draft, 'card', comment.card_id);
  draft.put('card', withComment(card, comment, edited));
  const added = edited.mention_ids.filter((id) => !comment.mention_ids.includes(id));
  for (const user of added) draft.notify('mentioned', user, card, comment.id);
  return announce(draft, 'comment.updated', 'comment', edited);
}

/** Counted as the schema of the operation counts. A blank comment is none. */
function isAllowed(body: string): boolean {
  return body.trim() !== '' && [...body].length <= CARD_TEXT_CHARACTERS;
}

type Page = BoardCommands['comment.list'];

function pageOf(draft: Draft, card: Uuid, { before, limit }: Page, attachments: readonly Attachment[]): HandlerAnswer {
  const found = draft.comments.page(card, before, limit, PAGE_CHARACTERS);
  const last = found.at(-1);
  const hasMore = last !== undefined && draft.comments.page(card, last, 1, 0).length > 0;
  const files = filesByComment(attachments);
  const comments = found.map((comment) => draft.render.comment(comment, files)).join(',');
  return { json: `{"comments":[${comments}],"next":${hasMore ? JSON.stringify(writePlace(last)) : 'null'}}` };
}

function nameOf(draft: Draft, user: Uuid | null): string {
  return user === null ? '' : need(draft, 'member', user).user.username;
}

function requireMentions(draft: Draft, body: string): Uuid[] {
  const mentions = mentionsIn(draft, body);
  requireRoom('comment', 'mentions', mentions.length, 0);
  return mentions;
}
