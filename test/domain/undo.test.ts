import fc from 'fast-check';
import { deepStrictEqual, fail, notDeepStrictEqual, ok } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { MAX_FACT_TEXT, type FactDetails } from '../../src/domain/board/activity/facts.js';
import type { Uuid } from '../../src/domain/ids.js';
import { play, steps } from './randomCommands.js';
import { ann, ben, BOARD_ID, cleo, idleRule, Scenario } from './scenario.js';
import { contentOf, thereAndBack, undo } from './undoing.js';
import { checkRefusal, checkUntouched, type Content, type Undoing } from './undoReasons.js';

function setUp(): { scenario: Scenario; todo: Uuid; done: Uuid; card: Uuid } {
  const scenario = Scenario.withBoard();
  const [todo, done] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  return { scenario, todo, done, card: scenario.addCard(todo, 'Write') };
}

t.test('UNDO1 every kind of change is undone and redone: the board is as before, and as after', async (t) => {
  const { scenario, todo, done, card } = setUp();
  const label = scenario.addLabel('urgent');
  const list = scenario.addChecklist(card, 'Steps');
  const [item, other] = [scenario.addItem(list, 'One'), scenario.addChecklist(card, 'More')];
  scenario.addItem(list, 'Two');
  const changes: ReadonlyArray<() => unknown> = [
    () => scenario.must(ben, 'card.update', card, { title: 'Print', description: 'On paper', start_at: '2030-01-01', due_at: '2030-02-01' }),
    () => scenario.must(ben, 'card.move', card, { column_id: done, position: 0 }),
    () => scenario.must(ben, 'column.update', todo, { title: 'Next', color: 'red', is_done_column: true }),
    () => scenario.must(ben, 'column.move', todo, { position: 1 }),
    () => scenario.must(ben, 'card.addLabel', card, { label_id: label }),
    () => scenario.must(ben, 'card.removeLabel', card, { label_id: label }),
    () => scenario.must(ben, 'card.assign', card, { user_ids: [ann.id, ben.id] }),
    () => scenario.must(ben, 'card.unassign', card, { user_id: ann.id }),
    () => scenario.must(ben, 'item.assign', item, { user_ids: [ann.id] }),
    () => scenario.must(ben, 'item.update', item, { is_done: true, content: 'First' }),
    () => scenario.must(ben, 'item.move', item, { checklist_id: other, position: 0 }),
    () => scenario.must(ben, 'checklist.update', list, { title: 'Stages' }),
    () => scenario.must(ben, 'checklist.move', list, { position: 1 }),
    () => scenario.must(ben, 'label.update', label, { name: 'soon', color: 'blue' }),
    () => scenario.must(ben, 'card.create', BOARD_ID, { column_id: todo, title: 'New', description: 'short', position: 0 }),
    () => scenario.must(ben, 'column.create', BOARD_ID, { title: 'Third', color: 'red', is_done_column: false, position: 0 }),
    () => scenario.must(ben, 'label.create', BOARD_ID, { name: 'new', color: 'red' }),
    () => scenario.must(ben, 'item.create', list, { content: 'Three' }),
    () => scenario.must(ben, 'item.delete', item, {}),
  ];
  for (const change of changes) thereAndBack(t, scenario, ben, change);
  thereAndBack(t, scenario, ann, () => scenario.must(ann, 'board.update', BOARD_ID, { title: 'Other', icon: '🚀' }));
  t.equal(undo(scenario, ben).error, null, 'and further back: the last change that is not undone');
});

