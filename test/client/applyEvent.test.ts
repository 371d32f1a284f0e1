import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { applyEvent } from '../../src/client/board/applyEvent.js';
import type { BoardEvent } from '../../src/client/events.js';
import type { FullBoard, Label } from '../../src/client/resources.js';
import { crowdedBoard } from '../domain/fullBoard.js';
import { play, steps } from '../domain/randomCommands.js';
import { ann, ben, BOARD_ID, Scenario } from '../domain/scenario.js';

t.test('CLIENT4 a board that applies its events equals the board of the service', async (t) => {
  fc.assert(
    fc.property(steps, (series) => {
      const scenario = Scenario.loaded(crowdedBoard({ columns: 3, cards: 6, items: 4 }));
      let board = fullBoard(scenario);
      for (const [n, step] of series.entries()) {
        for (const event of play(scenario, step, n).events) board = after(board, event);
        assert.deepEqual(board, fullBoard(scenario), step.op);
      }
    }),
    { numRuns: 100 },
  );
  t.pass('held for every series of commands');
});

t.test('CLIENT4 a changed profile is shown everywhere on the board', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('To do'), 'Card');
  const item = scenario.addItem(scenario.addChecklist(card, 'Steps'), 'First');
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id, ann.id] });
  scenario.must(ann, 'item.assign', item, { user_ids: [ben.id] });
  const before = fullBoard(scenario);
  const refresh = { user: { ...ben, firstname: 'Benjamin' } };
  const { events } = scenario.askAs('system', 'member.refresh', BOARD_ID, refresh);
  const [only] = events;
  if (only === undefined) throw new Error('a changed profile emits an event');
  const board = after(before, only);
  t.strictSame(board, fullBoard(scenario));
  const assignees = board.columns[0]?.cards[0]?.assignees.map(({ firstname }) => firstname);
  t.strictSame(assignees, ['Benjamin', null]);
});

t.test('CLIENT4 equal creation times are ordered by id', async (t) => {
  const scenario = Scenario.withBoard();
  scenario.addLabel('first');
  const [first] = fullBoard(scenario).labels;
  if (first === undefined) throw new Error('the label is on the board');
  const earlier: Label = { ...first, id: `${first.id.slice(0, -12)}000000000000`, name: 'second' };
  const envelope = { seq: 1, user_id: ann.id, timestamp: earlier.created_at, version: '1.0' } as const;
  const event: BoardEvent = { ...envelope, type: 'label.created', data: earlier };
  t.strictSame(applyEvent(fullBoard(scenario), event)?.labels, [earlier, first]);
});

t.test('CLIENT4 applying an event changes no existing object and shares what it does not touch', async (t) => {
  const scenario = Scenario.withBoard();
  const [left, right] = [scenario.addColumn('Left'), scenario.addColumn('Right')];
  const card = scenario.addCard(left, 'Card');
  scenario.addCard(right, 'Other');
  const before = deepFreeze(fullBoard(scenario));
  const [event] = scenario.ask(ann, 'card.update', card, { title: 'Renamed' }).events;
  if (event === undefined) throw new Error('an update emits an event');
  const board = after(before, event);
  t.equal(board.columns[0]?.cards[0]?.title, 'Renamed');
  t.equal(before.columns[0]?.cards[0]?.title, 'Card');
  t.equal(board.columns[1], before.columns[1]);
  t.equal(board.members, before.members);
});

t.test('CLIENT17 the client does not interpret an unknown kind of event', async (t) => {
  const event = { seq: 1, type: 'card.painted', data: {} } as unknown as BoardEvent;
  t.equal(applyEvent(fullBoard(Scenario.withBoard()), event), null);
});

function fullBoard(scenario: Scenario): FullBoard {
  return scenario.full as unknown as FullBoard;
}

function after(board: FullBoard, event: object): FullBoard {
  const next = applyEvent(deepFreeze(board), event as BoardEvent);
  if (next === null) throw new Error('the event is unknown');
  return next;
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
