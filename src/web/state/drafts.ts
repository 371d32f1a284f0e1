/** Texts that the user began and did not save. They outlive their form and the page, until they are saved or thrown away. */
import { untracked } from '@preact/signals';
import { drafts, setDraft, type Draft } from '../kept/draftStore.js';
import { currentUser } from './session.js';

export type { Draft };

export interface NamedDraft {
  readonly key: string;
  readonly draft: Draft;
}

/** `key` is a thing, such as the id of a card with the name of a field. */
export function draftOf(key: string): Draft | null {
  return drafts.value.get(ownKey(key)) ?? null;
}

/** The user's own that are for a board or a card, which may be gone. */
export function draftsFor({ boardId, cardId }: { readonly boardId?: string; readonly cardId?: string }): readonly NamedDraft[] {
  const own = ownKey('');
  return [...drafts.value]
    .map(([key, draft]) => ({ key: key.slice(own.length), draft, isOwn: key.startsWith(own) }))
    .filter(({ draft, isOwn }) => isOwn && (draft.boardId === boardId || (draft.cardId !== null && draft.cardId === cardId)));
}

/** Null ends the draft. */
export function keepDraft(key: string, draft: Draft | null): void {
  setDraft(ownKey(key), draft);
}

/** Of something that is not there yet; an empty text ends it. */
export function keepNewText(key: string, text: string, { boardId, cardId }: Pick<Draft, 'boardId' | 'cardId'>): void {
  keepDraft(key, text === '' ? null : { text, base: '', boardId, cardId });
}

/** The next user of this window must not see it. Untracked, because a logout must not show the card anew, without a user. */
function ownKey(key: string): string {
  return `${untracked(currentUser).id} ${key}`;
}
