/** Random commands for boards that a model knows: mostly sensible, sometimes about missing records. */
import fc from 'fast-check';
import type { BoardCommand, BoardCommands } from '../../../src/domain/commands/commands.js';
import type { RuleFields } from '../../../src/domain/model.js';
import { boardKeyOf, type Uuid } from '../../../src/domain/ids.js';
import { ACTION_TYPES } from '../../../src/domain/model.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import type { BoardModel, ModelBoard, ModelledOperation } from './boardModel.js';
import { ann, ben, cleo, command, ids } from '../store/faultyStorePartition.js';

/** One operation, with the numbers that select its details from the board's current records. */
export interface Step {
  readonly op: ModelledOperation;
  readonly board: number;
  readonly picks: readonly number[];
}

/** Commands that arrive together, and what happens to the shard before or meanwhile. */
export interface Batch {
  readonly steps: readonly Step[];
  readonly weather: 'fair' | 'fair, after a sleep' | 'fair, after a restart' | 'the first commit fails';
}

type Pick = <T>(candidates: readonly T[]) => T;
type Plan<Op extends ModelledOperation> = (pick: Pick, has: Inventory) => [Uuid, BoardCommands[Op]];

/** The ids on a board, and sometimes an unknown id. */
interface Inventory {
  readonly board: Uuid;
  readonly columns: Uuid[];
  readonly cards: Uuid[];
  readonly labels: Uuid[];
  readonly checklists: Uuid[];
  readonly items: Uuid[];
  readonly attachments: Uuid[];
  readonly rules: Uuid[];
}

/** Among fewer candidates than this, each is listed three times, so that unknown ids stay rare. */
const FEW = 8;
const USERS = [ann, ben, cleo];
const TEXTS = ['a', 'b "quoted" \\', 'ç\u2028😀', 'long '.repeat(50)];
const POSITIONS = [0, 0, 1, 2, 3, 5, 1e9];
const someUsers = (pick: Pick): Uuid[] => pick([[ann.id], [ben.id], [ann.id, ben.id, ann.id], [ben.id, cleo.id], []]);
const position = (pick: Pick): number | null => pick([null, ...POSITIONS]);

const PLANS: { readonly [Op in ModelledOperation]: Plan<Op> } = {
  'board.update': (pick, { board }) => [board, pick([{}, { title: pick(TEXTS) }, { description: pick([null, 'd']) }])],
  'board.delete': (_pick, { board }) => [board, {}],
  'member.add': (pick, { board }) => {
    const user = pick(USERS);
    return [board, { user_id: user.id, user: pick([user, user, user, null]) }];
  },
  'member.remove': (pick, { board }) => [board, { user_id: pick(USERS).id }],
  'member.setRole': (pick, { board }) => [board, { user_id: pick(USERS).id, role: pick(['owner', 'owner', 'member']) }],
  'member.refresh': (pick, { board }) => [board, { user: { ...pick(USERS), firstname: pick([null, ...TEXTS]) } }],
  'column.create': (pick, { board }) => {
    const fields = { title: pick(TEXTS), color: 'red', is_done_column: pick([true, false]) };
    return [board, { ...fields, position: position(pick) }];
  },
  'column.update': (pick, { columns }) => [pick(columns), pick([{}, { title: pick(TEXTS) }, { is_done_column: true }])],
  'column.delete': (pick, { columns }) => [pick(columns), {}],
  'column.move': (pick, { columns }) => [pick(columns), { position: pick(POSITIONS) }],
  'card.create': (pick, { board, columns }) => {
    const fields = { title: pick(TEXTS), description: pick([null, ...TEXTS]) };
    return [board, { column_id: pick(columns), ...fields, position: position(pick) }];
  },
  'card.update': (pick, { cards }) => [pick(cards), pick([{}, { title: pick(TEXTS) }, { description: null }])],
  'card.delete': (pick, { cards }) => [pick(cards), {}],
  'card.move': (pick, { cards, columns }) => {
    return [pick(cards), { column_id: pick([null, pick(columns), pick(columns)]), position: position(pick) }];
  },
  'card.assign': (pick, { cards }) => [pick(cards), { user_ids: someUsers(pick) }],
  'card.unassign': (pick, { cards }) => [pick(cards), { user_id: pick(USERS).id }],
  'card.addLabel': (pick, { cards, labels }) => [pick(cards), { label_id: pick(labels) }],
  'card.removeLabel': (pick, { cards, labels }) => [pick(cards), { label_id: pick(labels) }],
  'label.create': (pick, { board }) => [board, { name: pick(TEXTS), color: 'red' }],
  'label.update': (pick, { labels }) => [pick(labels), pick([{}, { name: pick(TEXTS) }])],
  'label.delete': (pick, { labels }) => [pick(labels), {}],
  'checklist.create': (pick, { cards }) => [pick(cards), { title: pick(TEXTS) }],
  'checklist.update': (pick, { checklists }) => [pick(checklists), pick([{}, { title: pick(TEXTS) }])],
  'checklist.delete': (pick, { checklists }) => [pick(checklists), {}],
  'checklist.move': (pick, { checklists }) => [pick(checklists), { position: pick(POSITIONS) }],
  'item.create': (pick, { checklists }) => [pick(checklists), { content: pick(TEXTS) }],
  'item.update': (pick, { items }) => [pick(items), pick([{}, { is_done: pick([true, false]) }, { content: 'new' }])],
  'item.delete': (pick, { items }) => [pick(items), {}],
  'item.move': (pick, { items, checklists }) => {
    return [pick(items), { checklist_id: pick([null, pick(checklists)]), position: pick(POSITIONS) }];
  },
  'item.assign': (pick, { items }) => [pick(items), { user_ids: someUsers(pick) }],
  'item.unassign': (pick, { items }) => [pick(items), { user_id: pick(USERS).id }],
  'attachment.create': (pick, { cards }) => {
    const card = pick(cards);
    return [card, { id: ids.onBoard(boardKeyOf(card)), name: 'a.txt', mime_type: 'text/plain', size: 3 }];
  },
  'attachment.delete': (pick, { attachments }) => [pick(attachments), {}],
  'rule.create': (pick, has) => [has.board, someRule(pick, has)],
  'rule.update': (pick, has) => {
    const changes: Partial<RuleFields>[] = [{}, { name: 'other' }, { is_enabled: pick([true, false]) }, someRule(pick, has)];
    return [pick(has.rules), pick(changes)];
  },
  'rule.delete': (pick, { rules }) => [pick(rules), {}],
};

