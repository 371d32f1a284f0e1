import t, { type Test } from 'tap';
import { TRASH } from '../../src/domain/board/laterFields.js';
import { finishRemoval } from '../../src/domain/board/removals.js';
import type { Uuid } from '../../src/domain/ids.js';
import { DEFAULT_LIMITS, sizeAsLimits } from '../support/board/boardLimits.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, idleRule, Scenario, type Result } from './scenario.js';

const DAY_MS = 86_400_000;

interface Full {
  readonly scenario: Scenario;
  readonly todo: Uuid;
  readonly card: Uuid;
  readonly label: Uuid;
  readonly checklist: Uuid;
  readonly file: Uuid;
}

/** A column with a card that has everything, between others. */
function setUp(): Full {
  const scenario = Scenario.withBoard();
  const [todo] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  scenario.addCard(todo, 'First');
  const card = scenario.addCard(todo, 'Write');
  scenario.addCard(todo, 'Last');
  const [label, other] = [scenario.addLabel('urgent'), scenario.addLabel('small')];
  for (const label_id of [label, other]) scenario.must(ann, 'card.addLabel', card, { label_id });
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  const [checklist] = [scenario.addChecklist(card, 'Steps'), scenario.addChecklist(card, 'More')];
  scenario.must(ann, 'item.assign', scenario.addItem(checklist, 'One'), { user_ids: [ann.id] });
  const file = 'b0a2db0a-2d00-4000-8000-f00000000001';
  scenario.must(ann, 'attachment.create', card, { id: file, name: 'plan.png', mime_type: 'image/png', size: 3 });
  scenario.must(ann, 'attachment.link', card, { url: 'https://example.org/', title: null });
  scenario.must(ann, 'comment.create', card, { body: 'Soon' });
  return { scenario, todo, card, label, checklist, file };
}

function restore(scenario: Scenario, entry_id: Uuid, column_id: Uuid | null = null, user = ben): Result {
  return scenario.ask(user, 'trash.restore', BOARD_ID, { entry_id, column_id });
}

function entries(scenario: Scenario, limit = 50): { readonly entries: readonly object[]; readonly next: string | null } {
  return scenario.must(ben, 'trash.list', BOARD_ID, { before: null, limit }) as never;
}

t.test('TRASH1 what is deleted comes back as it was, with its ids and everything on it, by an event that shows it', async (t) => {
  const { scenario, todo, card, label, checklist, file } = setUp();
  const archived = scenario.addCard(todo, 'Old');
  scenario.must(ann, 'card.archive', archived, {});
  const things = [
    ['card.delete', card, 'card', 'Write', ['card.created']],
    ['column.delete', todo, 'column', 'To do', ['column.created']],
    ['checklist.delete', checklist, 'checklist', 'Steps', ['checklist.created']],
    ['attachment.delete', file, 'attachment', 'plan.png', ['attachment.created']],
    ['label.delete', label, 'label', 'urgent', ['label.created', 'card.labeled']],
    ['card.delete', archived, 'card', 'Old', ['card.archived']],
  ] as const;
  for (const [op, id, kind, title, events] of things) {
    const [before, archive] = [scenario.full, scenario.state.size.archived];
    scenario.must(ann, op, id, {});
    t.notSame([scenario.full, scenario.state.size.archived], [before, archive], `${op}: gone`);
    like(t, entries(scenario), { entries: [{ id, kind, title, deleted_by: ann.id }], next: null });
    const { error, eventTypes, body, events: emitted } = restore(scenario, id);
    t.equal(error, null);
    t.strictSame(eventTypes, events);
    t.strictSame(body, { id, kind, is_complete: true });
    t.strictSame(scenario.full, before, `${op}: the same resource`);
    t.strictSame(scenario.state.size.archived, archive);
    t.equal(emitted[0]?.data.id, id);
    t.strictSame(entries(scenario).entries, []);
    like(t, restore(scenario, id).error, { code: 'not_found' });
  }
  like(t, scenario.must(ann, 'card.get', card, {}), { comment_count: 1, labels: [{ id: label }, {}], assignees: [{ id: ben.id }] });
  like(t, scenario.must(ann, 'comment.list', card, { before: null, limit: 5 }), { comments: [{ body: 'Soon' }] });
  like(t, scenario.must(ann, 'card.get', archived, {}), { archived_at: /^20/ });
});