t.test('UNDO1 rules that are made, changed and deleted are taken back, in their order, by owners', async (t) => {
  const { scenario, done } = setUp();
  const names = (): unknown => (scenario.must(ann, 'rule.list', BOARD_ID, {}) as unknown as Array<{ name: string }>).map(({ name }) => name);
  const moved = { ...idleRule, trigger_type: 'CARD_MOVED', trigger_column_id: done } as const;
  const { id } = scenario.must(ann, 'rule.create', BOARD_ID, { ...moved, name: 'first' });
  scenario.must(ann, 'rule.create', BOARD_ID, { ...idleRule, name: 'second' });
  thereAndBack(t, scenario, ann, () => scenario.must(ann, 'rule.create', BOARD_ID, { ...idleRule, name: 'third' }));
  thereAndBack(t, scenario, ann, () => scenario.must(ann, 'rule.update', id, { name: 'renamed', is_enabled: false }));
  scenario.must(ann, 'rule.delete', id, {});
  t.equal(undo(scenario, ann).error, null);
  t.strictSame(names(), ['renamed', 'second', 'third']);

  scenario.must(ann, 'rule.update', id, { trigger_type: 'CARD_CREATED', trigger_column_id: null });
  const changed = scenario.state.seq;
  scenario.must(ann, 'column.delete', done, {});
  t.match(undo(scenario, ann, changed).error, { code: 'conflict', detail: 'Column not found' });
  scenario.must(ann, 'rule.update', id, { action_user_id: ben.id });
  const assigning = scenario.state.seq;
  scenario.must(ann, 'rule.update', id, { action_user_id: ann.id });
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' });
  scenario.must(ben, 'member.setRole', BOARD_ID, { user_id: ann.id, role: 'member' });
  t.match(undo(scenario, ann, assigning + 1).error ?? undo(scenario, ann).error, { code: 'forbidden' }, 'no owner any more');
});

t.test('UNDO1 a trigger goes back together with what the rule did, and the way back triggers none', async (t) => {
  const { scenario, todo, done, card } = setUp();
  const last = scenario.addColumn('Last');
  const rule = { ...idleRule, trigger_type: 'CARD_MOVED', action_type: 'MOVE_TO_COLUMN', action_user_id: null } as const;
  scenario.must(ann, 'rule.create', BOARD_ID, { ...rule, trigger_column_id: done, action_column_id: last });
  scenario.must(ann, 'rule.create', BOARD_ID, { ...rule, trigger_column_id: todo, action_column_id: last });
  thereAndBack(t, scenario, ben, () => scenario.must(ben, 'card.move', card, { column_id: done, position: null }));
  t.equal(scenario.state.get('card', card)?.column_id, last);
  t.equal(undo(scenario, ben).error, null);
  t.equal(scenario.state.get('card', card)?.column_id, todo);
});

t.test('UNDO1 fields that others changed since are left alone: 409 names who and what, other fields do not matter', async (t) => {
  const { scenario, done, card } = setUp();
  scenario.must(ben, 'card.update', card, { title: 'By Ben' });
  const { seq } = scenario.state;
  scenario.must(ann, 'card.update', card, { description: 'By Ann' });
  scenario.must(ann, 'card.move', card, { column_id: done, position: 0 });
  t.equal(undo(scenario, ben, seq).error, null);
  t.match(scenario.state.get('card', card), { title: 'Write', description: 'By Ann', column_id: done });
  t.match(undo(scenario, ben, seq).error, { code: 'conflict', detail: /undone already/ });
  t.equal(undo(scenario, ben, scenario.state.seq).error, null, 'redone');
  scenario.must(ann, 'card.update', card, { title: 'By Ann' });
  t.match(undo(scenario, ben).error, { code: 'conflict', detail: /^ann changed "By Ann" since: title$/ });
  scenario.must(ann, 'card.update', card, { title: 'By Ben' });
  t.match(undo(scenario, ben).error, { code: 'conflict' }, 'also if the value is the same again');
  const created = scenario.must(ben, 'card.create', BOARD_ID, { column_id: done, title: 'Mine', description: null, position: null }).id;
  scenario.must(ann, 'comment.create', created, { body: 'Nice' });
  t.match(undo(scenario, ben).error, { code: 'conflict', detail: /ann changed .* since/ });
});

