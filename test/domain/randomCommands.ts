/** Random commands, mostly sensible: they name existing records, and sometimes missing ones. */
import fc from 'fast-check';
import { BATCHABLE, type BatchOperation, type BatchStep, type BoardCommands, type BoardOperation } from '../../src/domain/commands/commands.js';
import { HANDLERS } from '../../src/domain/commands/table.js';
import type { RuleFields } from '../../src/domain/model.js';
import type { Uuid } from '../../src/domain/ids.js';
import { ACTION_TYPES, isRestricted, ROLES, TRIGGER_TYPES } from '../../src/domain/model.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { versionIn, type TextId } from '../../src/domain/board/versions/versionsOnDisk.js';
import { list } from '../../src/domain/board/view.js';
import { ann, ben, BOARD_ID, cleo, UNKNOWN_ID, type Result, type Scenario } from './scenario.js';

type Pick = <T>(candidates: readonly T[]) => T;

type Plan<Op extends BoardOperation> = (pick: Pick, ids: Ids, unique: number) => [Uuid, BoardCommands[Op]];

type Planned = Exclude<
  BoardOperation,
  'board.create' | 'board.import' | 'board.delete' | 'board.restore' | 'member.refresh' | 'member.erase' | `move.${string}`
>;

/** One operation with the numbers that select its target and input from the board's current records. */
export interface Step {
  readonly op: Planned;
  readonly picks: readonly number[];
}

/** A version that is kept. */
interface Edited {
  readonly target: Uuid;
  readonly version: number;
}

interface Ids {
  readonly columns: Uuid[];
  readonly cards: Uuid[];
  readonly labels: Uuid[];
  readonly checklists: Uuid[];
  readonly items: Uuid[];
  readonly attachments: Uuid[];
  readonly comments: Uuid[];
  readonly rules: Uuid[];
  readonly archived: Uuid[];
  readonly trashed: Uuid[];
  readonly edited: { readonly cards: readonly Edited[]; readonly comments: readonly Edited[] };
}

const USERS = [ann, ben, cleo];
const TEXTS = ['a', 'b "quoted"', 'ç\u2028', 'long '.repeat(20).trim()];
const RESTRICTED = ROLES.filter(isRestricted);
const POSITIONS = [0, 0, 1, 1, 2, 3, 1e9];
const userId = (pick: Pick): Uuid => pick(USERS).id;
const userIds = (pick: Pick): Uuid[] => pick([[ann.id], [ben.id], [ann.id, ben.id, ann.id], [ben.id, cleo.id], []]);

const ALL_ACTIVITY = { before: null, after: null, user_id: null, kind: null } as const;

