import t from 'tap';
import { ARCHIVE } from '../../src/domain/board/laterFields.js';
import { MAX_ARCHIVED_RECORDS } from '../../src/domain/board/archive/archiving.js';
import { sizeAsLimits } from '../support/board/boardLimits.js';
import { ann, ben, BOARD_ID, Scenario } from './scenario.js';
import { like } from './like.js';

const HOME = { column_id: null, position: null };

function titles(scenario: Scenario): string[][] {
  return scenario.full.columns.map(({ cards }) => cards.map(({ title }) => title));
}

t.test('ARCHIVE1 a card comes back to its place, also if its rank was taken meanwhile, or to the place that is asked for', async (t) => {
  const scenario = Scenario.withBoard();
  const [todo, done] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  const [, b, c] = ['a', 'b', 'c'].map((title) => scenario.addCard(todo, title));
  if (b === undefined || c === undefined) throw new Error('three cards');
  scenario.must(ann, 'card.archive', b, {});
  t.strictSame(titles(scenario), [['a', 'c'], []]);
  scenario.must(ann, 'card.restore', b, HOME);
  t.strictSame(titles(scenario), [['a', 'b', 'c'], []], 'between its neighbours');

  scenario.must(ann, 'card.archive', b, {});
  scenario.addCard(todo, 'x', 1);
  const { events } = scenario.ask(ann, 'card.restore', b, HOME);
  t.strictSame(titles(scenario), [['a', 'b', 'x', 'c'], []], 'the middle of the gap was its rank: before the card that has it');
  t.equal(events.at(-1)?.type, 'card.restored', 'after the events of those that made room');

  scenario.must(ann, 'card.archive', b, {});
  scenario.must(ann, 'card.restore', b, { column_id: done, position: null });
  scenario.must(ann, 'card.archive', c, {});
  scenario.must(ann, 'card.restore', c, { column_id: null, position: 0 });
  t.strictSame(titles(scenario), [['c', 'a', 'x'], ['b']]);
});

t.test('ARCHIVE1 archiving makes no room within the limits of a board, and a full board archives and restores', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const card = scenario.addCard(column, 'a');
  scenario.addItem(scenario.addChecklist(card, 'Steps'), 'first');
  scenario.limits = sizeAsLimits(scenario.state.size);
  scenario.must(ann, 'card.archive', card, {});
  const input = { column_id: column, title: 'b', description: null, position: null };
  like(t, scenario.ask(ann, 'card.create', BOARD_ID, input).error, { code: 'limit', detail: /MAX_BOARD_CARDS/ });
  scenario.must(ann, 'card.restore', card, HOME);
  scenario.must(ann, 'column.archive', column, {});
  const another = { title: 'b', color: '#fff', is_done_column: false, position: null };
  like(t, scenario.ask(ann, 'column.create', BOARD_ID, another).error, { code: 'limit', detail: /MAX_BOARD_COLUMNS/ });
  scenario.must(ann, 'column.restore', column, { position: null });
  scenario.must(ann, 'card.archive', card, {});
  scenario.must(ann, 'card.delete', card, {});
  scenario.must(ann, 'card.create', BOARD_ID, input);
});

t.test('ARCHIVE1 what is too much for one commit is refused by name', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const card = scenario.addCard(column, 'a');
  const lists = Math.ceil(MAX_ARCHIVED_RECORDS / 999);
  for (let list = 0; list < lists; list += 1) {
    const checklist = scenario.addChecklist(card, 'Steps');
    for (let n = 0; n < 10; n += 1) {
      const operations = Array.from({ length: 100 }, (_, index) => {
        const id = `b0a2db0a-2d00-4000-8000-${String(list * 1_000 + n * 100 + index).padStart(12, 'c')}`;
        return { op: 'item.create' as const, target: checklist, input: { content: 'x' }, status: 201, id };
      });
      scenario.must(ann, 'board.batch', BOARD_ID, { operations });
    }
  }
  for (const [op, id] of [
    ['card.archive', card],
    ['column.archive', column],
  ] as const) {
    like(t, scenario.ask(ann, op, id, {}).error, { code: 'limit', detail: new RegExp(`at most ${MAX_ARCHIVED_RECORDS} cards`) });
  }
});

t.test('ARCHIVE1 nothing is archived while a program runs that does not know the archive', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const card = scenario.addCard(column, 'a');
  scenario.schema = ARCHIVE - 1;
  for (const [op, id] of [
    ['card.archive', card],
    ['column.archive', column],
  ] as const) {
    like(t, scenario.ask(ann, op, id, {}).error, { code: 'unavailable', detail: /older version/ });
  }
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  scenario.must(ann, 'member.add', BOARD_ID, { user_id: ben.id, user: ben });
  scenario.schema = null;
  scenario.must(ann, 'card.archive', card, {});
});

t.test('ARCHIVE1 a member who was removed or only viewed the board meanwhile is not assigned again', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  const [left, demoted] = [scenario.addCard(column, 'a'), scenario.addCard(column, 'b')];
  for (const card of [left, demoted]) scenario.must(ann, 'card.assign', card, { user_ids: [ben.id, ann.id] });
  scenario.must(ann, 'card.archive', demoted, {});
  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role: 'viewer' });
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'member' });
  like(t, scenario.must(ann, 'card.restore', demoted, HOME), { assignees: [{ id: ann.id }] });
  scenario.must(ann, 'card.assign', left, { user_ids: [ben.id] });
  scenario.must(ann, 'card.archive', left, {});
  like(t, scenario.must(ann, 'card.get', left, {}), { assignees: [{ id: ann.id }, { id: ben.id }] });
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  scenario.must(ann, 'member.add', BOARD_ID, { user_id: ben.id, user: ben });
  like(t, scenario.must(ann, 'card.restore', left, HOME), { assignees: [{ id: ann.id }] });
});
