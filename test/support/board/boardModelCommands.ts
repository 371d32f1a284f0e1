/** Random commands for boards that a model knows: mostly sensible, sometimes about missing records. */
import fc from 'fast-check';
import { BATCHABLE, type BatchOperation, type BatchStep, type BoardCommand, type BoardCommands } from '../../../src/domain/commands/commands.js';
import { MAX_VERSIONS } from '../../../src/domain/board/versions/versionsOnDisk.js';
import type { RuleFields } from '../../../src/domain/model.js';
import { boardKeyOf, type Uuid } from '../../../src/domain/ids.js';
import { ACTION_TYPES, ROLES } from '../../../src/domain/model.js';
import type { PublicUser } from '../../../src/domain/account/user.js';
import { BoardModel, type ModelBoard, type ModelCard, type ModelComment, type ModelledCommand, type ModelledOperation } from './boardModel.js';
import { GIVEN_DATES } from './boardModelProjection.js';
import { rewritten, textAt, type ModelVersions, type Text } from './modelTexts.js';
import { ann, ben, cleo, command, ids } from '../store/faultyStorePartition.js';

/** One operation, with the numbers that select its details from the board's current records. */
interface SingleStep {
  readonly op: ModelledOperation;
  readonly board: number;
  readonly picks: readonly number[];
}

/** Operations that are carried out together or not at all. */
interface BatchedSteps {
  readonly op: 'board.batch';
  readonly board: number;
  readonly picks: readonly number[];
  readonly steps: ReadonlyArray<Omit<SingleStep, 'board'> & { readonly op: BatchOperation }>;
}

type Step = SingleStep | BatchedSteps;

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
  readonly comments: Uuid[];
  readonly rules: Uuid[];
  readonly archivedCards: Uuid[];
  readonly archivedColumns: Uuid[];
  /** Of the cards and comments on the board. */
  readonly texts: Readonly<Record<'cards' | 'comments', readonly EditedText[]>>;
}

interface EditedText {
  readonly id: Uuid;
  readonly text: Text;
  readonly versions: ModelVersions;
}

/** Texts that get most of the edits, so that they get many. */
const MUCH_EDITED = 2;
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
  'member.addAs': (pick, { board }) => {
    const user = pick(USERS);
    return [board, { user_id: user.id, user: pick([user, user, user, null]), role: pick(ROLES) }];
  },
  'member.restrict': (pick, { board }) => [board, { user_id: pick(USERS).id, role: pick(['commenter', 'viewer']) }],
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
    const fields = { title: pick(TEXTS), description: pick([null, ...TEXTS]), ...pick([{}, dates(pick)]) };
    return [board, { column_id: pick(columns), ...fields, position: position(pick) }];
  },
  'card.update': (pick, { cards, attachments, texts }) => {
    const edited = pick([null, someText(pick, texts.cards), someText(pick, texts.cards)]);
    if (edited !== null) return [edited.id, { description: pick([edited.text, edited.text, edited.text, null]), ...edited.on }];
    const changes: BoardCommands['card.update'][] = [
      {},
      { title: pick(TEXTS) },
      { description: null },
      { due_at: date(pick) },
      dates(pick),
      { cover: pick([null, { color: 'teal' }, { attachment_id: pick(attachments) }]) },
    ];
    return [pick(cards), pick(changes)];
  },
  'card.delete': (pick, { cards }) => [pick(cards), {}],
  'card.move': (pick, { cards, columns }) => {
    return [pick(cards), { column_id: pick([null, pick(columns), pick(columns)]), position: position(pick) }];
  },
  'card.assign': (pick, { cards }) => [pick(cards), { user_ids: someUsers(pick) }],
  'card.unassign': (pick, { cards }) => [pick(cards), { user_id: pick(USERS).id }],
  'card.addLabel': (pick, { cards, labels }) => [pick(cards), { label_id: pick(labels) }],
  'card.removeLabel': (pick, { cards, labels }) => [pick(cards), { label_id: pick(labels) }],
  'card.archive': (pick, { cards }) => [pick(cards), {}],
  'card.restore': (pick, { archivedCards, cards, columns }) => {
    return [pick([...archivedCards, pick(cards)]), { column_id: pick([null, pick(columns)]), position: pick(POSITIONS) }];
  },
  'column.archive': (pick, { columns }) => [pick(columns), {}],
  'column.restore': (pick, { archivedColumns, columns }) => [pick([...archivedColumns, pick(columns)]), { position: pick(POSITIONS) }],
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
    return [card, { id: ids.onBoard(boardKeyOf(card)), name: 'a.png', mime_type: 'image/png', size: 3 }];
  },
  'attachment.link': (pick, { cards }) => [pick(cards), { url: 'https://example.org/', title: pick([null, ...TEXTS]) }],
  'attachment.delete': (pick, { attachments }) => [pick(attachments), {}],
  'comment.create': (pick, { cards }) => [pick(cards), { body: pick([...TEXTS, 'see @ann']) }],
  'comment.update': (pick, { comments, texts }) => {
    const edited = pick([null, someText(pick, texts.comments), someText(pick, texts.comments)]);
    return edited === null ? [pick(comments), pick([{}, { body: pick(TEXTS) }])] : [edited.id, { body: edited.text, ...edited.on }];
  },
  'comment.delete': (pick, { comments }) => [pick(comments), {}],
  'version.restoreDescription': (pick, { cards, texts }) => someVersion(pick, cards, texts.cards),
  'version.restoreComment': (pick, { comments, texts }) => someVersion(pick, comments, texts.comments),
  'version.deleteOfCard': (pick, { cards, texts }) => someVersion(pick, cards, texts.cards),
  'version.deleteOfComment': (pick, { comments, texts }) => someVersion(pick, comments, texts.comments),
  'rule.create': (pick, has) => [has.board, someRule(pick, has)],
  'rule.update': (pick, has) => {
    const changes: Partial<RuleFields>[] = [{}, { name: 'other' }, { is_enabled: pick([true, false]) }, someRule(pick, has)];
    return [pick(has.rules), pick(changes)];
  },
  'rule.delete': (pick, { rules }) => [pick(rules), {}],
};

