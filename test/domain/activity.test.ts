import t, { type Test } from 'tap';
import { ACTIVITY } from '../../src/domain/board/laterFields.js';
import { MAX_FACT_TEXT, type FactDetails } from '../../src/domain/board/activity/facts.js';
import type { BoardCommands } from '../../src/domain/commands/commands.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { ann, ben, BOARD_ID, cleo, idleRule, Scenario } from './scenario.js';

interface Shown extends FactDetails {
  readonly seq: number;
  readonly kind: string;
  readonly user: PublicUser | null;
  readonly user_name: string | null;
  readonly card_id: string | null;
}

interface Page {
  readonly activity: readonly Shown[];
  readonly next: number | null;
}

const ALL: BoardCommands['activity.list'] = { before: null, after: null, card_id: null, user_id: null, kind: null, limit: 50 };

function read(scenario: Scenario, filter: Partial<BoardCommands['activity.list']> = {}): Page {
  return scenario.must(ann, 'activity.list', BOARD_ID, { ...ALL, ...filter }) as unknown as Page;
}

/** What is recorded since, the oldest first. */
function since(scenario: Scenario, seq: number): readonly Shown[] {
  return [...read(scenario, { after: seq }).activity].reverse();
}

function setUp(): { scenario: Scenario; todo: string; done: string; card: string } {
  const scenario = Scenario.withBoard();
  const [todo, done] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  return { scenario, todo, done, card: scenario.addCard(todo, 'Write') };
}

t.test('ACTIVITY1 a change is recorded with its user, what it was about, and the changed fields before and after it', async (t) => {
  const { scenario, todo, done, card } = setUp();
  const { seq } = scenario.state;
  scenario.must(ben, 'card.update', card, { title: 'Print', due_at: '2030-02-01' });
  scenario.must(ann, 'card.move', card, { column_id: done, position: 0 });
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id, ann.id] });
  scenario.must(ben, 'card.unassign', card, { user_id: ben.id });
  const list = scenario.addChecklist(card, 'Steps');
  const item = scenario.addItem(list, 'Buy ink');
  scenario.must(ben, 'item.update', item, { is_done: true });
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' });
  const facts = since(scenario, seq);
  t.match(facts, [
    { seq: seq + 1, kind: 'card.updated', user: { id: ben.id }, user_name: 'ben', card_id: card, id: card, name: 'Print' },
    { seq: seq + 2, kind: 'card.moved', user: { id: ann.id }, before: { column_id: todo }, after: { column_id: done } },
    { seq: seq + 3, kind: 'card.assigned', after: { assignee_ids: [ben.id, ann.id] } },
    { seq: seq + 5, kind: 'card.unassigned', user_name: 'ben', before: { assignee_ids: [ben.id] } },
    { kind: 'checklist.created', card_id: card, id: list, name: 'Steps', card_title: 'Print', after: { title: 'Steps' } },
    { kind: 'checklist_item.created', card_id: card, id: item, after: { content: 'Buy ink', checklist_id: list } },
    { kind: 'checklist_item.updated', id: item, name: 'Buy ink', before: { is_done: false }, after: { is_done: true } },
    { kind: 'board.updated', id: ben.id, name: 'ben', card_id: null, before: { role: 'member' }, after: { role: 'owner' } },
  ]);
  t.strictSame(
    [facts[0]?.before, facts[0]?.after],
    [
      { title: 'Write', due_at: null },
      { title: 'Print', due_at: '2030-02-01' },
    ],
  );
  t.strictSame([facts[3]?.after, facts[2]?.before], [{}, {}], 'of a list only what came or went');
  t.equal(facts.length, 8, 'one event each for two who were assigned, one fact');
});

