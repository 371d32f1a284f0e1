import { UNDATED } from '../support/board/undated.js';
import t, { type Test } from 'tap';
import { SETTINGS } from '../../src/settings/settings.js';
import { BoardSize, jsonBytes } from '../../src/domain/board/boardSize.js';
import { MAX_UNASSIGNED } from '../../src/domain/commands/members.js';
import type { ImportedBoard, ImportedCard } from '../../src/domain/document/importedBoard.js';
import { refuseOversizedPlan } from '../../src/domain/document/importLimits.js';
import { LIMIT_TEXTS, MAX_ON_ONE, type BoardLimits } from '../../src/domain/limits.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { DEFAULT_LIMITS, sizeAsLimits } from '../support/board/boardLimits.js';
import { crowdedBoard } from './fullBoard.js';
import { ann, ben, BOARD_ID, cleo, idleRule, Scenario, type Result } from './scenario.js';

const color = 'red';
const NASTY = ['\u0001'.repeat(255), '"\\/'.repeat(80), 'é'.repeat(255), '漢'.repeat(255), '😀'.repeat(127), '\n\t\u007f\u2028'];

function refusedBy(t: Test, { error, decision }: Result, detail: string): void {
  t.strictSame(error, { code: 'limit', detail });
  t.strictSame([decision.changes, decision.events], [[], []]);
}

/** Sets the limits of a scenario's board to its current size, except for its bytes and these. */
function limitsAt(scenario: Scenario, roomier: Partial<BoardLimits> = {}): BoardLimits {
  return { ...sizeAsLimits(scenario.state.size), bytes: DEFAULT_LIMITS.bytes, ...roomier };
}

t.test('QUOTA3 the estimated bytes of a board are an upper bound within a tenth of its JSON', async (t) => {
  for (const text of NASTY.flatMap((long) => [long, long.slice(0, 100)])) {
    t.equal(jsonBytes(text), Buffer.byteLength(JSON.stringify(text)) - 2, `${text.length} of U+${text.charCodeAt(0).toString(16)}`);
  }
  const scenario = Scenario.loaded(crowdedBoard({ columns: 2, cards: 500, items: 500 }));
  const rendered = Buffer.byteLength(JSON.stringify(scenario.full));
  t.ok(scenario.state.size.bytes >= rendered);
  t.ok(scenario.state.size.bytes <= rendered * 1.1, `${scenario.state.size.bytes} for ${rendered}`);

  // Every step of a scenario is compared with its rendered JSON.
  const nasty = Scenario.withBoard();
  const column = nasty.addColumn('\u0001'.repeat(255));
  const labels = NASTY.map((name) => nasty.addLabel(name));
  for (const title of NASTY) {
    const card = nasty.addCard(column, title);
    for (const label_id of labels) nasty.must(ann, 'card.addLabel', card, { label_id });
    nasty.must(ann, 'card.assign', card, { user_ids: [ann.id, ben.id] });
    nasty.must(ann, 'attachment.create', card, { id: `${card.slice(0, -12)}ffff${card.slice(-8)}`, name: title, mime_type: 'text/plain', size: 9 });
    const item = nasty.addItem(nasty.addChecklist(card, title), title.repeat(40));
    nasty.must(ann, 'item.assign', item, { user_ids: [ben.id] });
  }
  nasty.must(ann, 'label.update', labels[0] ?? '', { name: 'short' });
  nasty.askAs('system', 'member.refresh', BOARD_ID, { user: { ...ben, firstname: '\u0001'.repeat(255) } });
  nasty.must(ann, 'label.delete', labels[1] ?? '', {});
  nasty.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  nasty.must(ann, 'column.delete', column, {});
  const bare = Buffer.byteLength(JSON.stringify(nasty.full));
  t.ok(nasty.state.size.bytes <= bare * 1.1 + 100, 'removed records are no longer counted');
});

