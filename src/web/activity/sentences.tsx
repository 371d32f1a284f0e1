/** What an entry of the activity says, as a sentence. */
import type { ComponentChildren } from 'preact';
import type { Activity, FullBoard } from '../../client/index.js';
import { nameOf } from '../state/people.js';
import { catalogue, say, sayWith, type Key, type PlainKey } from '../words/catalogue.js';

/** Everything that a sentence may name. */
interface Named {
  readonly who: ComponentChildren;
  readonly what: ComponentChildren;
  /** The card, or what else is changed if it is on none. */
  readonly card: ComponentChildren;
}

/** Facts of which only the kind matters. */
const SENTENCES = {
  'card.archived': 'activity.say.archived',
  'card.restored': 'activity.say.restored',
  'column.archived': 'activity.say.archived',
  'column.restored': 'activity.say.restored',
  'column.created': 'activity.say.columnCreated',
  'column.moved': 'activity.say.columnMoved',
  'column.deleted': 'activity.say.columnDeleted',
  'label.created': 'activity.say.labelCreated',
  'label.deleted': 'activity.say.labelDeleted',
  'checklist.created': 'activity.say.checklistCreated',
  'checklist.moved': 'activity.say.partMoved',
  'checklist.deleted': 'activity.say.partDeleted',
  'checklist_item.created': 'activity.say.itemCreated',
  'checklist_item.moved': 'activity.say.partMoved',
  'checklist_item.deleted': 'activity.say.partDeleted',
  'attachment.created': 'activity.say.fileCreated',
  'attachment.deleted': 'activity.say.partDeleted',
  'comment.created': 'activity.say.commentCreated',
  'comment.updated': 'activity.say.commentUpdated',
  'comment.deleted': 'activity.say.commentDeleted',
  'board.member_added': 'activity.say.memberAdded',
  'rule.created': 'activity.say.ruleCreated',
  'rule.deleted': 'activity.say.ruleDeleted',
} as const satisfies Record<string, Key>;

const FIELDS: Readonly<Record<string, PlainKey>> = {
  title: 'activity.field.title',
  name: 'activity.field.title',
  content: 'activity.field.content',
  description: 'activity.field.description',
  start_at: 'activity.field.start',
  due_at: 'activity.field.due',
  completed_at: 'activity.field.completed',
  reminder_minutes: 'activity.field.reminder',
  color: 'activity.field.color',
  cover: 'activity.field.cover',
  icon: 'activity.field.icon',
  is_done_column: 'activity.field.done',
};

export function sentenceOf(entry: Activity, board: FullBoard): ComponentChildren {
  const { kind, before = {}, after = {}, name = '', card_title } = entry;
  const who = <strong dir="auto">{whoDid(entry)}</strong>;
  const what = <bdi>{name}</bdi>;
  const card = card_title === undefined ? what : <bdi>{card_title}</bdi>;
  const named: Named = { who, what, card };
  const people = [before, after].flatMap(({ assignee_ids }) => idsIn(assignee_ids)).map((id) => personOf(board, id));
  const labels = [before, after].flatMap(({ label_ids }) => idsIn(label_ids)).map((id) => labelOf(board, id));
  switch (kind) {
    case 'card.deleted':
      return sayWith(entry.moved === true ? 'activity.say.cardLeft' : 'activity.say.cardDeleted', named);
    case 'card.created':
      return sayWith(entry.moved === true ? 'activity.say.cardArrived' : 'activity.say.cardCreated', {
        ...named,
        column: <bdi>{columnOf(board, after['column_id'])}</bdi>,
      });
    case 'card.moved':
      return after['column_id'] === undefined
        ? sayWith('activity.say.cardMovedWithin', named)
        : sayWith('activity.say.cardMoved', {
            ...named,
            from: <bdi>{columnOf(board, before['column_id'])}</bdi>,
            to: <bdi>{columnOf(board, after['column_id'])}</bdi>,
          });
    case 'card.labeled':
      return sayWith('activity.say.labeled', { ...named, labels: <bdi>{listOf(labels)}</bdi> });
    case 'card.unlabeled':
      return sayWith('activity.say.unlabeled', { ...named, labels: <bdi>{listOf(labels)}</bdi> });
    case 'card.assigned':
    case 'checklist_item.assigned':
      return sayWith('activity.say.assigned', { ...named, people: <bdi>{listOf(people)}</bdi> });
    case 'card.unassigned':
    case 'checklist_item.unassigned':
      return sayWith('activity.say.unassigned', { ...named, people: <bdi>{listOf(people)}</bdi> });
    case 'board.member_removed':
      return entry.user?.id === entry.id || entry.user_name === name
        ? sayWith('activity.say.memberLeft', named)
        : sayWith('activity.say.memberRemoved', named);
    default:
      return isPlain(kind) ? sayWith(SENTENCES[kind], named) : changeOf(entry, named);
  }
}

function isPlain(kind: string): kind is keyof typeof SENTENCES {
  return Object.hasOwn(SENTENCES, kind);
}

function changeOf({ kind, before = {}, after = {}, omitted = [] }: Activity, named: Named): ComponentChildren {
  if (after['role'] !== undefined) return sayWith('activity.say.role', named);
  if (after['is_done'] === true) return sayWith('activity.say.ticked', named);
  if (after['is_done'] === false) return sayWith('activity.say.unticked', named);
  const fields = [...Object.keys(after), ...omitted];
  const title = before['title'] ?? before['name'];
  if (fields.length === 1 && typeof title === 'string') return sayWith('activity.say.renamed', { ...named, before: <bdi>{title}</bdi> });
  const words = fields.flatMap((field) => (FIELDS[field] === undefined ? [] : [say(FIELDS[field])]));
  if (kind === 'rule.updated') return sayWith(ruleChange(after), named);
  if (words.length === 0 || !kind.endsWith('.updated')) return sayWith('activity.say.changed', named);
  return sayWith('activity.say.updated', { ...named, fields: listOf(words) });
}

/** What a rule does is read in the list of rules. */
function ruleChange(after: NonNullable<Activity['after']>): 'activity.say.ruleUpdated' | 'activity.say.ruleOn' | 'activity.say.ruleOff' {
  const isOn = Object.keys(after).length === 1 ? after['is_enabled'] : undefined;
  return isOn === undefined ? 'activity.say.ruleUpdated' : isOn === true ? 'activity.say.ruleOn' : 'activity.say.ruleOff';
}

function whoDid({ user, user_name, by_rule }: Activity): string {
  if (by_rule !== undefined) return say('activity.rule', { name: by_rule.name });
  return user === null ? (user_name ?? say('activity.service')) : nameOf(user);
}

function idsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function columnOf(board: FullBoard, id: unknown): string {
  return board.columns.find((column) => column.id === id)?.title ?? say('activity.goneColumn');
}

function labelOf(board: FullBoard, id: string): string {
  return board.labels.find((label) => label.id === id)?.name ?? say('activity.goneLabel');
}

function personOf(board: FullBoard, id: string): string {
  const member = board.members.find(({ user_id }) => user_id === id);
  return member === undefined ? say('activity.gonePerson') : nameOf(member.user);
}

function listOf(words: readonly string[]): string {
  return new Intl.ListFormat(catalogue.value.locale).format(words);
}