t.test('TRASH1 it goes to its old place, a card to another column if one is given; where it was must be there', async (t) => {
  const { scenario, todo, card, checklist } = setUp();
  const done = scenario.full.columns[1]?.id ?? '';
  scenario.must(ann, 'checklist.delete', checklist, {});
  scenario.must(ann, 'card.delete', card, {});
  like(t, restore(scenario, checklist).error, { code: 'conflict', detail: new RegExp(`The card of "Steps" is not there any more: ${card}`) });
  scenario.must(ann, 'column.archive', todo, {});
  like(t, restore(scenario, card).error, { code: 'conflict', detail: new RegExp(`The column of "Write" is archived: ${todo}`) });
  like(t, restore(scenario, card, todo).error, { code: 'not_found', detail: /Column/ });
  t.equal(restore(scenario, card, done).error, null);
  t.equal(scenario.state.get('card', card)?.column_id, done);
  t.equal(restore(scenario, checklist).error, null);
  scenario.must(ann, 'card.delete', card, {});
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  scenario.must(ann, 'member.add', BOARD_ID, { user_id: ben.id, user: ben });
  t.equal(restore(scenario, card, done, ann).error, null);
  like(t, scenario.must(ann, 'card.get', card, {}), { assignees: [] }, 'who left meanwhile is not assigned again');
  const [, middle] = ['a', 'b', 'c'].map((title) => scenario.addCard(done, title));
  scenario.must(ann, 'card.delete', middle ?? '', {});
  scenario.addCard(done, 'x', 2);
  t.equal(restore(scenario, middle ?? '').error, null);
  const titles = scenario.full.columns[0]?.cards.map(({ title }) => title);
  t.strictSame(titles?.slice(-4), ['a', 'b', 'x', 'c'], 'before the card that has its rank now');
});

t.test('TRASH1 rights: members see and restore it, owners throw it away, others neither', async (t) => {
  const { scenario, card } = setUp();
  scenario.must(ann, 'card.delete', card, {});
  const input = { entry_id: card, column_id: null };
  for (const role of ['viewer', 'commenter'] as const) {
    scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role });
    like(t, scenario.ask(ben, 'trash.list', BOARD_ID, { before: null, limit: 1 }).error, { code: 'forbidden' });
    like(t, scenario.ask(ben, 'trash.restore', BOARD_ID, input).error, { code: 'forbidden' });
  }
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'member' });
  like(t, scenario.ask(cleo, 'trash.list', BOARD_ID, { before: null, limit: 1 }).error, { code: 'forbidden' });
  like(t, scenario.ask(cleo, 'trash.restore', BOARD_ID, input).error, { code: 'forbidden' });
  like(t, scenario.ask(ben, 'trash.delete', BOARD_ID, { entry_id: card }).error, { code: 'forbidden', detail: /owner/ });
  const { eventTypes, error } = scenario.ask(ann, 'trash.delete', BOARD_ID, { entry_id: card });
  t.strictSame([error, eventTypes], [null, []]);
  like(t, restore(scenario, card).error, { code: 'not_found' });
});

t.test('TRASH1 it expires, and with no days nothing is kept; the list comes in pages', async (t) => {
  const { scenario, todo, card, checklist } = setUp();
  scenario.must(ann, 'checklist.delete', checklist, {});
  scenario.must(ann, 'card.delete', card, {});
  const first = entries(scenario, 1);
  like(t, first.entries, [{ id: card }]);
  const [created_at = '', id = ''] = first.next?.split('_') ?? [];
  like(t, scenario.must(ben, 'trash.list', BOARD_ID, { before: { created_at, id }, limit: 1 }), { entries: [{ id: checklist }], next: null });
  scenario.wait(30 * DAY_MS);
  t.strictSame(entries(scenario).entries, []);
  like(t, restore(scenario, card).error, { code: 'not_found' });
  scenario.trashDays = 0;
  scenario.must(ann, 'column.delete', todo, {});
  t.strictSame(entries(scenario).entries, []);
  like(t, restore(scenario, todo).error, { code: 'not_found' });
  scenario.trashDays = 30;
  scenario.schema = TRASH - 1;
  const { id: last } = scenario.must(ann, 'column.create', BOARD_ID, { title: 'x', color: 'red', is_done_column: false, position: null });
  scenario.must(ann, 'column.delete', last, {});
  scenario.schema = null;
  like(t, restore(scenario, last).error, { code: 'not_found' }, 'an older program would not keep it');
});

