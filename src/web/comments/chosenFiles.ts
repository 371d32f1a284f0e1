/** Files that are chosen for comments not sent yet. They outlive the dialog of their card; before the window goes, the browser asks. */
import { signal } from '@preact/signals';
import { askBeforeLeaving } from '../state/leaving.js';
import { currentUser } from '../state/session.js';

/** Of the service. */
const MAX_FILES = 20;
const NONE: readonly File[] = [];

/** By user and card. */
const chosen = signal<ReadonlyMap<string, readonly File[]>>(new Map());

export function chosenFor(cardId: string): readonly File[] {
  return chosen.value.get(keyOf(cardId)) ?? NONE;
}

export function setChosenFor(cardId: string, files: readonly File[]): void {
  const next = new Map(chosen.peek());
  if (files.length === 0) next.delete(keyOf(cardId));
  else next.set(keyOf(cardId), files.slice(0, MAX_FILES));
  chosen.value = next;
  askBeforeLeaving('chosen files', next.size > 0);
}

const keyOf = (cardId: string): string => `${currentUser().id} ${cardId}`;
