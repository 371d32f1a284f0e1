/** The way to the copies of cards and columns, which is loaded when it is first needed. */
import { loadPart } from '../page/loadPart.js';
import { attempt } from '../state/notices.js';
import { loadLaterWords } from '../words/language.js';
import { say } from '../words/catalogue.js';

type Copying = typeof import('./copying.js').COPYING;

export function copy(work: (copying: Copying) => Promise<void>): void {
  void attempt(say('common.copy'), async () => {
    await work(await loadCopying());
  });
}

export async function loadCopying(): Promise<Copying> {
  const [{ COPYING }] = await Promise.all([loadPart(() => import('./copying.js')), loadLaterWords()]);
  return COPYING;
}
