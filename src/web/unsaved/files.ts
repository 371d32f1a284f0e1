/** Files that are not on their cards yet, as the header and the logout see them. What sends them is loaded when it is needed. */
import { computed, signal } from '@preact/signals';
import { client } from '../state/session.js';
import { refused, waiting } from '../state/unsaved.js';

export interface RefusedFile {
  readonly key: string;
  readonly name: string;
  readonly boardId: string;
  /** Why the service did not take it. */
  readonly reason: string;
  retry(): void;
  discard(): void;
}

export interface FileOnItsWay {
  readonly key: string;
  cancel(): void;
}

export const refusedFiles = signal<readonly RefusedFile[]>([]);
export const filesOnTheirWay = signal<readonly FileOnItsWay[]>([]);

/** Changes and files. */
export const refusedCount = computed(() => refused.value.length + refusedFiles.value.length);
const waitingCount = computed(() => waiting.value.length + filesOnTheirWay.value.length);
export const isNothingLeft = computed(() => waitingCount.value === 0);

/** What is under way is given a moment. */
const SENT_MS = 2_000;

/** Answers whether nothing is left. */
export async function whenSent(): Promise<boolean> {
  if (!isNothingLeft.value) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(end, SENT_MS);
      const stop = waitingCount.subscribe((left) => left === 0 && queueMicrotask(end));
      function end(): void {
        clearTimeout(timer);
        stop();
        resolve();
      }
    });
  }
  return isNothingLeft.value && refusedCount.value === 0;
}

/** The changes and files of this window, waiting or refused. */
export function discardOwn(): void {
  client.unsent.discardAll();
  for (const file of filesOnTheirWay.value) file.cancel();
  for (const file of refusedFiles.value) file.discard();
}
