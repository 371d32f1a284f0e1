/** What the user has changed and the service has not: waiting to be sent, or refused. */
import { signal } from '@preact/signals';
import type { KeptChange } from '../../client/index.js';
import { askBeforeLeaving } from './leaving.js';
import { notify } from './notices.js';
import { exactTime } from './relativeTime.js';
import { client } from './session.js';
import { say, type PlainKey } from '../words/catalogue.js';

export const waiting = signal<readonly KeptChange[]>([]);
export const refused = signal<readonly KeptChange[]>([]);

const { unsent } = client;

unsent.on('change', () => {
  waiting.value = unsent.waiting;
  refused.value = unsent.refused;
  askBeforeLeaving('unsent', unsent.isUnsafe);
});

let isReported = false;
unsent.on('unsafe', () => {
  askBeforeLeaving('unsent', unsent.isUnsafe);
  if (isReported) return;
  isReported = true;
  notify('failure', say('unsaved.browserCannot'));
});

/** What is under way is given a moment. Answers whether nothing is left. */
const SENT_MS = 2_000;

export async function whenSent(): Promise<boolean> {
  const isEmpty = (): boolean => waiting.value.length + refused.value.length === 0;
  if (waiting.value.length === 0) return isEmpty();
  await new Promise<void>((resolve) => {
    const timer = setTimeout(end, SENT_MS);
    const stop = waiting.subscribe((left) => left.length === 0 && queueMicrotask(end));
    function end(): void {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });
  return isEmpty();
}

/** What was typed, for people. */
export function textOf({ args }: KeptChange): string {
  const fields = args.at(-1);
  if (typeof fields !== 'object' || fields === null) return '';
  const texts = ['title', 'name', 'content', 'description'].map((name) => (fields as Readonly<Record<string, unknown>>)[name]);
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n\n');
}

const THINGS: Readonly<Record<string, PlainKey>> = {
  board: 'thing.board',
  column: 'thing.column',
  card: 'thing.card',
  label: 'thing.label',
  checklist: 'thing.checklist',
  item: 'thing.item',
  attachment: 'thing.attachment',
};
const DEEDS: Readonly<Record<string, PlainKey>> = {
  create: 'deed.create',
  update: 'deed.update',
  move: 'deed.move',
  delete: 'deed.delete',
  assign: 'deed.assign',
  unassign: 'deed.unassign',
  addLabel: 'deed.addLabel',
  removeLabel: 'deed.removeLabel',
};

/** For example "Card added". */
export function deedOf({ name }: KeptChange): string {
  const [thing = '', deed = ''] = name.split('.');
  const [known, done] = [THINGS[thing], DEEDS[deed]];
  return say('unsaved.deed', { thing: known === undefined ? thing : say(known), deed: done === undefined ? deed : say(done) });
}

/** Everything as one text, to be kept elsewhere. */
export function writtenOut(changes: readonly KeptChange[]): string {
  return changes
    .map((change) => {
      const time = exactTime(new Date(change.madeAt).toISOString());
      const lines = [say('unsaved.exported', { what: deedOf(change), time, board: change.boardId })];
      if (change.refusal !== null) lines.push(say('openBoard.notSaved', { reason: change.refusal.detail }));
      const text = textOf(change);
      if (text !== '') lines.push('', text);
      return lines.join('\n');
    })
    .join('\n\n---\n\n');
}
