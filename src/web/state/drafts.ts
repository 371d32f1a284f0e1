/** Texts that the user began and did not save. They outlive their form and the page, until they are saved or thrown away. */
import { drafts, setDraft, type Draft } from '../kept/draftStore.js';
import { session } from './session.js';

export type { Draft };

export interface NamedDraft {
  readonly key: string;
  readonly draft: Draft;
}

/** `key` is a thing, such as the id of a card with the name of a field. Null also when the session has ended: its screens ask once more as they go. */
export function draftOf(key: string): Draft | null {
  const userId = ownUserId();
  return userId === null ? null : (drafts.value.get(ownKey(userId, key)) ?? null);
}

/** The user's own that are for a board or a card, which may be gone. */
export function draftsFor({ boardId, cardId }: { readonly boardId?: string; readonly cardId?: string }): readonly NamedDraft[] {
  const userId = ownUserId();
  if (userId === null) return [];
  const own = ownKey(userId, '');
  return [...drafts.value]
    .map(([key, draft]) => ({ key: key.slice(own.length), draft, isOwn: key.startsWith(own) }))
    .filter(({ draft, isOwn }) => isOwn && (draft.boardId === boardId || (draft.cardId !== null && draft.cardId === cardId)));
}

/** Null ends the draft. */
export function keepDraft(key: string, draft: Draft | null): void {
  draftKeeper()(key, draft);
}

/** Keeps drafts of who is logged in now, also when that one is no longer: a form saves its text when it goes with the session. */
export function draftKeeper(): (key: string, draft: Draft | null) => void {
  const userId = ownUserId();
  return (key, draft) => {
    if (userId !== null) setDraft(ownKey(userId, key), draft);
  };
}

/** Of something that is not there yet; an empty text ends it. */
export function keepNewText(key: string, text: string, { boardId, cardId }: Pick<Draft, 'boardId' | 'cardId'>): void {
  keepDraft(key, text === '' ? null : { text, base: '', boardId, cardId });
}

/** Untracked, because a logout must not show the card anew, without a user. */
function ownUserId(): string | null {
  const now = session.peek();
  return now.kind === 'in' ? now.user.id : null;
}

/** The next user of this window must not see it. */
function ownKey(userId: string, key: string): string {
  return `${userId} ${key}`;
}