t.test('a change of a long text weighs the new text once, and no text that stays or goes', async (t) => {
  let weighed = 0;
  const weigh = (text: string): number => {
    weighed += text.length >= 1_000 ? text.length : 0;
    return jsonBytes(text);
  };
  const scenario = Scenario.withBoard();
  const id = scenario.addCard(scenario.addColumn('To do'), 'Work');
  const card = scenario.state.get('card', id);
  if (card === undefined) throw new Error('the card was not created');
  const texts = [...NASTY, 'x'].map((text) => text.repeat(10_000 / text.length));
  const versions = texts.flatMap((description) => [
    { ...card, description },
    { ...card, description, title: 'Other' },
  ]);
  const size = new BoardSize(null, weigh);
  size.replace('card', undefined, card);
  let before = card;
  for (const after of versions) {
    // As a command does: first for the limits, then when the change is applied.
    new BoardSize(size).replace('card', before, after);
    size.replace('card', before, after);
    const whole = new BoardSize();
    whole.replace('card', undefined, after);
    t.equal(size.bytes, whole.bytes, 'the sum stays exact');
    before = after;
  }
  t.equal(
    weighed,
    texts.reduce((sum, { length }) => sum + length, 0),
  );
});

const SECOND_FILE = 'b0a2db0a-2d00-4000-8000-00000000f12e';

t.test('QUOTA2 a board refuses entries above the limit of their kind and names the limit', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const card = scenario.addCard(column, 'Work');
  const checklist = scenario.addChecklist(card, 'Steps');
  scenario.addItem(checklist, 'One');
  scenario.addLabel('red');
  scenario.must(ann, 'rule.create', BOARD_ID, idleRule);
  const file = { id: 'b0a2db0a-2d00-4000-8000-00000000f11e', name: 'a', mime_type: 'text/plain', size: 10 };
  scenario.must(ann, 'attachment.create', card, file);
  scenario.limits = limitsAt(scenario);

  const blank = { color, is_done_column: false, position: null };
  const newCard = { column_id: column, title: 'More', description: null, position: null };
  const full = (most: number, things: string, setting: string): string => `A board can have at most ${most} ${things} (${setting})`;
  refusedBy(t, scenario.ask(ann, 'column.create', BOARD_ID, { title: 'More', ...blank }), full(1, 'columns', 'MAX_BOARD_COLUMNS'));
  refusedBy(t, scenario.ask(ann, 'card.create', BOARD_ID, newCard), full(1, 'cards', 'MAX_BOARD_CARDS'));
  refusedBy(t, scenario.ask(ann, 'label.create', BOARD_ID, { name: 'x', color }), full(1, 'labels', 'MAX_BOARD_LABELS'));
  refusedBy(t, scenario.ask(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: cleo }), full(2, 'members', 'MAX_BOARD_MEMBERS'));
  refusedBy(t, scenario.ask(ann, 'rule.create', BOARD_ID, idleRule), full(1, 'automation rules', 'MAX_BOARD_RULES'));
  const items = full(3, 'checklists, items and attachments', 'MAX_BOARD_ITEMS');
  refusedBy(t, scenario.ask(ann, 'checklist.create', card, { title: 'More' }), items);
  refusedBy(t, scenario.ask(ann, 'item.create', checklist, { content: 'Two' }), items);
  refusedBy(t, scenario.ask(ann, 'attachment.create', card, { ...file, id: SECOND_FILE, size: 0 }), items);

  scenario.limits = limitsAt(scenario, { items: 4, attachmentBytes: 11 });
  const bytes = full(11, 'bytes of attachments', 'MAX_BOARD_ATTACHMENT_BYTES');
  refusedBy(t, scenario.ask(ann, 'attachment.create', card, { ...file, id: SECOND_FILE, size: 2 }), bytes);
  t.equal(scenario.ask(ann, 'attachment.begin', card, {}).error, null, 'a smaller one may fit');
  scenario.must(ann, 'attachment.create', card, { ...file, id: SECOND_FILE, size: 1 });
  scenario.limits = { ...scenario.limits, items: 9 };
  refusedBy(t, scenario.ask(ann, 'attachment.begin', card, {}), bytes);

  scenario.must(ann, 'card.delete', card, {});
  scenario.must(ann, 'card.create', BOARD_ID, newCard);
});

