/** Earlier versions of descriptions and comments: read, restored and deleted. */
import type { Draft } from '../board/draft.js';
import { bodyOf, descriptionOf, writing, type CurrentText } from '../board/versions/editing.js';
import { PAGE_CHARACTERS, versionId, versionIn } from '../board/versions/versionsOnDisk.js';
import { deletedUser } from '../account/user.js';
import { AppError } from '../errors.js';
import type { Uuid } from '../ids.js';
import { notFound } from '../refusals.js';
import type { BoardCommands } from './commands.js';
import { editComment } from './comments.js';
import { changeDescription } from './steps/descriptions.js';
import { show, type HandlerAnswer, type HandlersOf } from './handler.js';

export const versionHandlers: HandlersOf<'version'> = {
  'version.ofCard': {
    target: 'card',
    access: 'member',
    effect: 'read',
    cacheable: false,
    run: (draft, card, input) => pageOf(draft, descriptionOf(card), input),
    runArchived(draft, { content: { card } }, _target, input) {
      if (card === undefined) throw notFound('card');
      return pageOf(draft, descriptionOf(card), input);
    },
  },

  'version.ofComment': {
    target: 'comment',
    access: 'commenter',
    only: 'author or owner',
    effect: 'read',
    cacheable: false,
    run: (draft, comment, input) => pageOf(draft, bodyOf(comment), input),
    runArchived(draft, _archived, id, input) {
      const comment = draft.comments.find(id);
      if (comment === undefined) throw notFound('comment');
      return pageOf(draft, bodyOf(comment), input);
    },
  },

  'version.restoreDescription': {
    target: 'card',
    access: 'member',
    effect: 'write',
    grows: true,
    run(draft, card, { version }) {
      const current = descriptionOf(card);
      if (version === current.version) return show(draft, 'card', card);
      return changeDescription(draft, card, { description: textOf(draft, current, version) });
    },
  },

  'version.restoreComment': {
    target: 'comment',
    access: 'commenter',
    only: 'author',
    effect: 'write',
    grows: true,
    run(draft, comment, { version }) {
      const current = bodyOf(comment);
      if (version === current.version) return show(draft, 'comment', comment);
      return editComment(draft, comment, textOf(draft, current, version) ?? '');
    },
  },

  'version.deleteOfCard': {
    target: 'card',
    access: 'owner',
    effect: 'write',
    grows: false,
    run: (draft, card, { version }) => forget(draft, descriptionOf(card), version),
  },

  'version.deleteOfComment': {
    target: 'comment',
    access: 'owner',
    effect: 'write',
    grows: false,
    run: (draft, comment, { version }) => forget(draft, bodyOf(comment), version),
  },
};

function textOf(draft: Draft, current: CurrentText, version: number): string | null {
  const kept = draft.get('version', versionId(current, version));
  if (kept === undefined) throw notFound('version');
  return kept.text;
}

function forget(draft: Draft, current: CurrentText, version: number): HandlerAnswer {
  if (version === current.version) throw new AppError('conflict', 'This is the current text: change it instead');
  const id = versionId(current, version);
  if (draft.get('version', id) === undefined) throw notFound('version');
  draft.remove('version', id);
  return { json: null };
}

/** The current text is the first of all. */
function pageOf(draft: Draft, current: CurrentText, { before, limit }: BoardCommands['version.ofCard']): HandlerAnswer {
  const isFirst = before === null || before > current.version;
  const shown = isFirst ? [currentJson(draft, current)] : [];
  const room = limit - shown.length;
  const found = room === 0 ? [] : draft.versions.page(current, before ?? current.version, room, PAGE_CHARACTERS);
  const last = found.length === 0 ? (isFirst ? current.version : 0) : versionIn(found.at(-1)?.id ?? '');
  for (const { id, text, written_by, written_at } of found) shown.push(json(draft, versionIn(id), text, written_by, written_at));
  const hasMore = draft.versions.page(current, last, 1, 0).length > 0;
  return { json: `{"versions":[${shown.join(',')}],"next":${hasMore ? last : 'null'}}` };
}

function currentJson(draft: Draft, current: CurrentText): string {
  const { author, at } = writing(draft, current);
  return json(draft, current.version, current.text, author, at);
}

function json(draft: Draft, version: number, text: string | null, author: Uuid | null, created_at: string | null): string {
  const user = author === null ? undefined : draft.get('member', author)?.user;
  const user_name = author === null ? null : (user?.username ?? draft.activityOnDisk.formerName(author) ?? deletedUser(author).username);
  const head = JSON.stringify({ version, text, created_at, user_name }).slice(0, -1);
  return `${head},"user":${user === undefined ? 'null' : draft.render.user(user)}}`;
}
