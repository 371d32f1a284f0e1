/** The effect of each command on the model of a board. Access and existence were checked before. */
import type { BoardCommands, BoardOperation } from '../../../src/domain/commands/commands.js';
import type { RuleFields } from '../../../src/domain/model.js';
import type { ErrorCode } from '../../../src/domain/errors.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { ModelBoard, ModelCard, ModelChecklist, ModelColumn, ModelItem } from './boardModel.js';

export class ModelRefusal extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

interface Working<Op extends BoardOperation, Thing> {
  find(board: ModelBoard, id: Uuid): Thing | undefined;
  run(board: ModelBoard, thing: Thing, input: BoardCommands[Op], newId: Uuid): void;
}

function on<Op extends BoardOperation, Thing>(_op: Op, find: Working<Op, Thing>['find'], run: Working<Op, Thing>['run']): Working<Op, Thing> {
  return { find, run };
}

interface Identified {
  readonly id: Uuid;
}

/** An entry with the list that contains it. */
interface Placed<Thing extends Identified> {
  readonly thing: Thing;
  readonly list: Thing[];
}

function placed<Thing extends Identified>(lists: readonly Thing[][], id: Uuid): Placed<Thing> | undefined {
  for (const list of lists) {
    const thing = list.find((other) => other.id === id);
    if (thing !== undefined) return { thing, list };
  }
  return undefined;
}

const theBoard = (board: ModelBoard, id: Uuid): ModelBoard | undefined => (board.id === id ? board : undefined);
const column = (board: ModelBoard, id: Uuid) => placed([board.columns], id);
const label = (board: ModelBoard, id: Uuid) => placed([board.labels], id);
const rule = (board: ModelBoard, id: Uuid) => placed([board.rules], id);
const card = (board: ModelBoard, id: Uuid) =>
  placed(
    board.columns.map(({ cards }) => cards),
    id,
  );
const checklist = (board: ModelBoard, id: Uuid) =>
  placed(
    everyCard(board).map(({ checklists }) => checklists),
    id,
  );
const item = (board: ModelBoard, id: Uuid) =>
  placed(
    everyChecklist(board).map(({ items }) => items),
    id,
  );

function attachment(board: ModelBoard, id: Uuid): ModelCard | undefined {
  return everyCard(board).find(({ attachments }) => attachments.includes(id));
}

function everyCard(board: ModelBoard): ModelCard[] {
  return board.columns.flatMap(({ cards }) => cards);
}

function everyChecklist(board: ModelBoard): ModelChecklist[] {
  return everyCard(board).flatMap(({ checklists }) => checklists);
}

function everyAssignable(board: ModelBoard): (ModelCard | ModelItem)[] {
  return [...everyCard(board), ...everyChecklist(board).flatMap(({ items }) => items)];
}

function insert<Thing>(list: Thing[], thing: Thing, position: number | null): void {
  list.splice(Math.min(position ?? list.length, list.length), 0, thing);
}

function take<Thing>(list: Thing[], thing: Thing): void {
  list.splice(list.indexOf(thing), 1);
}

function orRefuse<Thing>(thing: Thing | undefined, code: ErrorCode = 'not_found'): Thing {
  if (thing === undefined) throw new ModelRefusal(code);
  return thing;
}

function assignOf(board: ModelBoard, thing: ModelCard | ModelItem, users: readonly Uuid[]): void {
  for (const user of users)
    orRefuse(
      board.members.find(({ id }) => id === user),
      'forbidden',
    );
  for (const user of users) if (!thing.assignees.includes(user)) thing.assignees.push(user);
}

function unassignOf(thing: ModelCard | ModelItem, user: Uuid): void {
  take(thing.assignees, orRefuse(thing.assignees.find((id) => id === user)));
}

function checkRule(board: ModelBoard, fields: RuleFields): void {
  const { trigger_type, action_type, trigger_column_id, trigger_label_id, action_column_id, action_user_id } = fields;
  const incomplete =
    (trigger_type === 'CARD_MOVED' && trigger_column_id === null) ||
    (trigger_type === 'LABEL_ADDED' && trigger_label_id === null) ||
    (action_type === 'MOVE_TO_COLUMN' && action_column_id === null) ||
    (action_type === 'ASSIGN_MEMBER' && action_user_id === null);
  if (incomplete) throw new ModelRefusal('invalid');
  for (const id of [trigger_column_id, action_column_id]) if (id !== null) orRefuse(column(board, id));
  if (trigger_label_id !== null) orRefuse(label(board, trigger_label_id));
  if (action_user_id !== null)
    orRefuse(
      board.members.find(({ id }) => id === action_user_id),
      'forbidden',
    );
}