t.test('QUOTA3 a board refuses bytes above its limit, of every kind', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const label = scenario.addLabel('x');
  const cards = Array.from({ length: 20 }, (_, n) => scenario.addCard(column, `card ${n}`));
  const [card = ''] = cards;
  for (const id of cards) scenario.must(ann, 'card.addLabel', id, { label_id: label });
  scenario.limits = { ...DEFAULT_LIMITS, bytes: scenario.state.size.bytes + 1_000 };
  const detail = `A board can have at most ${scenario.limits.bytes} bytes (MAX_BOARD_BYTES)`;

  refusedBy(t, scenario.ask(ann, 'card.update', card, { description: '\u0001'.repeat(200) }), detail);
  refusedBy(t, scenario.ask(ann, 'label.update', label, { name: 'x'.repeat(52) }), detail);
  t.equal(scenario.ask(ann, 'label.update', label, { name: 'x'.repeat(48) }).error, null, '47 bytes more on 20 cards fit');
  refusedBy(t, scenario.ask(ann, 'card.assign', card, { user_ids: [ann.id] }), detail);
  refusedBy(t, scenario.ask(ann, 'board.update', BOARD_ID, { description: 'x'.repeat(1_000) }), detail);
  t.equal(scenario.ask(ann, 'card.move', card, { column_id: null, position: 5 }).error, null, 'a move adds nothing');
  t.equal(scenario.ask(ann, 'card.update', card, { title: 'c' }).error, null);
});

t.test('QUOTA2 a card, a checklist and an item have limits of their own', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const card = scenario.addCard(column, 'Work');
  const most = (parent: string, things: keyof typeof MAX_ON_ONE): string => `A ${parent} can have at most ${MAX_ON_ONE[things]} ${things}`;
  const board = (seeds: Partial<Parameters<typeof crowdedOnce>[0]>): Scenario => crowdedOnce(seeds);

  const labelled = board({ labels: MAX_ON_ONE.labels + 1 });
  const labels = labelled.full.labels.map(({ id }) => id);
  const [last = ''] = labels.splice(-1);
  const only = labelled.full.columns[0]?.cards[0]?.id ?? '';
  refusedBy(t, labelled.ask(ann, 'card.addLabel', only, { label_id: last }), most('card', 'labels'));

  const listed = board({ checklists: MAX_ON_ONE.checklists, items: MAX_ON_ONE.items });
  const full = listed.full.columns[0]?.cards[0];
  refusedBy(t, listed.ask(ann, 'checklist.create', full?.id ?? '', { title: 'x' }), most('card', 'checklists'));
  const [long, short] = full?.checklists ?? [];
  refusedBy(t, listed.ask(ann, 'item.create', long?.id ?? '', { content: 'x' }), most('checklist', 'items'));
  const stray = listed.addItem(short?.id ?? '', 'stray');
  refusedBy(t, listed.ask(ann, 'item.move', stray, { checklist_id: long?.id ?? '', position: 0 }), most('checklist', 'items'));
  t.equal(listed.ask(ann, 'item.move', long?.items[0]?.id ?? '', { checklist_id: null, position: 3 }).error, null);

  const crowded = board({ members: MAX_ON_ONE.assignees + 1, attachments: MAX_ON_ONE.attachments });
  const user_ids = crowded.full.members.map(({ user_id }) => user_id);
  const [target] = crowded.full.columns[0]?.cards ?? [];
  refusedBy(t, crowded.ask(ann, 'attachment.begin', target?.id ?? '', {}), most('card', 'attachments'));
  const file = { id: SECOND_FILE, name: 'a', mime_type: 'text/plain', size: 1 };
  refusedBy(t, crowded.ask(ann, 'attachment.create', target?.id ?? '', file), most('card', 'attachments'));
  const item = scenario.addItem(scenario.addChecklist(card, 'x'), 'x');
  t.equal(scenario.ask(ann, 'item.assign', item, { user_ids: [ann.id, ben.id] }).error, null);
  refusedBy(t, crowded.ask(ann, 'card.assign', target?.id ?? '', { user_ids: user_ids.slice(-1) }), most('card', 'assignees'));
});

