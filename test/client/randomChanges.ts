/** Random changes to a board as a client shows it: they name what is there, and sometimes what is not. */
import type { ChangeArguments, ChangeName, FullBoard } from '../../src/client/index.js';
import { UNKNOWN_ID } from '../domain/scenario.js';

export type Pick = <T>(candidates: readonly T[]) => T;

export type RandomChange = { [Name in ChangeName]: { readonly name: Name; readonly args: ChangeArguments<Name> } }[ChangeName];

interface Ids {
  readonly board: string;
  readonly columns: readonly string[];
  readonly cards: readonly string[];
  readonly labels: readonly string[];
  readonly checklists: readonly string[];
  readonly items: readonly string[];
  readonly attachments: readonly string[];
  readonly users: readonly string[];
}

type Plan<Name extends ChangeName> = (pick: Pick, ids: Ids) => ChangeArguments<Name>;

const TEXTS = ['a', 'b', 'ç', 'long '.repeat(20).trim()];
const ADDRESSES = ['https://example.org/', `https://example.org/${'long/'.repeat(80)}`];
const POSITIONS = [0, 0, 1, 2, 3, 1e9];
const userIds = (pick: Pick, { users }: Ids): string[] => {
  const [first, second] = [pick(users), pick(users)];
  return pick([[first], [second], [first, second, first], []]);
};
/** Given or not. */
const maybe = <Field extends string, T>(pick: Pick, name: Field, values: readonly T[]): { [F in Field]?: T } =>
  pick([true, false]) ? ({ [name]: pick(values) } as { [F in Field]?: T }) : {};

const PLANS: { readonly [Name in ChangeName]: Plan<Name> } = {
  'board.update': (pick, { board }) => [{ board_id: board }, { ...maybe(pick, 'title', TEXTS), ...maybe(pick, 'description', [null, 'text']) }],
  'column.create': (pick, { board }) => [
    { board_id: board },
    { title: pick(TEXTS), ...maybe(pick, 'color', ['#fff']), ...maybe(pick, 'position', POSITIONS) },
  ],
  'column.update': (pick, { columns }) => [{ column_id: pick(columns) }, maybe(pick, 'title', TEXTS)],
  'column.move': (pick, { columns }) => [{ column_id: pick(columns) }, { position: pick(POSITIONS) }],
  'column.delete': (pick, { columns }) => [{ column_id: pick(columns) }],
  'column.archive': (pick, { columns }) => [{ column_id: pick(columns) }],
  'card.create': (pick, { board, columns }) => [
    { board_id: board, column_id: pick(columns) },
    { title: pick(TEXTS), ...maybe(pick, 'description', ['text']), ...maybe(pick, 'position', POSITIONS) },
  ],
  'card.update': (pick, { cards }) => [{ card_id: pick(cards) }, maybe(pick, 'title', TEXTS)],
  'card.move': (pick, { cards, columns }) => {
    const position = maybe(pick, 'position', POSITIONS);
    return [{ card_id: pick(cards) }, pick([{ column_id: pick(columns), ...position }, { position: pick(POSITIONS) }])];
  },
  'card.delete': (pick, { cards }) => [{ card_id: pick(cards) }],
  'card.archive': (pick, { cards }) => [{ card_id: pick(cards) }],
  'card.assign': (pick, ids) => [{ card_id: pick(ids.cards) }, { user_ids: userIds(pick, ids) }],
  'card.unassign': (pick, { cards, users }) => [{ card_id: pick(cards), user_id: pick(users) }],
  'card.addLabel': (pick, { cards, labels }) => [{ card_id: pick(cards), label_id: pick(labels) }],
  'card.removeLabel': (pick, { cards, labels }) => [{ card_id: pick(cards), label_id: pick(labels) }],
  'label.create': (pick, { board }) => [{ board_id: board }, { name: pick(TEXTS), ...maybe(pick, 'color', ['red']) }],
  'label.update': (pick, { labels }) => [{ label_id: pick(labels) }, { name: pick(TEXTS) }],
  'label.delete': (pick, { labels }) => [{ label_id: pick(labels) }],
  'checklist.create': (pick, { cards }) => [{ card_id: pick(cards) }, { title: pick(TEXTS) }],
  'checklist.update': (pick, { checklists }) => [{ checklist_id: pick(checklists) }, { title: pick(TEXTS) }],
  'checklist.move': (pick, { checklists }) => [{ checklist_id: pick(checklists) }, { position: pick(POSITIONS) }],
  'checklist.delete': (pick, { checklists }) => [{ checklist_id: pick(checklists) }],
  'item.create': (pick, { checklists }) => [{ checklist_id: pick(checklists) }, { content: pick(TEXTS) }],
  'item.update': (pick, { items }) => [{ item_id: pick(items) }, { is_done: pick([true, false]) }],
  'item.move': (pick, { items, checklists }) => [{ item_id: pick(items) }, { position: pick(POSITIONS), ...maybe(pick, 'checklist_id', checklists) }],
  'item.delete': (pick, { items }) => [{ item_id: pick(items) }],
  'item.assign': (pick, ids) => [{ item_id: pick(ids.items) }, { user_ids: userIds(pick, ids) }],
  'item.unassign': (pick, { items, users }) => [{ item_id: pick(items), user_id: pick(users) }],
  'comment.create': (pick, { cards }) => [{ card_id: pick(cards) }, { body: pick(TEXTS) }],
  // A board does not have the ids of its comments.
  'comment.update': (pick) => [{ comment_id: UNKNOWN_ID }, { body: pick(TEXTS) }],
  'comment.delete': () => [{ comment_id: UNKNOWN_ID }],
  'attachment.create': (pick, { cards }) => [{ card_id: pick(cards) }, { url: pick(ADDRESSES), ...maybe(pick, 'title', [null, 'text']) }],
  'attachment.delete': (pick, { attachments }) => [{ attachment_id: pick(attachments) }],
};

export const CHANGE_NAMES = Object.keys(PLANS) as readonly ChangeName[];
/** What takes something off a board is rarer, so that boards fill up. */
const BUILDING = CHANGE_NAMES.filter((name) => !/\.(delete|archive)$/.test(name));

export function randomChange(board: FullBoard, pick: Pick, name = pick([...CHANGE_NAMES, ...BUILDING, ...BUILDING])): RandomChange {
  const plan: Plan<ChangeName> = PLANS[name];
  return { name, args: plan(pick, idsOn(board)) } as RandomChange;
}

/** Each list includes an unknown id, so a pick is always possible and sometimes wrong. */
function idsOn(board: FullBoard): Ids {
  const idsOf = (list: ReadonlyArray<{ readonly id: string }>): string[] => {
    const ids = list.map(({ id }) => id);
    return [...ids, ...ids, ...ids, UNKNOWN_ID];
  };
  const cards = board.columns.flatMap((column) => column.cards);
  const checklists = cards.flatMap((card) => card.checklists);
  return {
    board: board.id,
    columns: idsOf(board.columns),
    cards: idsOf(cards),
    labels: idsOf(board.labels),
    checklists: idsOf(checklists),
    items: idsOf(checklists.flatMap(({ items }) => items)),
    attachments: idsOf(cards.flatMap(({ attachments }) => attachments)),
    users: idsOf(board.members.map(({ user }) => user)),
  };
}