t.test('TRASH1 the trash makes room for what is new, the oldest first, and a restored thing keeps to the limits', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const [a, b, c] = ['a', 'b', 'c'].map((title) => scenario.addCard(column, title)) as [Uuid, Uuid, Uuid];
  scenario.limits = { ...DEFAULT_LIMITS, cards: 3 };
  scenario.must(ann, 'card.delete', a, {});
  scenario.must(ann, 'card.delete', b, {});
  like(t, entries(scenario).entries, [{ id: b }, { id: a }]);
  scenario.addCard(column, 'd');
  like(t, entries(scenario).entries, [{ id: b }], 'the oldest went');
  scenario.addCard(column, 'e');
  t.strictSame(entries(scenario).entries, []);
  scenario.must(ann, 'card.delete', c, {});
  scenario.limits = { ...DEFAULT_LIMITS, cards: 2 };
  like(t, restore(scenario, c).error, { code: 'limit', detail: /MAX_BOARD_CARDS/ });
  scenario.limits = sizeAsLimits(scenario.state.size);
  const [full] = scenario.full.columns[0]?.cards ?? [];
  scenario.must(ann, 'card.update', full?.id ?? '', { title: 'D' });
  t.strictSame(entries(scenario).entries, [], 'also for bytes');
});

t.test('NUMBER1 a card that one command makes and deletes or archives keeps its number', async (t) => {
  const { scenario, todo } = setUp();
  for (const op of ['card.delete', 'card.archive'] as const) {
    const id = `b0a2db0a-2d00-4000-8000-e0000000000${op.length}`;
    const input = { column_id: todo, title: 'Short', description: null, position: null };
    const operations = [
      { op: 'card.create' as const, target: BOARD_ID, input, status: 201, id },
      { op, target: id, input: {}, status: 200, id: null },
    ];
    scenario.must(ann, 'board.batch', BOARD_ID, { operations });
    const next = scenario.state.get('card', scenario.addCard(todo, 'Next'))?.number;
    if (op === 'card.delete') t.equal(restore(scenario, id).error, null);
    else scenario.must(ann, 'card.restore', id, { column_id: null, position: null });
    t.equal(scenario.state.get('card', id)?.number, (next ?? 0) - 1);
  }
});

/** As the shard does it before the board's next command. */
function finish(scenario: Scenario): number {
  let steps = 0;
  for (const removal of scenario.state.unfinished.splice(0)) {
    for (const changes of finishRemoval(scenario.state, removal)) {
      scenario.applyRows(changes);
      steps += 1;
    }
  }
  return steps;
}

function addItems(scenario: Scenario, checklist: Uuid, count: number, tag: string): void {
  for (let n = 0; n < count; n += 100) {
    const operations = Array.from({ length: Math.min(100, count - n) }, (_, index) => {
      const id = `b0a2db0a-2d00-4000-8000-${tag}${String(n + index).padStart(11, '0')}`;
      return { op: 'item.create' as const, target: checklist, input: { content: `${n + index}` }, status: 201, id };
    });
    scenario.must(ann, 'board.batch', BOARD_ID, { operations });
  }
}

function restoreAll(t: Test, scenario: Scenario, id: Uuid): Result[] {
  const results: Result[] = [];
  for (let tries = 0; tries < 50; tries += 1) {
    const result = restore(scenario, id);
    t.equal(result.error, null);
    results.push(result);
    if ((result.body as unknown as { is_complete: boolean }).is_complete) return results;
  }
  throw new Error('it never ends');
}