t.test('ACTIVITY1 what changes nothing is not recorded, and a sibling that made room is not either', async (t) => {
  const { scenario, todo, card } = setUp();
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  const { seq } = scenario.state;
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  scenario.must(ann, 'card.update', card, { title: 'Write' });
  scenario.must(ann, 'card.move', card, { column_id: todo, position: 0 });
  t.ok(scenario.state.seq > seq, 'there were events');
  t.strictSame(since(scenario, seq), []);
  for (let n = 0; n < 60; n += 1) scenario.addCard(todo, `${n}`, 1);
  const facts = read(scenario, { after: seq, limit: 200 }).activity;
  t.ok(scenario.state.seq - seq > 63, 'a rebalance moved siblings');
  t.strictSame([...new Set(facts.map(({ kind }) => kind))], ['card.created']);
});

t.test('ACTIVITY1 what a rule did is named as such, in the same commit as its trigger', async (t) => {
  const { scenario, todo, done, card } = setUp();
  const rule = scenario.must(ann, 'rule.create', BOARD_ID, {
    ...idleRule,
    name: 'Back',
    trigger_type: 'CARD_MOVED',
    trigger_column_id: done,
    action_type: 'MOVE_TO_COLUMN',
    action_column_id: todo,
    action_user_id: null,
  });
  const { seq } = scenario.state;
  const { decision } = scenario.ask(ben, 'card.move', card, { column_id: done, position: null });
  t.match(decision.activity, { first: seq + 1, facts: { length: 2 } });
  const [moved, back] = since(scenario, seq);
  t.match(moved, { user_name: 'ben', before: { column_id: todo }, after: { column_id: done } });
  t.notOk(moved !== undefined && 'by_rule' in moved);
  t.match(back, { user: null, user_name: null, by_rule: { id: rule.id, name: 'Back' }, before: { column_id: done }, after: { column_id: todo } });
});

t.test('ACTIVITY1 a rule is recorded when it is made, changed and deleted, with what it says', async (t) => {
  const { scenario, done } = setUp();
  const { seq } = scenario.state;
  const moved = { ...idleRule, name: 'Rule', trigger_type: 'CARD_MOVED', trigger_column_id: done } as const;
  const { id } = scenario.must(ann, 'rule.create', BOARD_ID, moved);
  scenario.must(ann, 'rule.update', id, { name: 'Other', is_enabled: false });
  scenario.must(ann, 'rule.update', id, { name: 'Other' });
  scenario.must(ann, 'rule.delete', id, {});
  const facts = since(scenario, seq);
  t.equal(facts.length, 3);
  t.match(facts, [
    { kind: 'rule.created', user_name: 'ann', card_id: null, id, name: 'Rule', after: moved },
    { kind: 'rule.updated', id, name: 'Other', before: { name: 'Rule', is_enabled: true }, after: { name: 'Other', is_enabled: false } },
    { kind: 'rule.deleted', id, name: 'Other', before: { ...moved, name: 'Other', is_enabled: false } },
  ]);
});

t.test('ACTIVITY1 long texts and what went with a deleted thing are named, not repeated; comments are without their text', async (t) => {
  const { scenario, todo, card } = setUp();
  const { seq } = scenario.state;
  const long = 'x'.repeat(MAX_FACT_TEXT + 1);
  scenario.must(ann, 'card.update', card, { description: long, title: 'Long' });
  scenario.must(ann, 'card.update', card, { description: 'y'.repeat(MAX_FACT_TEXT) });
  const { id } = scenario.must(ben, 'comment.create', card, { body: 'A secret' });
  scenario.must(ben, 'comment.update', id, { body: 'A greater secret' });
  scenario.addChecklist(card, 'Steps');
  scenario.must(ben, 'comment.delete', id, {});
  scenario.must(ann, 'card.delete', card, {});
  scenario.must(ann, 'column.delete', todo, {});
  const facts = since(scenario, seq);
  t.strictSame([facts[0]?.before, facts[0]?.omitted, facts[1]?.omitted], [{ title: 'Write' }, ['description'], ['description']]);
  t.notMatch(JSON.stringify(facts), /xxx|secret/);
  t.match(facts.slice(2), [
    { kind: 'comment.created', card_id: card, id },
    { kind: 'comment.updated', id },
    { kind: 'checklist.created' },
    { kind: 'comment.deleted', id },
    { kind: 'card.deleted', card_id: card, name: 'Long', before: { title: 'Long', column_id: todo }, omitted: ['checklists'] },
    { kind: 'column.deleted', before: { title: 'To do' } },
  ]);
  t.equal(facts[7]?.omitted, undefined);
});

