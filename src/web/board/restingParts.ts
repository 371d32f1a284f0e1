/** What is loaded while a board rests, so that it is there without a connection too. */
import { undoing } from '../activity/loadUndoing.js';
import { loadCopying } from '../copying/loadCopying.js';
import { loadPart } from '../page/loadPart.js';

interface Part {
  load(): Promise<unknown>;
}

/** Besides the parts of the screen. */
const OTHERS: ReadonlyArray<() => Promise<unknown>> = [
  undoing,
  () => loadPart(() => import('../page/remoteNews.js')),
  loadCopying,
  () => loadPart(() => import('../card/files/uploads.js')),
  // Without a connection they are asked for.
  () => import('../unsaved/NotSaved.js'),
  () => import('../unsaved/LogOut.js'),
];

/** One after another: nothing that the user does meanwhile waits for all of them. */
export async function loadParts(parts: readonly Part[]): Promise<void> {
  for (const load of OTHERS) await load();
  for (const part of parts) await part.load();
}