t.test('QUOTA5 what automation adds counts as part of the command that triggered it', async (t) => {
  const scenario = Scenario.withBoard();
  const [from, to] = [scenario.addColumn('From'), scenario.addColumn('To')];
  const card = scenario.addCard(from, 'Work');
  const rule = { ...idleRule, trigger_type: 'CARD_MOVED' as const, trigger_column_id: to };
  scenario.must(ann, 'rule.create', BOARD_ID, rule);
  const before = scenario.full;
  scenario.limits = { ...DEFAULT_LIMITS, bytes: scenario.state.size.bytes + 50 };
  const result = scenario.ask(ann, 'card.move', card, { column_id: to, position: 0 });
  refusedBy(t, result, `A board can have at most ${scenario.limits.bytes} bytes (MAX_BOARD_BYTES)`);
  t.strictSame(scenario.full, before, 'the move is refused with it');
  scenario.limits = DEFAULT_LIMITS;
  scenario.must(ann, 'card.move', card, { column_id: to, position: 0 });
});

t.test('QUOTA6 a board above its limits can be read, changed and shrunk; only growth is refused', async (t) => {
  const scenario = Scenario.withBoard();
  const columns = ['A', 'B', 'C'].map((title) => scenario.addColumn(title));
  const cards = columns.map((column) => scenario.addCard(column, 'Work'));
  const labels = ['x', 'y', 'z'].map((name) => scenario.addLabel(name));
  const [[first = '', second = ''], [card = ''], [label = '', other = '']] = [columns, cards, labels];
  scenario.must(ann, 'card.addLabel', card, { label_id: label });
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  scenario.limits = {
    ...{ bytes: 1, cards: 1, columns: 1, labels: 1, members: 1, rules: 1, items: 1 },
    attachmentBytes: 1,
    commentBytes: 1,
  };
  t.equal(scenario.ask(ann, 'board.get', BOARD_ID, {}).error, null);
  t.equal(scenario.ask(ann, 'card.move', card, { column_id: second, position: 0 }).error, null);
  t.equal(scenario.ask(ann, 'card.update', card, { title: 'Wor' }).error, null);
  t.equal(scenario.ask(ann, 'label.update', label, { name: 'w' }).error, null);
  t.equal(scenario.ask(ann, 'card.removeLabel', card, { label_id: label }).error, null);
  t.match(scenario.ask(ann, 'card.addLabel', card, { label_id: other }).error, { code: 'limit' });
  t.match(scenario.ask(ann, 'card.update', card, { title: 'Works' }).error, { code: 'limit' });
  t.equal(scenario.ask(ann, 'label.delete', label, {}).error, null);
  t.equal(scenario.ask(ann, 'member.remove', BOARD_ID, { user_id: ben.id }).error, null);
  t.equal(scenario.ask(ann, 'column.delete', first, {}).error, null);
  t.equal(scenario.ask(ann, 'board.delete', BOARD_ID, {}).error, null);
});

t.test('MEMBER4 a member with many assignments is unassigned in steps and then removed', async (t) => {
  const places = Array.from({ length: MAX_UNASSIGNED * 2 + 5 }, (_, n) => n);
  const card = {
    title: 'x',
    description: null,
    ...UNDATED,
    labels: [],
    assignee_ids: [ann.id, ben.id],
    checklists: [],
    attachments: [],
    comments: [],
  };
  const item = { content: 'x', is_done: false, due_at: null, assignee_ids: [ben.id] };
  const cards: ImportedCard[] = places.map((n) => (n === 0 ? { ...card, checklists: [{ title: 'x', items: [item] }] } : card));
  const scenario = Scenario.withoutBoard();
  scenario.must(ann, 'board.import', BOARD_ID, {
    ...{ title: 'Busy', description: null, importer: ann, labels: [], rules: [] },
    members: [{ user: ben, role: 'member' }],
    columns: [{ title: 'To do', color, is_done_column: false, cards }],
  });
  const [user_id, detail] = [ben.id, `A member with more than ${MAX_UNASSIGNED} assignments is removed step by step`];
  const steps: unknown[] = [];
  for (let removed = false; !removed && steps.length < 9;) {
    const removal = scenario.ask(ann, 'member.remove', BOARD_ID, { user_id });
    removed = removal.error === null;
    if (removed) {
      steps.push(removal.eventTypes.length, removal.eventTypes.at(-1));
    } else {
      refusedBy(t, removal, detail);
      const { body, eventTypes } = scenario.askAs({ user_id }, 'member.unassign', BOARD_ID, { user_id });
      steps.push([eventTypes.length, body]);
    }
  }
  t.strictSame(steps, [[MAX_UNASSIGNED, true], [MAX_UNASSIGNED, false], 7, 'board.member_removed'], 'no step is larger than that');
  t.ok(
    scenario.full.columns[0]?.cards.every(({ assignees }) => assignees.length === 1),
    'others stay assigned',
  );

  t.match(scenario.ask(ann, 'member.unassign', BOARD_ID, { user_id: ann.id }).error, { code: 'conflict' }, 'not the last owner');
  t.match(scenario.ask(ann, 'member.unassign', BOARD_ID, { user_id }).error, { code: 'not_found' });
  scenario.must(ann, 'member.add', BOARD_ID, { user_id, user: ben });
  const other = scenario.askAs({ user_id }, 'member.unassign', BOARD_ID, { user_id: ann.id });
  t.match(other.error, { code: 'forbidden' });
});

