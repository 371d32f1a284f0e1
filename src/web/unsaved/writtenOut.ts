import type { KeptChange } from '../../client/index.js';
import { exactTime } from '../state/relativeTime.js';
import { deedOf, refusalOf, settingsOf, textOf } from '../state/unsaved.js';
import { say } from '../words/catalogue.js';

/** Changes as one text, to be kept elsewhere. */
export function writtenOut(changes: readonly KeptChange[]): string {
  return changes
    .map((change) => {
      const time = exactTime(new Date(change.madeAt).toISOString());
      const lines = [say('unsaved.exported', { what: deedOf(change), time, board: change.about?.boardTitle ?? change.boardId })];
      if (change.about !== undefined) lines.push(change.about.title);
      if (change.refusal !== null) lines.push(say('openBoard.notSaved', { reason: refusalOf(change) }));
      lines.push(...settingsOf(change));
      const text = textOf(change);
      if (text !== '') lines.push('', text);
      return lines.join('\n');
    })
    .join('\n\n---\n\n');
}
