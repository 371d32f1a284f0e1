/** The parts of a Trello export that are read. Everything else is ignored. */
import * as v from 'valibot';

const text = () => v.nullish(v.string(), '');
const flag = () => v.nullish(v.boolean(), false);
const ids = () => v.nullish(v.array(v.string()), []);
/** Trello orders by numbers; a few old boards lack them. */
const position = () => v.nullish(v.number(), null);
const listOf = <S extends v.GenericSchema>(schema: S) => v.nullish(v.array(schema), []);

const TrelloCard = v.object({
  id: text(),
  name: text(),
  desc: text(),
  idList: v.string(),
  closed: flag(),
  pos: position(),
  cover: v.nullish(v.object({ color: v.nullish(v.string(), null), idAttachment: v.nullish(v.string(), null) }), null),
  idShort: v.nullish(v.number(), null),
  idLabels: ids(),
  idMembers: ids(),
  idChecklists: ids(),
  due: v.nullish(v.string(), null),
  start: v.nullish(v.string(), null),
  dueReminder: v.nullish(v.number(), null),
  dueComplete: flag(),
  dateLastActivity: v.nullish(v.string(), null),
  attachments: listOf(v.object({ name: text(), url: text(), isUpload: v.nullish(v.boolean(), null) })),
});

const TrelloChecklist = v.object({
  id: v.string(),
  name: text(),
  pos: position(),
  checkItems: listOf(
    v.object({ name: text(), state: text(), pos: position(), idMember: v.nullish(v.string(), null), due: v.nullish(v.string(), null) }),
  ),
});

/** Of most kinds only that they are there. */
const TrelloAction = v.object({
  type: text(),
  date: v.nullish(v.string(), null),
  data: v.nullish(v.object({ text: text(), card: v.nullish(v.object({ id: text() }), null) }), null),
  memberCreator: v.nullish(v.object({ id: text(), fullName: text(), username: text() }), null),
});

export const TrelloBoard = v.object({
  name: text(),
  desc: text(),
  lists: v.array(v.object({ id: v.string(), name: text(), closed: flag(), pos: position() })),
  cards: v.array(TrelloCard),
  labels: listOf(v.object({ id: v.string(), name: text(), color: v.nullish(v.string(), null) })),
  checklists: listOf(TrelloChecklist),
  members: listOf(v.object({ id: v.string(), fullName: text(), username: text(), email: v.nullish(v.string(), null) })),
  memberships: listOf(v.object({ idMember: v.string(), memberType: text() })),
  actions: listOf(TrelloAction),
  customFields: listOf(v.unknown()),
});

export type TrelloBoard = v.InferOutput<typeof TrelloBoard>;
export type TrelloAction = v.InferOutput<typeof TrelloAction>;
export type TrelloCard = TrelloBoard['cards'][number];
export type TrelloAttachment = TrelloCard['attachments'][number];

/** Trello exports name no format; these fields are in them and not in ours. */
export function isTrelloExport(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || 'format' in value) return false;
  return 'lists' in value && Array.isArray(value.lists) && 'cards' in value && Array.isArray(value.cards);
}

/** The number of lists, cards, items and actions in an export, even if it is invalid. */
export function countTrelloThings(value: unknown): number {
  const { lists, cards, checklists, actions } = value as Readonly<Record<string, unknown>>;
  const items = listOr(checklists).map((checklist) => (checklist as { checkItems?: unknown } | null)?.checkItems);
  return [lists, cards, actions, ...items].reduce<number>((sum, list) => sum + listOr(list).length, 0);
}

function listOr(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
