/** What the user has changed and the service has not: waiting to be sent, or refused. */
import { signal } from '@preact/signals';
import { OvertakenChange, StaleChange, type KeptChange } from '../../client/index.js';
import { askBeforeLeaving } from './leaving.js';
import { notify } from './notices.js';
import { formatDate } from '../dates/dates.js';
import { client } from './session.js';
import { formatNumber, say, spoken, type PlainKey } from '../words/catalogue.js';

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

/** What was typed, for people. */
export function textOf(change: KeptChange): string {
  const fields = fieldsOf(change);
  const texts = ['title', 'name', 'content', 'description', 'body', 'url'].map((name) => fields[name]);
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n\n');
}

const DATES = { start_at: 'dates.start', due_at: 'dates.due', completed_at: 'dates.completed' } as const;
/** What `named` is in changes that name something besides their target. */
const NAMED: Readonly<Partial<Record<KeptChange['name'], PlainKey>>> = {
  'card.update': 'cover.title',
  'card.move': 'thing.column',
  'item.move': 'thing.checklist',
  'card.addLabel': 'thing.label',
  'card.removeLabel': 'thing.label',
  'card.assign': 'unsaved.people',
  'card.unassign': 'unsaved.people',
  'item.assign': 'unsaved.people',
  'item.unassign': 'unsaved.people',
};

/** What was set and not typed, for people: dates, colours, a cover, a place. */
export function settingsOf(change: KeptChange): readonly string[] {
  const fields = fieldsOf(change);
  const lines: string[] = [];
  const add = (what: string, value: string): void => void lines.push(say('unsaved.set', { what, value }));
  for (const [name, key] of Object.entries(DATES)) {
    const date = fields[name];
    if (date !== undefined) add(say(key), typeof date === 'string' ? formatDate(date) : say('unsaved.none'));
  }
  const { cover, color, position } = fields;
  if (cover === null) add(say('cover.title'), say('unsaved.none'));
  const shade = typeof cover === 'object' && cover !== null && 'color' in cover ? cover.color : color;
  if (typeof shade === 'string') add(say('cover.color'), shade);
  const [named, what] = [change.about?.named, NAMED[change.name]];
  if (named !== undefined && what !== undefined) add(say(what), named);
  if (typeof position === 'number' && change.name.endsWith('.move')) add(say('move.position'), formatNumber(position + 1));
  return lines;
}

/** Of the input of a change, if it has one. */
function fieldsOf({ args }: KeptChange): Readonly<Record<string, unknown>> {
  const fields = args.at(-1);
  return typeof fields === 'object' && fields !== null ? { ...fields } : {};
}

const THINGS: Readonly<Record<string, PlainKey>> = {
  board: 'thing.board',
  column: 'thing.column',
  card: 'thing.card',
  label: 'thing.label',
  checklist: 'thing.checklist',
  item: 'thing.item',
  attachment: 'thing.attachment',
  comment: 'thing.comment',
};
const DEEDS: Readonly<Record<string, PlainKey>> = {
  create: 'deed.create',
  update: 'deed.update',
  move: 'deed.move',
  delete: 'deed.delete',
  archive: 'deed.archive',
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

/** What the client says in English. */
const OWN_REASONS: ReadonlyMap<string, PlainKey> = new Map<string, PlainKey>([
  [new StaleChange().message, 'unsaved.stale'],
  [new OvertakenChange().message, 'unsaved.overtaken'],
]);

/** Why it was not made, for people. */
export function refusalOf({ refusal }: KeptChange): string {
  if (refusal === null) return '';
  return refusal.status === 0 ? say(OWN_REASONS.get(refusal.detail) ?? 'common.unreachable') : spoken(refusal.detail);
}