const PLANS: { readonly [Op in Planned]: Plan<Op> } = {
  'board.export': () => [BOARD_ID, {}],
  'board.get': () => [BOARD_ID, {}],
  'board.summary': () => [BOARD_ID, {}],
  'board.events': () => [BOARD_ID, { since: { epoch: '0', seq: 0 } }],
  'board.update': (pick) => [
    BOARD_ID,
    pick([{}, { title: pick(TEXTS) }, { description: pick([null, 'text']) }, { color: pick([null, 'teal']), icon: pick([null, '🚀']) }]),
  ],
  'board.beginCopy': () => [BOARD_ID, {}],
  'board.star': () => [BOARD_ID, {}],
  'watch.getBoard': () => [BOARD_ID, {}],
  'watch.getColumn': (pick, { columns }) => [pick(columns), {}],
  'watch.getCard': (pick, { cards }) => [pick(cards), {}],
  'watch.board': () => [BOARD_ID, {}],
  'watch.column': (pick, { columns }) => [pick(columns), {}],
  'watch.card': (pick, { cards }) => [pick(cards), {}],
  'watch.endBoard': () => [BOARD_ID, {}],
  'watch.endColumn': (pick, { columns }) => [pick(columns), {}],
  'watch.endCard': (pick, { cards }) => [pick(cards), {}],
  'watch.list': (pick) => [BOARD_ID, { before: null, limit: pick([1, 50]) }],
  'board.unstar': () => [BOARD_ID, {}],
  'member.list': () => [BOARD_ID, {}],
  'member.begin': () => [BOARD_ID, {}],
  'member.add': (pick) => {
    const user = pick(USERS);
    return [BOARD_ID, { user_id: user.id, user: pick([user, user, user, null]) }];
  },
  'member.addAs': (pick) => {
    const user = pick(USERS);
    return [BOARD_ID, { user_id: user.id, user: pick([user, user, user, null]), role: pick(ROLES) }];
  },
  'member.beginRestricted': (pick) => [BOARD_ID, { role: pick(RESTRICTED) }],
  'member.restrict': (pick) => [BOARD_ID, { user_id: userId(pick), role: pick(RESTRICTED) }],
  'member.remove': (pick) => [BOARD_ID, { user_id: userId(pick) }],
  'member.unassign': (pick) => [BOARD_ID, { user_id: userId(pick) }],
  'member.setRole': (pick) => [BOARD_ID, { user_id: userId(pick), role: pick(['owner', 'member']) }],
  'column.create': (pick) => {
    const fields = { title: pick(TEXTS), color: '#fff', is_done_column: pick([true, false]) };
    return [BOARD_ID, { ...fields, position: pick([null, ...POSITIONS]) }];
  },
  'column.update': (pick, { columns }) => [pick(columns), pick([{}, { title: pick(TEXTS) }])],
  'column.delete': (pick, { columns }) => [pick(columns), {}],
  'column.move': (pick, { columns }) => [pick(columns), { position: pick(POSITIONS) }],
  'card.create': (pick, { columns }) => {
    const fields = { title: pick(TEXTS), description: pick([null, 'text']) };
    return [BOARD_ID, { column_id: pick(columns), ...fields, position: pick([null, ...POSITIONS]) }];
  },
  'card.get': (pick, { cards }) => [pick(cards), {}],
  'card.assigned': () => [BOARD_ID, {}],
  'card.find': (pick) => [BOARD_ID, { number: pick([1, 2, 3, 99]) }],
  'card.update': (pick, { cards }) => [
    pick(cards),
    pick([{}, { title: pick(TEXTS) }, { description: pick(TEXTS) }, { description: pick([...TEXTS, null]), base: pick([1, 2]) }]),
  ],
  'card.delete': (pick, { cards }) => [pick(cards), {}],
  'card.move': (pick, { cards, columns }) => {
    return [pick(cards), { column_id: pick([null, pick(columns)]), position: pick([null, ...POSITIONS]) }];
  },
  'card.assign': (pick, { cards }) => [pick(cards), { user_ids: userIds(pick) }],
  'card.unassign': (pick, { cards }) => [pick(cards), { user_id: userId(pick) }],
  'card.addLabel': (pick, { cards, labels }) => [pick(cards), { label_id: pick(labels) }],
  'card.removeLabel': (pick, { cards, labels }) => [pick(cards), { label_id: pick(labels) }],
  'card.archive': (pick, { cards }) => [pick(cards), {}],
  'card.restore': (pick, { archived, cards, columns }) => {
    return [pick([...archived, pick(cards)]), { column_id: pick([null, null, pick(columns)]), position: pick([null, null, ...POSITIONS]) }];
  },
  'column.archive': (pick, { columns }) => [pick(columns), {}],
  'column.copy': (pick, { columns }) => [pick(columns), { position: pick([null, ...POSITIONS]) }],
  'card.beginCopy': (pick, { cards }) => [pick(cards), {}],
  'card.copy': (pick, { cards, columns, attachments }, unique) => {
    const files = [{ from: pick(attachments), to: `b0a2db0a-2d00-4000-8000-c00000${String(unique).padStart(6, '0')}` }];
    const wanted = { column_id: pick([null, pick(columns)]), position: pick([null, ...POSITIONS]) };
    return [pick(cards), { ...wanted, comments: pick([false, true]), files: pick([null, [], files]) }];
  },
  'column.restore': (pick, { archived, columns }) => [pick([...archived, pick(columns)]), { position: pick([null, ...POSITIONS]) }],
  'archive.list': (pick) => [BOARD_ID, { kind: pick([null, 'card', 'column']), ...pick([{}, { q: 'A' }]), before: null, limit: pick([1, 50]) }],
  'trash.list': (pick) => [BOARD_ID, { before: null, limit: pick([1, 50]) }],
  'trash.restore': (pick, { trashed, columns }) => [BOARD_ID, { entry_id: pick(trashed), column_id: pick([null, null, pick(columns)]) }],
  'trash.delete': (pick, { trashed }) => [BOARD_ID, { entry_id: pick(trashed) }],
  'label.list': () => [BOARD_ID, {}],
  'label.stats': () => [BOARD_ID, {}],
  'label.create': (pick) => [BOARD_ID, { name: pick(TEXTS), color: 'red' }],
  'label.update': (pick, { labels }) => [pick(labels), pick([{}, { name: pick(TEXTS) }])],
  'label.delete': (pick, { labels }) => [pick(labels), {}],
  'checklist.create': (pick, { cards }) => [pick(cards), { title: pick(TEXTS) }],
  'checklist.update': (pick, { checklists }) => [pick(checklists), { title: pick(TEXTS) }],
  'checklist.delete': (pick, { checklists }) => [pick(checklists), {}],
  'checklist.move': (pick, { checklists }) => [pick(checklists), { position: pick(POSITIONS) }],
  'item.create': (pick, { checklists }) => [pick(checklists), { content: pick(TEXTS) }],
  'item.update': (pick, { items }) => [pick(items), pick([{ is_done: pick([true, false]) }, { content: pick(TEXTS) }])],
  'item.delete': (pick, { items }) => [pick(items), {}],
  'item.move': (pick, { items, checklists }) => {
    return [pick(items), { checklist_id: pick([null, pick(checklists)]), position: pick(POSITIONS) }];
  },
  'item.assign': (pick, { items }) => [pick(items), { user_ids: userIds(pick) }],
  'item.unassign': (pick, { items }) => [pick(items), { user_id: userId(pick) }],
  'attachment.begin': (pick, { cards }) => [pick(cards), {}],
  'attachment.create': (pick, { cards }, unique) => {
    const id = `b0a2db0a-2d00-4000-8000-f00000${String(unique).padStart(6, '0')}`;
    return [pick(cards), { id, name: 'file', mime_type: 'text/plain', size: 3 }];
  },
  'attachment.link': (pick, { cards }) => [pick(cards), { url: 'https://example.org/', title: pick([null, ...TEXTS]) }],
  'commentFile.begin': (pick, { comments }) => [pick(comments), {}],
  'commentFile.create': (pick, { comments }, unique) => {
    const id = `b0a2db0a-2d00-4000-8000-f10000${String(unique).padStart(6, '0')}`;
    return [pick(comments), { id, name: 'file', mime_type: 'text/plain', size: 3 }];
  },
  'commentFile.link': (pick, { comments }) => [pick(comments), { url: 'https://example.org/', title: pick([null, ...TEXTS]) }],
  'attachment.get': (pick, { attachments }) => [pick(attachments), {}],
  'attachment.delete': (pick, { attachments }) => [pick(attachments), {}],
  'board.undo': (pick) => [BOARD_ID, { seq: pick([null, null, 1, 5, 20]) }],
  'activity.list': (pick, { cards }) => [BOARD_ID, { ...ALL_ACTIVITY, card_id: pick([null, ...cards]), limit: pick([1, 50]) }],
  'activity.ofCard': (pick, { cards }) => [pick(cards), { ...ALL_ACTIVITY, limit: pick([1, 50]) }],
  'comment.list': (pick, { cards }) => [pick(cards), { before: null, limit: pick([1, 50]) }],
  'comment.create': (pick, { cards }) => [pick(cards), { body: pick([...TEXTS, 'see @ann', '@ben, @Ben and @nobody']) }],
  'comment.update': (pick, { comments }) => [
    pick(comments),
    pick([{}, { body: pick(TEXTS) }, { body: 'for @cleo' }, { body: pick(TEXTS), base: pick([1, 2]) }]),
  ],
  'version.ofCard': (pick, { cards }) => [pick(cards), { before: pick([null, 2]), limit: pick([1, 50]) }],
  'version.ofComment': (pick, { comments }) => [pick(comments), { before: null, limit: 50 }],
  'version.restoreDescription': (pick, { cards, edited }) => versionOf(pick, edited.cards, cards),
  'version.restoreComment': (pick, { comments, edited }) => versionOf(pick, edited.comments, comments),
  'version.deleteOfCard': (pick, { cards, edited }) => versionOf(pick, edited.cards, cards),
  'version.deleteOfComment': (pick, { comments, edited }) => versionOf(pick, edited.comments, comments),
  'comment.delete': (pick, { comments }) => [pick(comments), {}],
  'rule.list': () => [BOARD_ID, {}],
  'rule.create': (pick, ids) => [BOARD_ID, rule(pick, ids)],
  'rule.update': (pick, ids) => {
    return [pick(ids.rules), pick<Partial<RuleFields>>([{}, { is_enabled: true }, rule(pick, ids)])];
  },
  'rule.delete': (pick, { rules }) => [pick(rules), {}],
  'board.batch': (pick, ids, unique) => {
    const names = Array.from({ length: pick([1, 2, 2, 3]) }, () => pick(BATCHABLE));
    return [BOARD_ID, { operations: names.map((op, index) => batchStep(op, pick, ids, unique, index)) }];
  },
};