function forgetInRules(board: ModelBoard, gone: Uuid): void {
  const fields = ['trigger_column_id', 'trigger_label_id', 'action_column_id', 'action_user_id'] as const;
  board.rules = board.rules.map((known) => {
    const lost = fields.filter((field) => known[field] === gone);
    if (lost.length === 0) return known;
    return { ...known, ...Object.fromEntries(lost.map((field) => [field, null])), is_enabled: false };
  });
}

function automate(board: ModelBoard, moved: ModelCard, holds: (rule: RuleFields) => boolean): void {
  for (const { is_enabled, action_type, action_column_id, action_user_id } of board.rules.filter(holds)) {
    if (!is_enabled) continue;
    if (action_type === 'ASSIGN_MEMBER') assignOf(board, moved, [orRefuse(action_user_id ?? undefined)]);
    const home = orRefuse(board.columns.find(({ cards }) => cards.includes(moved)));
    if (action_type !== 'MOVE_TO_COLUMN' || home.id === action_column_id) continue;
    take(home.cards, moved);
    orRefuse(board.columns.find(({ id }) => id === action_column_id)).cards.push(moved);
  }
}

function lastOwner(board: ModelBoard, user: Uuid): boolean {
  const owners = board.members.filter(({ role }) => role === 'owner');
  return owners.length === 1 && owners[0]?.id === user;
}