t.test('UNDO1 each inverse needs the right that it needs now; others’ changes are undone by owners alone', async (t) => {
  const { scenario, card } = setUp();
  scenario.must(ben, 'card.update', card, { title: 'By Ben' });
  const { seq } = scenario.state;
  scenario.must(ann, 'card.update', card, { description: 'x' });
  t.match(undo(scenario, ben, scenario.state.seq).error, { code: 'forbidden', detail: /Only an owner/ });
  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role: 'commenter' });
  t.match(undo(scenario, ben, seq).error, { code: 'forbidden', detail: /role on this board is commenter/ });
  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role: 'viewer' });
  t.match(undo(scenario, ben, seq).error, { code: 'forbidden' });
  t.match(undo(scenario, cleo, seq).error, { code: 'forbidden', detail: /not a member/ });
  t.equal(undo(scenario, ann, seq).error, null, 'an owner');
  scenario.must(ann, 'card.assign', card, { user_ids: [ann.id] });
  scenario.must(ann, 'card.unassign', card, { user_id: ann.id });
  t.equal(undo(scenario, ann).error, null);
});

t.test('UNDO1 people who left are not assigned again', async (t) => {
  const { scenario, card } = setUp();
  scenario.must(ann, 'card.assign', card, { user_ids: [ann.id, ben.id] });
  scenario.must(ann, 'card.unassign', card, { user_id: ben.id });
  const { seq } = scenario.state;
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  t.match(undo(scenario, ann, seq).error, { code: 'conflict', detail: /not on the board/ });
  t.strictSame(scenario.state.get('card', card)?.assignee_ids, [ann.id]);
});

t.test('UNDO1 an archived card goes back to its column, and stays in the archive if that is gone', async (t) => {
  const { scenario, todo, card } = setUp();
  thereAndBack(t, scenario, ben, () => scenario.must(ben, 'card.archive', card, {}));
  const { seq } = scenario.state;
  scenario.must(ann, 'card.restore', card, { column_id: null, position: null });
  t.match(undo(scenario, ben, seq).error, { code: 'conflict', detail: 'ann changed "Write" since: card.restored' });
  t.equal(undo(scenario, ann).error, null);
  scenario.must(ann, 'column.delete', todo, {});
  t.match(undo(scenario, ben, seq).error, { code: 'conflict', detail: /not there any more. Restore it from the archive/ });
  t.equal(scenario.state.get('card', card), undefined);
  const restored = scenario.must(ben, 'card.restore', card, { column_id: null, position: null });
  t.equal(restored.id, card);
  const { seq: second } = scenario.state;
  const column = String(scenario.state.get('card', card)?.column_id);
  scenario.must(ann, 'column.archive', column, {});
  t.match(undo(scenario, ben, second).error, { code: 'conflict' });
  scenario.must(ann, 'column.delete', column, {});
  t.match(undo(scenario, ben, second).error, { code: 'conflict' }, 'a card that went with its column is no mistake of the caller');
});

t.test('UNDO1 what cannot be undone is refused with the reason', async (t) => {
  const { scenario, todo, card } = setUp();
  t.match(undo(scenario, ben).error, { code: 'not_found', detail: /nothing to undo/ });
  t.match(undo(scenario, ann, 1_000).error, { code: 'not_found' });
  const refused = (change: () => unknown, detail: RegExp): void => {
    change();
    t.match(undo(scenario, ann).error, { code: 'conflict', detail });
  };
  refused(() => scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' }), /members and roles/);
  refused(() => scenario.must(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: cleo }), /members and roles/);
  scenario.must(ann, 'card.update', card, { description: 'x'.repeat(MAX_FACT_TEXT + 1) });
  refused(() => scenario.must(ann, 'card.update', card, { description: null }), /too long to be kept: description/);
  const { id } = scenario.must(ann, 'comment.create', card, { body: 'Mine' });
  refused(() => scenario.must(ann, 'comment.update', id, { body: 'Still mine' }), /comments, cannot/);
  scenario.addChecklist(card, 'Steps');
  scenario.trashDays = 0;
  refused(() => scenario.must(ann, 'card.delete', card, {}), /"Write" cannot be brought back: it was deleted with its checklists, comments/);
  scenario.must(ann, 'card.create', BOARD_ID, { column_id: todo, title: 'Alone', description: null, position: null });
  scenario.wait(31 * 86_400_000);
  t.match(undo(scenario, ann).error, { code: 'conflict', detail: /30 days/ });
});