function batchStep(op: BatchOperation, pick: Pick, ids: Ids, unique: number, index: number): BatchStep {
  const [target, input] = PLANS[op](pick, ids, unique);
  const id = op.endsWith('.create') ? `b0a2db0a-2d00-4000-8000-b${index}0000${String(unique).padStart(6, '0')}` : null;
  // Kind and input agree by the type of the plans, which TypeScript cannot derive for a union.
  return { op, target, input, status: id === null ? 200 : 201, id } as BatchStep;
}

/** Mostly one that is kept: few cards and comments are ever edited. */
function versionOf(pick: Pick, edited: readonly Edited[], ids: readonly Uuid[]): [Uuid, { version: number }] {
  return pick([...edited, ...edited, { target: pick(ids), version: pick([1, 2]) }].map(({ target, version }) => [target, { version }]));
}

function rule(pick: Pick, { columns, labels }: Ids): RuleFields {
  return {
    name: pick(TEXTS),
    trigger_type: pick(TRIGGER_TYPES),
    trigger_column_id: pick(columns),
    trigger_label_id: pick(labels),
    action_type: pick(ACTION_TYPES),
    action_column_id: pick(columns),
    action_user_id: pick([ann.id, ben.id]),
    is_enabled: true,
  };
}

export const PLANNED = Object.keys(PLANS) as readonly Planned[];
/** Reads and removals are rarer, so that boards fill up. */
const BUILDING = PLANNED.filter((op) => HANDLERS[op].effect !== 'read' && !/\.(delete|remove)$/.test(op));

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    op: fc.constantFrom(...PLANNED, ...BUILDING, ...BUILDING, ...BUILDING),
    picks: fc.array(fc.nat(1000), { minLength: 10, maxLength: 10 }),
  }),
  { minLength: 20, maxLength: 80 },
);

