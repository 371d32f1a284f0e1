/** The comments of the open card: pages from the service, events since then, and what this user has written and not sent. */
import { signal } from '@preact/signals';
import { ApiError, createdId, type BoardEvent, type Comment, type KeptChange } from '../../client/index.js';
import { client } from '../state/session.js';
import { LiveList, pageFrom, type Page } from '../page/liveList.js';

/** A comment as it is shown. `waiting`: something about it is not sent yet. */
export interface ShownComment extends Pick<Comment, 'id' | 'body' | 'author' | 'author_name' | 'created_at'> {
  /** Absent while something about it is not sent yet. */
  readonly version?: number | undefined;
  /** The version that an edit of what is shown names; that of an edit that waits, until the client knows what it became. */
  readonly base?: number | undefined;
  readonly isEdited: boolean;
  readonly isWaiting: boolean;
}

type CommentEvent = Extract<BoardEvent, { type: `comment.${string}` }>;

/** The key of the draft of a comment, or of a new one on a card, and the comment or card of such a key. */
const KEY_END = ' comment';
export const commentKey = (id: string): string => `${id}${KEY_END}`;
export const ownerOfKey = (key: string): string | null => (key.endsWith(KEY_END) ? key.slice(0, -KEY_END.length) : null);

export class CardComments extends LiveList<Comment> {
  /** Comments of which is known that they were deleted. */
  readonly deleted = signal<ReadonlySet<string>>(new Set());
  readonly #cardId: string;

  constructor(cardId: string) {
    super();
    this.#cardId = cardId;
  }

  protected override async readPage(before?: string): Promise<Page<Comment>> {
    const { comments, next } = await client.comment.list({ card_id: this.#cardId }, pageFrom(before));
    return { things: comments, next };
  }

  /** A comment as the service has it now. */
  put(comment: Comment): void {
    const others = this.things.peek().filter(({ id }) => id !== comment.id);
    const known = this.things.peek().find(({ id }) => id === comment.id);
    if (known !== undefined && known.text_version > comment.text_version) return;
    this.things.value = [...others, comment].sort(byNewest);
  }

  /** One that is not listed may also be on an older page. */
  async checkDeleted(id: string): Promise<void> {
    try {
      await client.version.ofComment({ comment_id: id }, { limit: 1 });
    } catch (error) {
      // Any other error says nothing about the comment.
      if (error instanceof ApiError && error.status === 404) this.#noteDeleted(id);
    }
  }

  protected override apply(event: BoardEvent): boolean {
    if (!isAboutComment(event) || event.data.card_id !== this.#cardId) return false;
    if (event.type === 'comment.deleted') {
      this.#noteDeleted(event.data.id);
      this.remove(event.data.id);
    } else this.put(event.data);
    return true;
  }

  #noteDeleted(id: string): void {
    this.deleted.value = new Set([...this.deleted.peek(), id]);
  }
}

/** The comments with the user's changes that wait. */
export function withWaiting(comments: readonly Comment[], cardId: string, waiting: readonly KeptChange[], me: Comment['author']): ShownComment[] {
  const shown = new Map(comments.map((comment) => [comment.id, toShown(comment)]));
  for (const { key, boardId, name, args, madeAt } of waiting) {
    const [path, fields] = args as readonly [Readonly<Record<string, string>>, { readonly body?: string; readonly base?: number } | undefined];
    const body = fields?.body ?? '';
    if (name === 'comment.create' && path['card_id'] === cardId) {
      const id = createdId(boardId, key);
      const own = { author: me, author_name: me?.username ?? '', created_at: new Date(madeAt).toISOString() };
      if (!shown.has(id)) shown.set(id, { id, body, ...own, isEdited: false, isWaiting: true });
    }
    const known = shown.get(path['comment_id'] ?? '');
    if (known === undefined) continue;
    if (name === 'comment.update') shown.set(known.id, { ...known, body, version: undefined, base: fields?.base, isEdited: true, isWaiting: true });
    if (name === 'comment.delete') shown.delete(known.id);
  }
  return [...shown.values()].sort(byNewest);
}

function toShown({ id, body, author, author_name, created_at, text_version }: Comment): ShownComment {
  return { id, body, author, author_name, created_at, version: text_version, base: text_version, isEdited: text_version > 1, isWaiting: false };
}

function isAboutComment(event: BoardEvent): event is CommentEvent {
  return event.type.startsWith('comment.');
}

interface Placed {
  readonly id: string;
  readonly created_at: string;
}

function byNewest(a: Placed, b: Placed): number {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at ? 1 : -1;
  return a.id < b.id ? 1 : -1;
}