t.test('ACTIVITY1 pages go from new to old and are filtered by card, user, kind and number', async (t) => {
  const { scenario, todo, card } = setUp();
  const other = scenario.addCard(todo, 'Other');
  for (const title of ['a', 'b', 'c']) {
    scenario.must(ben, 'card.update', card, { title });
    scenario.must(ann, 'card.update', other, { title });
  }
  const all = read(scenario).activity.map(({ seq }) => seq);
  t.strictSame(
    all,
    [...all].sort((a, b) => b - a),
  );
  const inPages: number[] = [];
  for (let before: number | null = null, pages = 0; pages < 20; pages += 1) {
    const page: Page = read(scenario, { before, limit: 3 });
    inPages.push(...page.activity.map(({ seq }) => seq));
    before = page.next;
    if (before === null) break;
  }
  t.strictSame(inPages, all);
  const count = (filter: Partial<BoardCommands['activity.list']>): number => read(scenario, filter).activity.length;
  t.strictSame([count({ card_id: card }), count({ user_id: ben.id }), count({ kind: 'card.updated' })], [4, 3, 6]);
  t.equal(count({ card_id: card, user_id: ben.id, kind: 'card.updated', after: scenario.state.seq - 3 }), 1);
  t.equal((scenario.must(ben, 'activity.ofCard', card, ALL) as unknown as Page).activity.length, 4);
  t.match(scenario.ask(cleo, 'activity.list', BOARD_ID, ALL).error, { code: 'forbidden' });
});

t.test('ACTIVITY1 a filter that matches little passes over a bounded number of entries and says where to go on', async (t) => {
  const { scenario, card } = setUp();
  const first = scenario.state.seq;
  for (let n = 0; n < 2_010; n += 1) scenario.must(ann, 'card.update', card, { title: `${n}` });
  const page = read(scenario, { user_id: ben.id });
  t.match(page, { activity: { length: 0 }, next: first + 11 });
  t.match(read(scenario, { user_id: ben.id, before: page.next }), { next: null });
});

t.test('ACTIVITY1 who left is still named, and who was deleted is not', async (t) => {
  const { scenario, card } = setUp();
  scenario.must(ben, 'card.update', card, { title: 'By Ben' });
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  t.match(read(scenario).activity, [
    { kind: 'board.member_removed', user_name: 'ann', id: ben.id, name: 'ben', before: { role: 'member' } },
    { kind: 'card.updated', user: null, user_name: 'ben' },
  ]);
  erase(scenario, ben);
  t.match(read(scenario).activity, [{ name: 'deleted user' }, { user: null, user_name: 'deleted user' }]);
  t.notMatch(JSON.stringify(read(scenario)), /"ben"|ben@/);
  assertNothing(t, scenario);

  const other = setUp();
  other.scenario.must(ben, 'card.update', other.card, { title: 'By a member' });
  erase(other.scenario, ben);
  t.notMatch(JSON.stringify(read(other.scenario)), /"ben"|ben@/, 'also a member');
});

t.test('ACTIVITY1 nothing is recorded while a program runs that would not keep it', async (t) => {
  const { scenario, todo } = setUp();
  scenario.schema = ACTIVITY - 1;
  const card = scenario.addCard(todo, 'Old');
  const { decision } = scenario.ask(ann, 'card.update', card, { title: 'Later' });
  t.strictSame([decision.events.length, decision.activity], [1, null]);
  scenario.schema = ACTIVITY;
  t.match(scenario.ask(ann, 'card.update', card, { title: 'Again' }).decision.activity, { facts: { length: 1 } });
});

function erase(scenario: Scenario, { id }: PublicUser): void {
  const { error } = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: id, heir: null });
  if (error !== null) throw new Error(error.detail);
}

/** A second erasure finds nothing. */
function assertNothing(t: Test, scenario: Scenario): void {
  const { decision } = scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: ben.id, heir: null });
  t.equal(decision.activity, null);
}