/** An edit of one of few texts, of its current version or of an earlier one, as by somebody who has not seen the edits since. */
function someText(pick: Pick, texts: readonly EditedText[]): { id: Uuid; text: string; on: { base?: number } } | null {
  const edited = pick([...texts.slice(0, MUCH_EDITED), null]);
  if (edited === null) return null;
  const { id, text, versions } = edited;
  const { version } = versions;
  const base = pick([null, version, version - 1, version - 1, version - 1, version - 2, version - 2, version - 3, version + 1, 1]);
  const written = base === null ? text : textAt(versions, text, base);
  const next = rewritten(written ?? null, pick([0, 1, 2, 4, 8, 16, 32, 6, 24, 33]), ids.fresh().replaceAll('-', ''));
  return { id, text: next, on: base === null || base < 1 ? {} : { base } };
}

/** Mostly one that is kept. */
function someVersion(pick: Pick, strangers: readonly Uuid[], texts: readonly EditedText[]): [Uuid, { version: number }] {
  const edited = pick([...texts.slice(0, MUCH_EDITED), null]);
  if (edited === null) return [pick(strangers), { version: pick([1, 2]) }];
  const { version, earlier } = edited.versions;
  const kept = earlier.map((each) => each.version);
  return [edited.id, { version: pick([...kept, ...kept, version, version + 1, Math.max(version - MAX_VERSIONS, 1)]) }];
}

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
  'comment.create': 4,
  'member.restrict': 1,
  'card.update': 30,
  'comment.update': 20,
  'version.deleteOfCard': 1,
  'version.deleteOfComment': 1,
  'card.archive': 3,
  'card.restore': 4,
  'column.restore': 3,
};

const someOperation = fc.oneof(
  ...(Object.keys(PLANS) as ModelledOperation[])
    .filter((op) => op !== 'board.delete')
    .map((op) => ({ arbitrary: fc.constant(op), weight: 10 * (WEIGHTS[op] ?? 2) })),
  { arbitrary: fc.constant('board.delete' as const), weight: 1 },
);

const batchedOperation = fc.oneof(...BATCHABLE.map((op) => ({ arbitrary: fc.constant(op), weight: WEIGHTS[op] ?? 2 })));