export const WORKINGS = {
  'board.update': on('board.update', theBoard, (board, _thing, input) => void Object.assign(board, input)),
  'board.delete': on('board.delete', theBoard, () => undefined),

  'member.add': on('member.add', theBoard, (board, _thing, { user }) => {
    if (user === null) throw new ModelRefusal('not_found');
    if (board.members.some(({ id }) => id === user.id)) throw new ModelRefusal('conflict');
    board.members.push({ id: user.id, role: 'member', user });
  }),
  'member.remove': on('member.remove', theBoard, (board, _thing, { user_id }) => {
    const member = orRefuse(board.members.find(({ id }) => id === user_id));
    if (lastOwner(board, user_id)) throw new ModelRefusal('conflict');
    take(board.members, member);
    for (const thing of everyAssignable(board)) thing.assignees = thing.assignees.filter((id) => id !== user_id);
    forgetInRules(board, user_id);
  }),
  'member.setRole': on('member.setRole', theBoard, (board, _thing, { user_id, role }) => {
    const member = orRefuse(board.members.find(({ id }) => id === user_id));
    if (role === 'member' && lastOwner(board, user_id)) throw new ModelRefusal('conflict');
    member.role = role;
  }),
  'member.refresh': on('member.refresh', theBoard, (board, _thing, { user }) => {
    for (const member of board.members) if (member.id === user.id) member.user = user;
  }),

  'column.create': on('column.create', theBoard, (board, _thing, { title, is_done_column, position }, id) => {
    insert(board.columns, { id, title, is_done_column, cards: [] }, position);
  }),
  'column.update': on('column.update', column, (_board, { thing }, input) => void Object.assign(thing, input)),
  'column.delete': on('column.delete', column, (board, { thing, list }) => {
    take(list, thing);
    forgetInRules(board, thing.id);
  }),
  'column.move': on('column.move', column, (_board, { thing, list }, { position }) => {
    take(list, thing);
    insert(list, thing, position);
  }),

  'card.create': on('card.create', theBoard, (board, _thing, { column_id, title, description, position }, id) => {
    const { cards } = orRefuse(column(board, column_id)).thing;
    const blank = { labels: [], assignees: [], checklists: [], attachments: [] };
    insert(cards, { id, title, description, ...blank }, position);
  }),
  'card.update': on('card.update', card, (_board, { thing }, input) => void Object.assign(thing, input)),
  'card.delete': on('card.delete', card, (_board, { thing, list }) => take(list, thing)),
  'card.move': on('card.move', card, (board, { thing, list }, { column_id, position }) => {
    const target: ModelColumn | undefined = column_id === null ? undefined : orRefuse(column(board, column_id)).thing;
    const cards = target?.cards ?? list;
    take(list, thing);
    insert(cards, thing, position);
    if (target === undefined || cards === list) return;
    automate(board, thing, (known) => known.trigger_type === 'CARD_MOVED' && known.trigger_column_id === target.id);
  }),
  'card.assign': on('card.assign', card, (board, { thing }, { user_ids }) => assignOf(board, thing, user_ids)),
  'card.unassign': on('card.unassign', card, (_board, { thing }, { user_id }) => unassignOf(thing, user_id)),
  'card.addLabel': on('card.addLabel', card, (board, { thing }, { label_id }) => {
    orRefuse(label(board, label_id));
    if (thing.labels.includes(label_id)) return;
    thing.labels.push(label_id);
    automate(board, thing, (known) => known.trigger_type === 'LABEL_ADDED' && known.trigger_label_id === label_id);
  }),
  'card.removeLabel': on('card.removeLabel', card, (_board, { thing }, { label_id }) => {
    take(thing.labels, orRefuse(thing.labels.find((id) => id === label_id)));
  }),

  'label.create': on('label.create', theBoard, (board, _thing, { name }, id) => void board.labels.push({ id, name })),
  'label.update': on('label.update', label, (_board, { thing }, { name }) => {
    if (name !== undefined) thing.name = name;
  }),
  'label.delete': on('label.delete', label, (board, { thing, list }) => {
    take(list, thing);
    for (const one of everyCard(board)) one.labels = one.labels.filter((id) => id !== thing.id);
    forgetInRules(board, thing.id);
  }),

  'checklist.create': on('checklist.create', card, (_board, { thing }, { title }, id) => {
    thing.checklists.push({ id, title, items: [] });
  }),
  'checklist.update': on('checklist.update', checklist, (_board, { thing }, input) => void Object.assign(thing, input)),
  'checklist.delete': on('checklist.delete', checklist, (_board, { thing, list }) => take(list, thing)),
  'checklist.move': on('checklist.move', checklist, (_board, { thing, list }, { position }) => {
    take(list, thing);
    insert(list, thing, position);
  }),

  'item.create': on('item.create', checklist, (_board, { thing }, { content }, id) => {
    thing.items.push({ id, content, is_done: false, assignees: [] });
  }),
  'item.update': on('item.update', item, (_board, { thing }, input) => void Object.assign(thing, input)),
  'item.delete': on('item.delete', item, (_board, { thing, list }) => take(list, thing)),
  'item.move': on('item.move', item, (board, { thing, list }, { checklist_id, position }) => {
    const items = checklist_id === null ? list : orRefuse(checklist(board, checklist_id)).thing.items;
    take(list, thing);
    insert(items, thing, position);
  }),
  'item.assign': on('item.assign', item, (board, { thing }, { user_ids }) => assignOf(board, thing, user_ids)),
  'item.unassign': on('item.unassign', item, (_board, { thing }, { user_id }) => unassignOf(thing, user_id)),

  'attachment.create': on('attachment.create', card, (_board, { thing }, { id }) => void thing.attachments.push(id)),
  'attachment.delete': on('attachment.delete', attachmentPlace, (_board, { attachments, id }) => take(attachments, id)),

  'rule.create': on('rule.create', theBoard, (board, _thing, fields, id) => {
    checkRule(board, fields);
    board.rules.push({ id, ...fields });
  }),
  'rule.update': on('rule.update', rule, (board, { thing }, fields) => {
    if (Object.keys(fields).length === 0) return;
    const changed = { ...thing, ...fields };
    const keepsReferences = Object.keys(fields).every((field) => field === 'name' || field === 'is_enabled');
    if (changed.is_enabled || !keepsReferences) checkRule(board, changed);
    board.rules = board.rules.map((known) => (known.id === thing.id ? { ...known, ...fields } : known));
  }),
  'rule.delete': on('rule.delete', rule, (_board, { thing, list }) => take(list, thing)),
} as const;

function attachmentPlace(board: ModelBoard, id: Uuid): { attachments: Uuid[]; id: Uuid } | undefined {
  const holder = attachment(board, id);
  return holder && { attachments: holder.attachments, id };
}