function someRule(pick: Pick, { columns, labels }: Inventory): RuleFields {
  return {
    name: pick(TEXTS),
    trigger_type: pick(['CARD_CREATED', 'CARD_MOVED', 'CARD_MOVED', 'LABEL_ADDED', 'LABEL_ADDED']),
    trigger_column_id: pick([null, pick(columns), pick(columns)]),
    trigger_label_id: pick([null, pick(labels), pick(labels)]),
    action_type: pick(ACTION_TYPES),
    action_column_id: pick([null, pick(columns), pick(columns)]),
    action_user_id: pick([null, ann.id, ann.id, ben.id]),
    is_enabled: pick([true, true, false]),
  };
}

/** Commands that fill a board are frequent, those that empty it rare: otherwise most commands would find an empty board. */
const WEIGHTS: Partial<Record<ModelledOperation, number>> = {
  'column.create': 4,
  'card.create': 12,
  'card.move': 12,
  'card.addLabel': 6,
  'column.move': 4,
  'label.create': 3,
  'checklist.create': 4,
  'item.create': 6,
  'item.move': 4,
  'rule.create': 4,
};

const someOperation = fc.oneof(
  ...(Object.keys(PLANS) as ModelledOperation[])
    .filter((op) => op !== 'board.delete')
    .map((op) => ({ arbitrary: fc.constant(op), weight: 10 * (WEIGHTS[op] ?? 2) })),
  { arbitrary: fc.constant('board.delete' as const), weight: 1 },
);

export function batches(boards: number): fc.Arbitrary<Batch[]> {
  const step: fc.Arbitrary<Step> = fc.record({
    op: someOperation,
    board: fc.nat(boards - 1),
    picks: fc.noBias(fc.array(fc.nat(10_000), { minLength: 12, maxLength: 12 })),
  });
  const weather = fc.oneof(
    { arbitrary: fc.constant('fair' as const), weight: 40 },
    { arbitrary: fc.constant('fair, after a sleep' as const), weight: 10 },
    { arbitrary: fc.constant('fair, after a restart' as const), weight: 1 },
    { arbitrary: fc.constant('the first commit fails' as const), weight: 10 },
  );
  const batch: fc.Arbitrary<Batch> = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 8 }), weather });
  return fc.array(batch, { minLength: 10, maxLength: 30, size: 'max' });
}

/** The command of a step. Ann asks more often than the others, so that most commands are allowed. */
export function commandOf(step: Step, models: readonly BoardModel[]): BoardCommand<ModelledOperation> {
  let used = 0;
  const pick: Pick = (candidates) => {
    const number = step.picks[used++ % step.picks.length] ?? 0;
    return candidates[number % candidates.length] as (typeof candidates)[number];
  };
  const model = models[step.board];
  const other = models[(step.board + 1) % models.length];
  const has = inventoryOf(model?.board ?? null, other?.board ?? null);
  return planned(step.op, pick, has, pick([ann, ann, ann, ben, cleo]));
}

function planned<Op extends ModelledOperation>(op: Op, pick: Pick, has: Inventory, user: PublicUser): BoardCommand<Op> {
  const plan: Plan<Op> = PLANS[op];
  const [target, input] = plan(pick, has);
  const asked = command(op, target, input, user);
  return op === 'member.refresh' ? { ...asked, caller: 'system' } : asked;
}

function inventoryOf(board: ModelBoard | null, other: ModelBoard | null): Inventory {
  const [own, foreign] = [idsOn(board), idsOn(other)];
  const withOneOf = (kind: keyof typeof own): Uuid[] => {
    const [stranger, few] = [foreign[kind][0] ?? ids.fresh(), own[kind].length < FEW];
    return [...own[kind], ...(few ? [...own[kind], ...own[kind]] : []), stranger];
  };
  return {
    board: board?.id ?? ids.fresh(),
    columns: withOneOf('columns'),
    cards: withOneOf('cards'),
    labels: withOneOf('labels'),
    checklists: withOneOf('checklists'),
    items: withOneOf('items'),
    attachments: withOneOf('attachments'),
    rules: withOneOf('rules'),
  };
}

function idsOn(board: ModelBoard | null): Omit<Record<keyof Inventory, Uuid[]>, 'board'> {
  const idOf = ({ id }: { readonly id: Uuid }): Uuid => id;
  const columns = board?.columns ?? [];
  const cards = columns.flatMap((column) => column.cards);
  const checklists = cards.flatMap((card) => card.checklists);
  return {
    columns: columns.map(idOf),
    cards: cards.map(idOf),
    labels: (board?.labels ?? []).map(idOf),
    checklists: checklists.map(idOf),
    items: checklists.flatMap(({ items }) => items.map(idOf)),
    attachments: cards.flatMap(({ attachments }) => attachments),
    rules: (board?.rules ?? []).map(idOf),
  };
}
