/** Texts that a user began and did not save. They outlive their form, not the page. */
import { signal, untracked } from '@preact/signals';
import { currentUser } from './session.js';
import { askBeforeLeaving } from './leaving.js';

export interface Draft {
  readonly text: string;
  /** The saved text when the draft was begun. */
  readonly base: string;
}

const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

/** `key` is a thing, such as the id of a card with the name of a field. */
export function draftOf(key: string): Draft | null {
  return drafts.value.get(ownKey(key)) ?? null;
}

/** Null ends the draft. */
export function keepDraft(key: string, draft: Draft | null): void {
  const next = new Map(drafts.value);
  if (draft === null) next.delete(ownKey(key));
  else next.set(ownKey(key), draft);
  if (next.size > 0 || drafts.value.size > 0) drafts.value = next;
  askBeforeLeaving('drafts', next.size > 0);
}

/** The next user of this window must not see it. Untracked, because a logout must not show the card anew, without a user. */
function ownKey(key: string): string {
  return `${untracked(currentUser).id} ${key}`;
}