t.test('MEMBER9 a changed profile reaches a full board', async (t) => {
  const scenario = Scenario.withBoard();
  scenario.limits = { ...DEFAULT_LIMITS, bytes: 1 };
  const user = { ...ben, firstname: 'Benjamin' };
  t.strictSame(scenario.askAs('system', 'member.refresh', BOARD_ID, { user }).error, null);
  t.match(scenario.full.members, [{}, { user: { firstname: 'Benjamin' } }]);
});

t.test('QUOTA5 an import plan is checked against the same limits, with the same messages', async (t) => {
  const card = { title: 'x', description: null, ...UNDATED, labels: [0], assignee_ids: [ben.id], checklists: [], attachments: [], comments: [] };
  const item = { content: 'x', is_done: false, due_at: null, assignee_ids: [ben.id] };
  const file = { id: SECOND_FILE, name: 'a', mime_type: 'text/plain', size: 100, digest: null, url: null };
  const busy: ImportedCard = {
    ...card,
    checklists: [{ title: 'x', items: [item] }],
    attachments: [file],
    comments: [{ created_by: null, author_name: 'x', body: 'x' }],
  };
  const { trigger_column_id: _1, trigger_label_id: _2, action_column_id: _3, ...rule } = idleRule;
  const plan: ImportedBoard = {
    title: 'Imported',
    description: null,
    importer: ann,
    members: [{ user: ben, role: 'member' }],
    labels: [{ name: '\u0001'.repeat(255), color }],
    columns: [{ title: 'To do', color, is_done_column: false, cards: [busy, card] }],
    rules: [{ ...rule, trigger_column: null, trigger_label: null, action_column: null }],
  };
  const made = Scenario.withoutBoard();
  made.must(ann, 'board.import', BOARD_ID, plan);
  const exact = { ...limitsAt(made), bytes: made.state.size.bytes };
  const importWith = (limits: Partial<BoardLimits>, changed: Partial<ImportedBoard> = {}): Result => {
    const scenario = Scenario.withoutBoard();
    scenario.limits = { ...exact, ...limits };
    return scenario.ask(ann, 'board.import', BOARD_ID, { ...plan, ...changed });
  };
  t.equal(importWith({}).error, null, 'a board exactly at the limit is accepted: both ways of counting agree');
  for (const [limit, { setting, things }] of Object.entries(LIMIT_TEXTS)) {
    const value = exact[limit as keyof BoardLimits] - 1;
    refusedBy(t, importWith({ [limit]: value }), `A board can have at most ${value} ${things} (${setting})`);
  }
  const cards = (cards: readonly ImportedCard[]): Partial<ImportedBoard> => {
    return { columns: [{ title: 'To do', color, is_done_column: false, cards }] };
  };
  const many = <T>(count: number, thing: T): T[] => Array.from({ length: count }, () => thing);
  const on = (changes: Partial<ImportedCard>): Result => importWith(DEFAULT_LIMITS, cards([{ ...card, ...changes }]));
  refusedBy(t, on({ labels: many(101, 0) }), 'A card can have at most 100 labels');
  refusedBy(t, on({ assignee_ids: many(1_001, ben.id) }), 'A card can have at most 1000 assignees');
  refusedBy(t, on({ checklists: many(101, { title: 'x', items: [] }) }), 'A card can have at most 100 checklists');
  refusedBy(t, on({ checklists: [{ title: 'x', items: many(1_001, item) }] }), 'A checklist can have at most 1000 items');
  refusedBy(t, on({ attachments: many(501, file) }), 'A card can have at most 500 attachments');
});