t.test('TRASH1 a large deletion goes there in several commits, and comes back in parts', async (t) => {
  const { scenario, todo, card, checklist } = setUp();
  addItems(scenario, checklist, 999, 'c');
  addItems(scenario, scenario.addChecklist(card, 'Even more'), 900, 'd');
  addItems(scenario, scenario.addChecklist(card, 'And more'), 700, 'e');
  const before = scenario.full;
  for (const [op, id, kind] of [
    ['checklist.delete', checklist, 'checklist'],
    ['card.delete', card, 'card'],
    ['column.delete', todo, 'column'],
  ] as const) {
    scenario.must(ann, op, id, {});
    t.ok(finish(scenario) > 3, `${kind}: in several commits`);
    t.equal(entries(scenario).entries.length, 1, 'it is one entry');
    const results = restoreAll(t, scenario, id);
    if (kind !== 'checklist') t.ok(results.length > 1, `${kind}: in ${results.length} parts`);
    for (const { eventTypes } of results)
      t.ok(
        eventTypes.every((type) => /^(?:checklist|card|column)\.created$/.test(type)),
        eventTypes.join(),
      );
    t.strictSame(scenario.full, before, 'the same resource');
    t.strictSame(entries(scenario).entries, []);
  }
  scenario.must(ann, 'column.delete', todo, {});
  finish(scenario);
  like(t, scenario.ask(ann, 'board.undo', BOARD_ID, { seq: null }).error, { code: 'conflict', detail: /Restore it from the trash/ });
  // A part is back, and is deleted again: one entry has all.
  t.equal(restore(scenario, todo).error, null);
  scenario.must(ann, 'column.delete', todo, {});
  finish(scenario);
  restoreAll(t, scenario, todo);
  t.strictSame(scenario.full, before);
});

t.test('TRASH1 a label of many cards comes back in parts, where it was among their labels', async (t) => {
  const { scenario, todo, label } = setUp();
  for (let n = 0; n < 250; n += 1) scenario.must(ann, 'card.addLabel', scenario.addCard(todo, `${n}`), { label_id: label });
  const before = scenario.full;
  scenario.must(ann, 'label.delete', label, {});
  finish(scenario);
  t.equal(scenario.must(ann, 'label.stats', BOARD_ID, {})['length' as never], 1);
  t.equal(restoreAll(t, scenario, label).length, 2);
  t.strictSame(scenario.full, before);
});

const HOME = { column_id: null, position: null };

/** How a card leaves the board and comes back. */
const WAYS: Readonly<Record<string, readonly [leave: (full: Full) => unknown, comeBack: (full: Full) => unknown]>> = {
  archive: [
    ({ scenario, card }) => scenario.must(ann, 'card.archive', card, {}),
    ({ scenario, card }) => scenario.must(ann, 'card.restore', card, HOME),
  ],
  'archive, with its column': [
    ({ scenario, todo }) => scenario.must(ann, 'column.archive', todo, {}),
    ({ scenario, todo }) => scenario.must(ann, 'column.restore', todo, { position: null }),
  ],
  trash: [({ scenario, card }) => scenario.must(ann, 'card.delete', card, {}), ({ scenario, card }) => restore(scenario, card)],
  'trash, to another column': [
    ({ scenario, card }) => scenario.must(ann, 'card.delete', card, {}),
    ({ scenario, card }) => restore(scenario, card, scenario.full.columns[1]?.id),
  ],
  'trash, with its column': [({ scenario, todo }) => scenario.must(ann, 'column.delete', todo, {}), ({ scenario, todo }) => restore(scenario, todo)],
  'archive and trash': [
    ({ scenario, card }) => [scenario.must(ann, 'card.archive', card, {}), scenario.must(ann, 'card.delete', card, {})],
    ({ scenario, card }) => [restore(scenario, card), scenario.must(ann, 'card.restore', card, HOME)],
  ],
};