t.test('UNDO1 for random histories: what was touched is as before, all else as it was, and redo gives it back', (t) => {
  let undone = 0;
  const property = fc.property(steps, fc.nat(), (history, chosen) => {
    const scenario = Scenario.withBoard();
    const [todo] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
    const card = scenario.addCard(todo, 'Write');
    scenario.addLabel('urgent');
    scenario.addItem(scenario.addChecklist(card, 'Steps'), 'One');
    const results = history.map((step, index) => {
      const before = contentOf(scenario);
      const { decision, body } = play(scenario, step, index);
      const undone = step.op === 'board.undo' && body !== null ? (body as unknown as { undone: number }).undone : null;
      return { before, activity: decision.activity, after: contentOf(scenario), undone };
    });
    const recorded = results.filter(({ activity }) => activity !== null && activity.facts.length > 0);
    const { before, activity, after } = recorded[chosen % recorded.length] ?? { before: {}, activity: null };
    if (activity === null) return;
    const current = contentOf(scenario);
    // A member who is being removed meanwhile is not assigned again.
    const isLeaving = history.some(({ op }) => op === 'member.unassign');
    const isOwner = scenario.state.get('member', ann.id)?.role === 'owner';
    const back = undo(scenario, ann, activity.first);
    const undoing: Undoing = { undoing: activity, history: results, now: current, isOwner, ...placeOf(scenario, isLeaving) };
    if (back.error !== null) return checkRefusal(undoing, back.error);
    checkUntouched(undoing);
    undone += 1;
    const touched = new Map<string, Set<string>>();
    for (const { json } of activity.facts) {
      const { id, before: old = {}, after = {} } = JSON.parse(json) as FactDetails;
      const fields = touched.get(id) ?? new Set();
      for (const field of [...Object.keys(old), ...Object.keys(after)]) fields.add(field);
      touched.set(id, fields);
    }
    // Cards get a label back with it.
    if (activity.facts.some(({ kind }) => kind === 'label.deleted')) for (const key of Object.keys(current)) touch(touched, key, 'label_ids');
    const isArchiving = activity.facts.some(({ kind }) => /\.(?:archived|restored)$/.test(kind));
    if (isArchiving) {
      if (isDeepStrictEqual(after, current) && !isLeaving) deepStrictEqual(contentOf(scenario), before);
    } else if (back.decision.events.length === back.decision.activity?.facts.length) compare(contentOf(scenario), before, current, touched);
    const { seq } = back.body as unknown as { seq: number };
    const again = undo(scenario, ann, seq);
    if (again.error === null && again.decision.events.length === again.decision.activity?.facts.length) deepStrictEqual(contentOf(scenario), current);
    else if (again.error !== null) deepStrictEqual(again.error.code, 'conflict');
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 60 }));
  t.ok(undone > 5, `${undone} were undone`);
  t.end();
});

