/** What the user has changed and the service has not: waiting to be sent, or refused. */
import { signal } from '@preact/signals';
import type { KeptChange } from '../../client/index.js';
import { askBeforeLeaving } from './leaving.js';
import { notify } from './notices.js';
import { client } from './session.js';

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
  notify('failure', 'This browser cannot keep your changes. Leave the page open until they are saved.');
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

const THINGS: Readonly<Record<string, string>> = {
  board: 'Board',
  column: 'Column',
  card: 'Card',
  label: 'Label',
  checklist: 'Checklist',
  item: 'Item of a checklist',
  attachment: 'File',
};
const DEEDS: Readonly<Record<string, string>> = {
  create: 'added',
  update: 'changed',
  move: 'moved',
  delete: 'deleted',
  assign: 'given to people',
  unassign: 'taken from somebody',
  addLabel: 'labelled',
  removeLabel: 'without a label',
};

/** For example "Card added". */
export function deedOf({ name }: KeptChange): string {
  const [thing = '', deed = ''] = name.split('.');
  return `${THINGS[thing] ?? thing} ${DEEDS[deed] ?? deed}`;
}

/** Everything as one text, to be kept elsewhere. */
export function writtenOut(changes: readonly KeptChange[]): string {
  return changes
    .map((change) => {
      const lines = [`${deedOf(change)}, ${new Date(change.madeAt).toLocaleString()}, board ${change.boardId}`];
      if (change.refusal !== null) lines.push(`Not saved: ${change.refusal.detail}`);
      const text = textOf(change);
      if (text !== '') lines.push('', text);
      return lines.join('\n');
    })
    .join('\n\n---\n\n');
}
