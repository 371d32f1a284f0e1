/** Texts that a user began on a card and did not save. They outlive the dialog, not the page. */
import { signal } from '@preact/signals';
import { currentUser } from '../state/session.js';

export interface Draft {
  readonly text: string;
  /** The saved text when the draft was begun. */
  readonly base: string;
}

const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

/** `key` is a thing on a card, such as its id with the name of a field. */
export function draftOf(key: string): Draft | null {
  return drafts.value.get(ownKey(key)) ?? null;
}

/** Null ends the draft. */
export function keepDraft(key: string, draft: Draft | null): void {
  const next = new Map(drafts.value);
  if (draft === null) next.delete(ownKey(key));
  else next.set(ownKey(key), draft);
  if (next.size > 0 || drafts.value.size > 0) drafts.value = next;
  if (next.size > 0) addEventListener('beforeunload', warn);
  else removeEventListener('beforeunload', warn);
}

/** The next user of this window must not see it. */
function ownKey(key: string): string {
  return `${currentUser().id} ${key}`;
}

/** The browser asks whether to leave the page. */
function warn(event: Event): void {
  event.preventDefault();
}
