/** The effect of each command on the model of a board. Access and existence were checked before. */
import type { BoardCommands, BoardOperation } from '../../../src/domain/commands/commands.js';
import type { RuleFields } from '../../../src/domain/model.js';
import type { ErrorCode } from '../../../src/domain/errors.js';
import type { Uuid } from '../../../src/domain/ids.js';
import type { ModelBoard, ModelCard, ModelChecklist, ModelColumn, ModelComment, ModelItem, ModelMember } from './boardModel.js';
import { BY_ITS_COLUMN } from './boardModelProjection.js';
import { edit, firstVersion, ModelRefusal, textAt, type ModelVersions, type Text } from './modelTexts.js';

interface Working<Op extends BoardOperation, Thing> {
  find(board: ModelBoard, id: Uuid): Thing | undefined;
  run(board: ModelBoard, thing: Thing, input: BoardCommands[Op], newId: Uuid, caller: Uuid | null): void;
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

const comment = (board: ModelBoard, id: Uuid): Placed<ModelComment> | undefined =>
  placed(
    everyCard(board).map(({ comments }) => comments),
    id,
  );

function attachment(board: ModelBoard, id: Uuid): ModelCard | undefined {
  return everyCard(board).find(({ attachments, links }) => attachments.includes(id) || links.includes(id));
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

/** The board with all that is in its archive. */
function withArchive(board: ModelBoard): ModelBoard {
  const { cards, columns } = board.archive;
  const strays = { id: '', title: '', is_done_column: false, cards: cards.map(({ card: archived }) => archived) };
  return { ...board, columns: [...board.columns, ...columns, strays] };
}

function removeFrom<Thing>(list: Thing[], isGone: (thing: Thing) => boolean): void {
  const index = list.findIndex(isGone);
  if (index >= 0) list.splice(index, 1);
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

/** A member who can be assigned. */
function worker(board: ModelBoard, user: Uuid): ModelMember | undefined {
  return board.members.find(({ id, role }) => id === user && (role === 'owner' || role === 'member'));
}

function assignOf(board: ModelBoard, thing: ModelCard | ModelItem, users: readonly Uuid[]): void {
  for (const user of users) orRefuse(worker(board, user), 'forbidden');
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
  if (action_user_id !== null) orRefuse(worker(board, action_user_id), 'forbidden');
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
    const target = orRefuse(board.columns.find(({ id }) => id === action_column_id));
    take(home.cards, moved);
    target.cards.push(moved);
    complete(moved, home.is_done_column, target);
  }
}

/** A done column completes what enters it, and takes that back from what leaves it. */
function complete(moved: ModelCard, wasDone: boolean, to: ModelColumn): void {
  if (to.is_done_column) moved.completed_at = (wasDone ? moved.completed_at : null) ?? BY_ITS_COLUMN;
  else if (wasDone) moved.completed_at = null;
}

/** By the days alone, which is enough for the dates of these histories. */
function refuseLateStart(start: string | null, due: string | null): void {
  if (start !== null && due !== null && start.slice(0, 10) > due.slice(0, 10)) throw new ModelRefusal('invalid');
}

function lastOwner(board: ModelBoard, user: Uuid): boolean {
  const owners = board.members.filter(({ role }) => role === 'owner');
  return owners.length === 1 && owners[0]?.id === user;
}

function takeOff(board: ModelBoard, user: Uuid): void {
  for (const thing of everyAssignable(withArchive(board))) thing.assignees = thing.assignees.filter((id) => id !== user);
  forgetInRules(board, user);
}

export const WORKINGS = {
  'board.update': on('board.update', theBoard, (board, _thing, input) => void Object.assign(board, input)),
  'board.delete': on('board.delete', theBoard, () => undefined),

  'member.add': on('member.add', theBoard, (board, _thing, { user }) => {
    if (user === null) throw new ModelRefusal('not_found');
    if (board.members.some(({ id }) => id === user.id)) throw new ModelRefusal('conflict');
    board.members.push({ id: user.id, role: 'member', user });
  }),
  'member.addAs': on('member.addAs', theBoard, (board, _thing, { user, role }) => {
    if (user === null) throw new ModelRefusal('not_found');
    if (board.members.some(({ id }) => id === user.id)) throw new ModelRefusal('conflict');
    board.members.push({ id: user.id, role, user });
  }),
  'member.remove': on('member.remove', theBoard, (board, _thing, { user_id }) => {
    const member = orRefuse(board.members.find(({ id }) => id === user_id));
    if (lastOwner(board, user_id)) throw new ModelRefusal('conflict');
    take(board.members, member);
    takeOff(board, user_id);
  }),
  'member.restrict': on('member.restrict', theBoard, (board, _thing, { user_id, role }) => {
    const member = orRefuse(board.members.find(({ id }) => id === user_id));
    if (lastOwner(board, user_id)) throw new ModelRefusal('conflict');
    member.role = role;
    takeOff(board, user_id);
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
  'column.delete': on('column.delete', column, (board, { thing }) => {
    removeFrom(board.columns, ({ id }) => id === thing.id);
    removeFrom(board.archive.columns, ({ id }) => id === thing.id);
    forgetInRules(board, thing.id);
  }),
  'column.archive': on('column.archive', column, (board, { thing, list }) => {
    take(list, thing);
    board.archive.columns.push(thing);
    forgetInRules(board, thing.id);
  }),
  'column.restore': on('column.restore', column, (board, { thing }, { position }) => {
    if (!board.archive.columns.includes(thing)) throw new ModelRefusal('conflict');
    take(board.archive.columns, thing);
    insert(board.columns, thing, position);
  }),
  'column.move': on('column.move', column, (_board, { thing, list }, { position }) => {
    take(list, thing);
    insert(list, thing, position);
  }),

  'card.create': on('card.create', theBoard, (board, _thing, input, id) => {
    const { column_id, title, description, start_at = null, due_at = null, completed_at = null, reminder_minutes = null, position } = input;
    const { cards, is_done_column } = orRefuse(column(board, column_id)).thing;
    refuseLateStart(start_at, due_at);
    const dates = { start_at, due_at, completed_at: completed_at ?? (is_done_column ? BY_ITS_COLUMN : null), reminder_minutes };
    const blank = { labels: [], assignees: [], checklists: [], attachments: [], links: [], comments: [], versions: firstVersion() };
    insert(cards, { id, number: ++board.last_number, cover: null, title, description, ...dates, ...blank }, position);
  }),
  'card.update': on('card.update', card, (_board, { thing }, input) => {
    const { base, ...fields } = input;
    const changed = { ...thing, ...fields };
    if ('start_at' in input || 'due_at' in input) refuseLateStart(changed.start_at, changed.due_at);
    if (input.cover && 'attachment_id' in input.cover && !thing.attachments.includes(input.cover.attachment_id))
      throw new ModelRefusal(thing.links.includes(input.cover.attachment_id) ? 'invalid' : 'not_found');
    if (fields.description !== undefined) describe(changed, edit(thing.versions, thing.description, fields.description, base));
    Object.assign(thing, changed);
  }),
  'card.delete': on('card.delete', card, (board, { thing, list }) => {
    take(list, thing);
    removeFrom(board.archive.cards, (archived) => archived.card === thing);
  }),
  'card.archive': on('card.archive', card, (board, { thing, list }) => {
    const home = orRefuse(board.columns.find(({ cards }) => cards === list));
    take(list, thing);
    board.archive.cards.push({ card: thing, column: home.id, wasDone: home.is_done_column });
  }),
  // Always with a position, or to another column: its old place depends on ranks, which the model has not.
  'card.restore': on('card.restore', card, (board, { thing }, { column_id, position }) => {
    const archived = orRefuse(
      board.archive.cards.find((each) => each.card === thing),
      'conflict',
    );
    const home = board.columns.find(({ id }) => id === archived.column);
    const target = column_id === null ? orRefuse(home ?? board.columns.at(-1), 'conflict') : orRefuse(column(board, column_id)).thing;
    take(board.archive.cards, archived);
    insert(target.cards, thing, position);
    if (target !== home) complete(thing, archived.wasDone === true, target);
  }),
  'card.move': on('card.move', card, (board, { thing, list }, { column_id, position }) => {
    const target: ModelColumn | undefined = column_id === null ? undefined : orRefuse(column(board, column_id)).thing;
    const cards = target?.cards ?? list;
    take(list, thing);
    insert(cards, thing, position);
    if (target === undefined || cards === list) return;
    complete(thing, board.columns.find((home) => home.cards === list)?.is_done_column === true, target);
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
    for (const one of everyCard(withArchive(board))) one.labels = one.labels.filter((id) => id !== thing.id);
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
  'attachment.link': on('attachment.link', card, (_board, { thing }, _input, id) => void thing.links.push(id)),
  'attachment.delete': on('attachment.delete', attachmentPlace, (_board, { holder, id }) => {
    take(holder.links.includes(id) ? holder.links : holder.attachments, id);
    if (holder.cover && 'attachment_id' in holder.cover && holder.cover.attachment_id === id) holder.cover = null;
  }),

  'comment.create': on('comment.create', card, (_board, { thing }, { body }, id, caller) => {
    thing.comments.unshift({ id, author: caller, body, versions: firstVersion() });
  }),
  'comment.update': on('comment.update', comment, (_board, { thing }, { body, base }) => {
    if (body !== undefined) write(thing, edit(thing.versions, thing.body, body, base));
  }),
  'comment.delete': on('comment.delete', comment, (_board, { thing, list }) => take(list, thing)),

  'version.restoreDescription': on('version.restoreDescription', card, (_board, { thing }, { version }) => {
    describe(thing, edit(thing.versions, thing.description, orRefuse(textAt(thing.versions, thing.description, version))));
  }),
  'version.restoreComment': on('version.restoreComment', comment, (_board, { thing }, { version }) => {
    write(thing, edit(thing.versions, thing.body, orRefuse(textAt(thing.versions, thing.body, version))));
  }),
  'version.deleteOfCard': on('version.deleteOfCard', card, (_board, { thing }, { version }) => forget(thing, version)),
  'version.deleteOfComment': on('version.deleteOfComment', comment, (_board, { thing }, { version }) => forget(thing, version)),

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

function describe(card: ModelCard, { text, versions }: { text: Text; versions: ModelVersions }): void {
  [card.description, card.versions] = [text, versions];
}

function write(comment: ModelComment, { text, versions }: { text: Text; versions: ModelVersions }): void {
  [comment.body, comment.versions] = [text ?? '', versions];
}

function forget(thing: ModelCard | ModelComment, version: number): void {
  const { version: current, earlier } = thing.versions;
  if (version === current) throw new ModelRefusal('conflict');
  const gone = orRefuse(earlier.find((each) => each.version === version));
  thing.versions = { version: current, earlier: earlier.filter((each) => each !== gone) };
}

function attachmentPlace(board: ModelBoard, id: Uuid): { holder: ModelCard; id: Uuid } | undefined {
  const holder = attachment(board, id);
  return holder && { holder, id };
}