/** Plays one step. Mostly Ann, at first the owner, asks, so most steps succeed. */
export function play(scenario: Scenario, step: Step, unique: number): Result {
  let used = 0;
  const pick: Pick = (candidates) => {
    const pickedBy = step.picks[used++ % step.picks.length] ?? 0;
    return candidates[pickedBy % candidates.length] as (typeof candidates)[number];
  };
  const caller: PublicUser = pick([ann, ann, ann, ann, ben, cleo]);
  return playPlanned(scenario, caller, step.op, pick, unique);
}

function playPlanned<Op extends Planned>(scenario: Scenario, caller: PublicUser, op: Op, pick: Pick, unique: number): Result {
  const plan: Plan<Op> = PLANS[op];
  const [target, input] = plan(pick, idsOn(scenario), unique);
  return scenario.ask(caller, op, target, input);
}

/** The ids on the board; each list includes an unknown id, so a pick is always possible and sometimes wrong. */
function idsOn({ state }: Scenario): Ids {
  const below = (kind: Parameters<typeof list>[1], parents: readonly Uuid[]): Uuid[] =>
    parents.flatMap((parent) => list(state, kind, parent).map(({ id }) => id));
  const columns = below('column', [BOARD_ID]);
  const cards = below('card', columns);
  const checklists = below('checklist', cards);
  const items = below('item', checklists);
  const attachments = below('attachment', cards);
  const [labels, rules] = [below('label', [BOARD_ID]), below('rule', [BOARD_ID])];
  const comments = cards.flatMap((card) => state.comments.page(card, null, Infinity, Infinity));
  const keptOf = (text: TextId): Edited[] => {
    return state.versions.page(text, 1e9, Infinity, Infinity).map(({ id }) => ({ target: text.id, version: versionIn(id) }));
  };
  const orNothing = (ids: Uuid[]): Uuid[] => [...ids, ...ids, ...ids, UNKNOWN_ID];
  return {
    columns: orNothing(columns),
    cards: orNothing(cards),
    labels: orNothing(labels),
    checklists: orNothing(checklists),
    items: orNothing(items),
    attachments: orNothing(attachments),
    comments: orNothing(comments.map(({ id }) => id)),
    rules: orNothing(rules),
    archived: orNothing(state.archive.index().map(({ id }) => id)),
    trashed: orNothing(state.trash.page('', null, 50).map(({ id }) => id)),
    edited: { cards: cards.flatMap((id) => keptOf({ card_id: id, id })), comments: comments.flatMap(keptOf) },
  };
}