export function batches(boards: number): fc.Arbitrary<Batch[]> {
  const picks = fc.noBias(fc.array(fc.nat(10_000), { minLength: 12, maxLength: 12 }));
  const single: fc.Arbitrary<SingleStep> = fc.record({ op: someOperation, board: fc.nat(boards - 1), picks });
  const batched: fc.Arbitrary<BatchedSteps> = fc.record({
    op: fc.constant('board.batch' as const),
    board: fc.nat(boards - 1),
    picks,
    steps: fc.array(fc.record({ op: batchedOperation, picks }), { minLength: 1, maxLength: 5 }),
  });
  const step: fc.Arbitrary<Step> = fc.oneof({ arbitrary: single, weight: 9 }, { arbitrary: batched, weight: 1 });
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
export function commandOf(step: Step, models: readonly BoardModel[]): ModelledCommand {
  const pick = pickBy(step.picks);
  const board = models[step.board]?.board ?? null;
  const other = models[(step.board + 1) % models.length]?.board ?? null;
  const askedBy = (): PublicUser => pick([ann, ann, ann, ben, cleo]);
  if (step.op === 'board.batch') return batchOf(step, board, other, askedBy());
  return planned(step.op, pick, inventoryOf(board, other), askedBy());
}

function pickBy(picks: readonly number[]): Pick {
  let used = 0;
  return (candidates) => {
    const number = picks[used++ % picks.length] ?? 0;
    return candidates[number % candidates.length] as (typeof candidates)[number];
  };
}

/** Later operations often name what earlier ones create, as requests do with `$n.id`. */
function batchOf({ steps }: BatchedSteps, board: ModelBoard | null, other: ModelBoard | null, user: PublicUser): BoardCommand<'board.batch'> {
  const trial = board === null ? null : new BoardModel(structuredClone(board));
  const created = new Set<Uuid>();
  const id = board?.id ?? ids.fresh();
  const operations = steps.map(({ op, picks }): BatchStep => {
    const { target, input } = planned(op, pickBy(picks), inventoryOf(trial?.board ?? null, other, created), user);
    const newId = op.endsWith('.create') ? ids.onBoard(boardKeyOf(id)) : null;
    if (trial?.perform(command(op, target, input as BoardCommands[typeof op], user), newId ?? '') === 'ok' && newId !== null) created.add(newId);
    return { op, target, input, status: statusOf(op), id: newId } as BatchStep;
  });
  return command('board.batch', id, { operations }, user);
}

function statusOf(op: BatchOperation): number {
  if (op.endsWith('.create')) return 201;
  return /\.(?:delete|unassign|removeLabel)$/.test(op) ? 204 : 200;
}

function planned<Op extends ModelledOperation>(op: Op, pick: Pick, has: Inventory, user: PublicUser): BoardCommand<Op> {
  const plan: Plan<Op> = PLANS[op];
  const [target, input] = plan(pick, has);
  const asked = command(op, target, input, user);
  return op === 'member.refresh' ? { ...asked, caller: 'system' } : asked;
}

/** Each of the preferred ids is listed as often as all others together. */
function inventoryOf(board: ModelBoard | null, other: ModelBoard | null, preferred: ReadonlySet<Uuid> = new Set()): Inventory {
  const [own, foreign] = [idsOn(board), idsOn(other)];
  const withOneOf = (kind: keyof typeof own): Uuid[] => {
    const [stranger, few] = [foreign[kind][0] ?? ids.fresh(), own[kind].length < FEW];
    const all = [...own[kind], ...(few ? [...own[kind], ...own[kind]] : []), stranger];
    return [...all, ...own[kind].filter((id) => preferred.has(id)).flatMap((id) => all.map(() => id))];
  };
  return {
    board: board?.id ?? ids.fresh(),
    columns: withOneOf('columns'),
    cards: withOneOf('cards'),
    labels: withOneOf('labels'),
    checklists: withOneOf('checklists'),
    items: withOneOf('items'),
    attachments: withOneOf('attachments'),
    comments: withOneOf('comments'),
    rules: withOneOf('rules'),
    archivedCards: withOneOf('archivedCards'),
    archivedColumns: withOneOf('archivedColumns'),
    texts: textsOn(board),
  };
}

function textsOn(board: ModelBoard | null): Inventory['texts'] {
  const cards = (board?.columns ?? []).flatMap((column) => column.cards);
  const latest = (texts: readonly EditedText[]): EditedText[] => texts.toSorted((a, b) => b.versions.version - a.versions.version);
  const comments = cards.flatMap((card) => card.comments);
  return {
    cards: latest(cards.map(({ id, description, versions }: ModelCard) => ({ id, text: description, versions }))),
    comments: latest(comments.map(({ id, body, versions }: ModelComment) => ({ id, text: body, versions }))),
  };
}

function idsOn(board: ModelBoard | null): Omit<Record<keyof Inventory, Uuid[]>, 'board' | 'texts'> {
  const idOf = ({ id }: { readonly id: Uuid }): Uuid => id;
  const columns = board?.columns ?? [];
  const archived = [...(board?.archive.columns ?? []).flatMap(({ cards }) => cards), ...(board?.archive.cards ?? []).map(({ card }) => card)];
  const onBoard = columns.flatMap((column) => column.cards);
  // Things on archived cards are named as well, and refused.
  const cards = [...onBoard, ...archived];
  const checklists = cards.flatMap((card) => card.checklists);
  return {
    columns: columns.map(idOf),
    cards: cards.map(idOf),
    labels: (board?.labels ?? []).map(idOf),
    checklists: checklists.map(idOf),
    items: checklists.flatMap(({ items }) => items.map(idOf)),
    attachments: cards.flatMap(({ attachments, links }) => [...attachments, ...links]),
    comments: cards.flatMap(({ comments }) => comments.map(idOf)),
    rules: (board?.rules ?? []).map(idOf),
    archivedCards: (board?.archive.cards ?? []).map(({ card }) => card.id),
    archivedColumns: (board?.archive.columns ?? []).map(idOf),
  };
}

interface Dates {
  start_at: string | null;
  due_at: string | null;
  completed_at: string | null;
  reminder_minutes: number | null;
}

function dates(pick: Pick): Dates {
  return { start_at: date(pick), due_at: date(pick), completed_at: date(pick), reminder_minutes: pick([null, -1, 0, 60]) };
}

function date(pick: Pick): string | null {
  return pick([null, ...GIVEN_DATES]);
}