t.test('TRASH1 a label comes back to cards that are away, and to those that were away when it was deleted or restored', async (t) => {
  for (const [way, [leave, comeBack]] of Object.entries(WAYS)) {
    for (const steps of [
      ['leave', 'delete', 'restore', 'comeBack'],
      ['leave', 'delete', 'comeBack', 'restore'],
      ['delete', 'leave', 'restore', 'comeBack'],
      ['delete', 'leave', 'comeBack', 'restore'],
    ] as const) {
      const full = setUp();
      const { scenario, card, label } = full;
      const before = labelsOf(scenario, card);
      const perform = {
        leave: () => leave(full),
        comeBack: () => comeBack(full),
        delete: () => scenario.must(ann, 'label.delete', label, {}),
        restore: () => restore(scenario, label),
      };
      for (const step of steps) perform[step]();
      t.strictSame(labelsOf(scenario, card), before, `${way}: ${steps.join()}`);
      t.strictSame(entries(scenario).entries, []);
    }
  }
});

t.test('TRASH1 a column of many cards and their label come back in parts, in any order', async (t) => {
  for (const first of ['label', 'column'] as const) {
    const { scenario, todo, label } = setUp();
    for (let n = 0; n < 250; n += 1) scenario.must(ann, 'card.addLabel', scenario.addCard(todo, `${n}`), { label_id: label });
    const before = scenario.full;
    const other = first === 'label' ? todo : label;
    for (const id of [label, todo]) {
      scenario.must(ann, id === label ? 'label.delete' : 'column.delete', id, {});
      finish(scenario);
    }
    restoreAll(t, scenario, first === 'label' ? label : todo);
    restoreAll(t, scenario, other);
    t.strictSame(scenario.full, before, `the ${first} first`);
  }
});

t.test('TRASH1 a label that was thrown away comes back to no card', async (t) => {
  const { scenario, card, label } = setUp();
  scenario.must(ann, 'card.archive', card, {});
  scenario.must(ann, 'label.delete', label, {});
  scenario.must(ann, 'trash.delete', BOARD_ID, { entry_id: label });
  scenario.must(ann, 'card.restore', card, HOME);
  t.strictSame([labelsOf(scenario, card).length, entries(scenario).entries], [1, []]);
});

function labelsOf(scenario: Scenario, card: Uuid): readonly Uuid[] {
  return scenario.state.get('card', card)?.label_ids ?? [];
}

/** Without who changed a thing last. */
function unmarked({ full }: Scenario): unknown {
  return JSON.parse(JSON.stringify(full, (key, value: unknown) => (key.startsWith('updated_') ? undefined : value)));
}

t.test('UNDO1 a deletion with parts is undone and redone, unless something else went with it', async (t) => {
  const { scenario, todo, card, label, checklist, file } = setUp();
  scenario.must(ann, 'card.update', card, { cover: { attachment_id: file } });
  const undo = (seq: number | null = null): Result => scenario.ask(ann, 'board.undo', BOARD_ID, { seq });
  for (const [op, id] of [
    ['card.delete', card],
    ['column.delete', todo],
    ['checklist.delete', checklist],
    ['attachment.delete', file],
    ['label.delete', label],
  ] as const) {
    const before = unmarked(scenario);
    scenario.must(ann, op, id, {});
    const after = unmarked(scenario);
    const undone = undo();
    t.equal(undone.error, null, op);
    t.strictSame(unmarked(scenario), before, `${op} undone`);
    like(t, scenario.must(ann, 'card.get', card, {}), { cover: { attachment_id: file } });
    t.equal(undo((undone.body as unknown as { seq: number }).seq).error, null, 'redone');
    t.strictSame(unmarked(scenario), after, `${op} redone`);
    t.equal(restore(scenario, id).error, null);
    if (op === 'attachment.delete') scenario.must(ann, 'card.update', card, { cover: { attachment_id: file } });
  }
  scenario.must(ann, 'column.delete', todo, {});
  const { seq } = undo().body as unknown as { seq: number };
  scenario.addCard(todo, 'New');
  like(t, undo(seq).error, { code: 'conflict', detail: /used since/ });
  scenario.must(ann, 'rule.create', BOARD_ID, { ...idleRule, trigger_type: 'CARD_MOVED', trigger_column_id: todo });
  scenario.must(ann, 'column.delete', todo, {});
  like(t, undo().error, { code: 'conflict', detail: /Rules that named "To do"/ });
});