t.test('QUOTA10 every limit that a refusal names is a setting, and a board of 49,000 short cards is within them', async (t) => {
  const names = Object.values(SETTINGS).map(({ name }) => name);
  for (const { setting } of Object.values(LIMIT_TEXTS)) t.ok(names.includes(setting), setting);
  const card = { title: 'card 12345', description: null, ...UNDATED, labels: [], assignee_ids: [], checklists: [], attachments: [], comments: [] };
  const cards = Array.from({ length: 49_000 }, () => card);
  const columns = [{ title: 'To do', color, is_done_column: false, cards }];
  const plan = { title: 'Large', description: null, importer: ann, members: [], labels: [], columns, rules: [] };
  t.doesNotThrow(() => refuseOversizedPlan(plan, DEFAULT_LIMITS));
  t.throws(() => refuseOversizedPlan(plan, { ...DEFAULT_LIMITS, cards: 48_999 }), { code: 'limit' });
});

/** A board with one card that has this many parts. */
function crowdedOnce(counts: {
  readonly labels?: number;
  readonly checklists?: number;
  readonly items?: number;
  readonly attachments?: number;
  readonly members?: number;
}): Scenario {
  const times = { created_at: '2030-01-01T00:00:00.000Z', updated_at: '2030-01-01T00:00:00.000Z' };
  const marks = { ...times, created_by: ann.id, updated_by: ann.id };
  const id = (kind: string, n: number): string => `b0a2db0a-2d00-4000-8000-${kind}${String(n).padStart(10, '0')}`;
  const some = <T>(count: number | undefined, make: (n: number) => T): T[] => Array.from({ length: count ?? 0 }, (_, n) => make(n));
  const labels = some(counts.labels, (n) => ({ id: id('1a', n), name: `label ${n}`, color, ...times }));
  const guests = some(counts.members, (n): PublicUser => ({ ...ben, id: id('05', n), username: `guest ${n}` }));
  const [column_id, card_id] = [id('c0', 0), id('ca', 0)];
  const label_ids = labels.slice(0, MAX_ON_ONE.labels).map((label) => label.id);
  const assignee_ids = guests.slice(0, MAX_ON_ONE.assignees).map((guest) => guest.id);
  const place = { rank: 1, color, is_done_column: false };
  return Scenario.loaded({
    epoch: '0',
    seq: 0,
    entities: {
      board: [{ id: BOARD_ID, title: 'Crowded', description: null, color: null, icon: null, archived: null, ...marks }],
      member: [ann, ...guests].map((user) => ({
        id: user.id,
        role: user === ann ? 'owner' : 'member',
        user,
        is_starred: false,
        assignable_since: 0,
        reminder_minutes: null,
        ...times,
      })),
      column: [{ id: column_id, title: 'To do', ...place, ...marks }],
      card: [{ id: card_id, column_id, title: 'x', description: null, ...UNDATED, rank: 1, label_ids, assignee_ids, ...marks }],
      label: labels,
      checklist: some(counts.checklists, (n) => ({ id: id('c1', n), card_id, title: 'x', rank: n, ...times })),
      item: some(counts.items, (n) => {
        const own = { id: id('17', n), checklist_id: id('c1', 0), content: 'x', is_done: false, due_at: null, rank: n };
        return { ...own, assignee_ids: [], ...times };
      }),
      attachment: some(counts.attachments, (n) => {
        return { id: id('f1', n), card_id, name: 'x', mime_type: 'text/plain', size: 1, digest: null, url: null, comment_id: null, ...times };
      }),
      rule: [],
    },
  });
}
