/** Events in words, for people in a chat. */
import type { EventType } from '../domain/events.js';
import type { Uuid } from '../domain/ids.js';

/** Longer titles are cut. */
const MAX_NAME_CHARACTERS = 200;

interface Wording {
  readonly verb: string;
  readonly noun: string;
}

const WORDS: { readonly [Type in EventType]: Wording } = {
  'board.updated': { verb: 'changed', noun: 'the board' },
  'board.deleted': { verb: 'deleted', noun: 'the board' },
  'board.member_added': { verb: 'added', noun: 'the member' },
  'board.member_removed': { verb: 'removed', noun: 'the member' },
  'column.created': { verb: 'added', noun: 'the column' },
  'column.updated': { verb: 'changed', noun: 'the column' },
  'column.deleted': { verb: 'deleted', noun: 'the column' },
  'column.moved': { verb: 'moved', noun: 'the column' },
  'column.archived': { verb: 'archived', noun: 'the column' },
  'column.restored': { verb: 'restored', noun: 'the column' },
  'card.created': { verb: 'added', noun: 'the card' },
  'card.updated': { verb: 'changed', noun: 'the card' },
  'card.deleted': { verb: 'deleted', noun: 'the card' },
  'card.moved': { verb: 'moved', noun: 'the card' },
  'card.labeled': { verb: 'labelled', noun: 'the card' },
  'card.unlabeled': { verb: 'took a label off', noun: 'the card' },
  'card.assigned': { verb: 'assigned', noun: 'the card' },
  'card.unassigned': { verb: 'unassigned', noun: 'the card' },
  'card.archived': { verb: 'archived', noun: 'the card' },
  'card.restored': { verb: 'restored', noun: 'the card' },
  'label.created': { verb: 'added', noun: 'the label' },
  'label.updated': { verb: 'changed', noun: 'the label' },
  'label.deleted': { verb: 'deleted', noun: 'the label' },
  'checklist.created': { verb: 'added', noun: 'the checklist' },
  'checklist.updated': { verb: 'changed', noun: 'the checklist' },
  'checklist.deleted': { verb: 'deleted', noun: 'the checklist' },
  'checklist.moved': { verb: 'moved', noun: 'the checklist' },
  'checklist_item.created': { verb: 'added', noun: 'the item' },
  'checklist_item.updated': { verb: 'changed', noun: 'the item' },
  'checklist_item.deleted': { verb: 'deleted', noun: 'the item' },
  'checklist_item.moved': { verb: 'moved', noun: 'the item' },
  'checklist_item.assigned': { verb: 'assigned', noun: 'the item' },
  'checklist_item.unassigned': { verb: 'unassigned', noun: 'the item' },
  'attachment.created': { verb: 'attached', noun: 'the file' },
  'attachment.deleted': { verb: 'removed', noun: 'the file' },
  'comment.created': { verb: 'wrote', noun: 'the comment' },
  'comment.updated': { verb: 'changed', noun: 'the comment' },
  'comment.deleted': { verb: 'deleted', noun: 'the comment' },
  'rule.created': { verb: 'added', noun: 'the rule' },
  'rule.updated': { verb: 'changed', noun: 'the rule' },
  'rule.deleted': { verb: 'deleted', noun: 'the rule' },
};

/** Of a kind that a newer program in the cluster has written: the thing by its kind, without what was done to it. */
function wordingOf(type: string): Wording {
  if (Object.hasOwn(WORDS, type)) return WORDS[type as EventType];
  const [thing] = type.split('.');
  const [, known] = Object.entries(WORDS).find(([each]) => each.startsWith(`${thing}.`)) ?? [];
  return { verb: 'changed', noun: known?.noun ?? 'something' };
}

/** An event, or what stands in its place. */
export interface Told {
  readonly type: EventType | 'resync' | 'test';
  readonly user_id: Uuid | null;
  readonly data: object;
}

export interface Surroundings {
  /** Empty if it is not known. */
  readonly board_title: string;
  readonly names: Readonly<Record<Uuid, string>>;
}

/** A title and a sentence, as plain text. */
export function inWords({ type, user_id, data }: Told, { board_title, names }: Surroundings): { readonly title: string; readonly sentence: string } {
  const title = board_title === '' ? 'Switchboard' : cut(board_title);
  if (type === 'test') return { title, sentence: 'This is a test of the webhook.' };
  if (type === 'resync') return { title, sentence: 'Several changes were made that are too old or too large to be listed.' };
  const actor = user_id === null ? 'A rule' : cut(names[user_id] ?? 'Someone');
  const { verb, noun } = wordingOf(type);
  const name = nameIn(data);
  return { title, sentence: `${actor} ${verb} ${noun}${name === '' || type === 'board.updated' ? '' : ` “${cut(name)}”`}.` };
}

/** Whatever a record is called by. */
function nameIn(data: object): string {
  const { title, name, content, body, user } = data as Readonly<Record<string, unknown>>;
  const username = typeof user === 'object' && user !== null && 'username' in user ? user.username : undefined;
  for (const text of [title, name, content, body, username]) if (typeof text === 'string') return text;
  return '';
}

function cut(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= MAX_NAME_CHARACTERS ? line : `${characters.slice(0, MAX_NAME_CHARACTERS - 1).join('')}…`;
}

/** Separates what a chat would take for a mention or a link, and is not seen. */
const BREAK = '\u200b';

/**
 * Slack reads `<…>` as links and mentions. Mattermost and Discord, which take the same form, also read `@all` and
 * `[text](link)`.
 */
export function escapeForSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('@', `@${BREAK}`).replaceAll('](', `]${BREAK}(`);
}