t.test('TRASH1 on random boards what was deleted comes back as it was, by a restore and by an undo', (t) => {
  let restored = 0;
  const property = fc.property(steps, fc.nat(), (history, chosen) => {
    const scenario = Scenario.withBoard();
    const card = scenario.addCard(scenario.addColumn('To do'), 'Write');
    scenario.addItem(scenario.addChecklist(card, 'Steps'), 'One');
    scenario.must(ann, 'card.addLabel', card, { label_id: scenario.addLabel('urgent') });
    history.forEach((step, index) => play(scenario, step, index));
    const entities = scenario.state.entities();
    const owner = entities.member.find(({ role }) => role === 'owner')?.user ?? ann;
    // A member who is being removed meanwhile is not assigned again.
    if (history.some(({ op }) => op === 'member.unassign')) return;
    const things = DELETABLE.flatMap((kind) => entities[kind].map(({ id }) => [kind, id] as const));
    const [kind, id] = things[chosen % things.length] ?? ['card', card];
    if (things.length === 0) return;
    restored += 1;
    const before = withoutRules(contentOf(scenario));
    scenario.must(owner, `${kind}.delete`, id, {});
    const without = withoutRules(contentOf(scenario));
    notDeepStrictEqual(without, before);
    const { is_complete } = scenario.must(owner, 'trash.restore', BOARD_ID, { entry_id: id, column_id: null }) as unknown as { is_complete: boolean };
    ok(is_complete);
    deepStrictEqual(withoutRules(contentOf(scenario)), before, `${kind} restored`);
    const { activity } = scenario.ask(owner, `${kind}.delete`, id, {}).decision;
    if (activity === null) return fail('a deletion is recorded');
    const back = undo(scenario, owner, activity.first);
    const undoing: Undoing = { undoing: activity, history: [], now: without, isOwner: true, ...placeOf(scenario, false) };
    if (back.error !== null) return checkRefusal(undoing, back.error);
    deepStrictEqual(withoutRules(contentOf(scenario)), before, `${kind} undone`);
    const { seq } = back.body as unknown as { seq: number };
    const redone = undo(scenario, owner, seq);
    deepStrictEqual(redone.error, null);
    deepStrictEqual(withoutRules(contentOf(scenario)), without, `${kind} redone`);
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 40 }));
  t.ok(restored > 5, `${restored} were restored`);
  t.end();
});

const DELETABLE = ['column', 'card', 'checklist', 'label', 'attachment'] as const;

function placeOf({ state }: Scenario, isLeaving: boolean): Pick<Undoing, 'isInTrash' | 'canBeAssigned' | 'boardId'> {
  const canBeAssigned = (user: Uuid): boolean => ['owner', 'member'].includes(state.get('member', user)?.role ?? '') && !isLeaving;
  return { isInTrash: (id) => state.trash.find(id) !== undefined, canBeAssigned, boardId: BOARD_ID };
}

/** They are switched off with what they name, and stay so. */
function withoutRules(content: Content): Content {
  return Object.fromEntries(Object.entries(content).filter(([key]) => !key.startsWith('rule ')));
}

/** In another list the same rank is another place. */
const PLACE = ['rank', 'column_id', 'checklist_id'];

function touch(touched: Map<string, Set<string>>, key: string, field: string): void {
  const id = key.split(' ')[1] ?? '';
  touched.set(id, (touched.get(id) ?? new Set()).add(field));
}

function compare(now: Content, before: Content, current: Content, touched: ReadonlyMap<string, ReadonlySet<string>>): void {
  for (const key of new Set([...Object.keys(now), ...Object.keys(current)])) {
    const fields = touched.get(key.split(' ')[1] ?? '');
    const [is, was, other] = [now[key], before[key], current[key]] as ReadonlyArray<Record<string, unknown> | undefined>;
    if (is === undefined || other === undefined) {
      deepStrictEqual(is === undefined, was === undefined, `${key} is there if it was there`);
      continue;
    }
    for (const field of Object.keys(is)) {
      const isList = Array.isArray(is[field]);
      const isMoved = field === 'rank' && PLACE.some((place) => fields?.has(place));
      if (fields?.has(field) !== true && !isMoved) deepStrictEqual(is[field], other[field], `${key} ${field} is as it was`);
      else if (field === 'rank') ok(is[field] === was?.[field] || isTaken(now, was?.[field]), `${key} is at its rank, or before what has it now`);
      else if (!isList) deepStrictEqual(is[field], was?.[field], `${key} ${field} is as before`);
    }
  }
}

function isTaken(now: Content, rank: unknown): boolean {
  return Object.values(now).some((record) => (record as { rank?: unknown }).rank === rank);
}
