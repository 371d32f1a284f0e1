/** The way to what brings deleted boards back, which is loaded when it is first needed. */
import { loadPart } from '../page/loadPart.js';
import { loadLaterWords } from '../words/language.js';

/** Without the offer the board is found in the trash. */
export function offerRestore(id: string, title: string): void {
  Promise.all([loadPart(() => import('./restoring.js')), loadLaterWords()])
    .then(([restoring]) => restoring.offerRestore(id, title))
    .catch((error: unknown) => console.warn(error));
}
