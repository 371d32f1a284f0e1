import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { RANK_LIMIT } from '../../src/domain/board/order/rank.js';
import { crowdedBoard, idOf } from './fullBoard.js';
import { Replica } from './replica.js';
import { ann, BOARD_ID, Scenario, type Result } from './scenario.js';
import { shownOrders, withPlace, type ShownOrders } from './shownOrders.js';
import { CARDS, CHECKLISTS, COLUMNS, ITEMS, OTHER_CARDS, tightBoard, tightLists, type TightLists } from './tightBoard.js';

/** A command and the orders that it leads to, one after the other. */
interface Played {
  readonly result: Result;
  readonly expected: readonly ShownOrders[];
}

type Play = (scenario: Scenario, before: ShownOrders, pick: number, position: number) => Played;

const nth = (prefix: string, pick: number, count: number): string => idOf(prefix, (pick % count) + 1);

const TODO = idOf('c0', 1);
const DONE = idOf('c0', 3);

const PLAYS: Readonly<Record<string, Play>> = {
  'a column moves': (scenario, before, pick, position) => {
    const id = nth('c0', pick, COLUMNS);
    const result = scenario.ask(ann, 'column.move', id, { position });
    return { result, expected: [withPlace(before, id, BOARD_ID, position)] };
  },
  'a card moves within its column': (scenario, before, pick, position) => {
    const id = nth('ca', pick, CARDS);
    const column = Object.keys(before).find((key) => before[key]?.includes(id)) ?? '';
    const result = scenario.ask(ann, 'card.move', id, { column_id: null, position });
    return { result, expected: [withPlace(before, id, column, position)] };
  },
  'a card moves to the first column': (scenario, before, pick, position) => {
    const id = nth('ca', pick, CARDS + OTHER_CARDS);
    const result = scenario.ask(ann, 'card.move', id, { column_id: TODO, position });
    return { result, expected: [withPlace(before, id, TODO, position)] };
  },
  'a checklist moves': (scenario, before, pick, position) => {
    const id = nth('cc', pick, CHECKLISTS);
    const result = scenario.ask(ann, 'checklist.move', id, { position });
    return { result, expected: [withPlace(before, id, idOf('ca', 1), position)] };
  },
  'an item moves within its checklist, or to the first': (scenario, before, pick, position) => {
    const id = nth('17', pick, ITEMS);
    const result = scenario.ask(ann, 'item.move', id, { checklist_id: idOf('cc', 1), position });
    return { result, expected: [withPlace(before, id, idOf('cc', 1), position)] };
  },
  'an item moves to another checklist': (scenario, before, pick, position) => {
    const id = nth('17', pick, ITEMS);
    const checklist_id = nth('cc', pick, CHECKLISTS);
    const result = scenario.ask(ann, 'item.move', id, { checklist_id, position });
    return { result, expected: [withPlace(before, id, checklist_id, position)] };
  },
  'a card is created': (scenario, before, _pick, position) => {
    const card = { column_id: TODO, title: 'new', description: null, position };
    const result = scenario.ask(ann, 'card.create', BOARD_ID, card);
    const id = result.body?.id ?? '';
    return { result, expected: [withPlace({ ...before, [id]: [] }, id, TODO, position)] };
  },
  'a column is created': (scenario, before, _pick, position) => {
    const column = { title: 'new', color: '#fff', is_done_column: false, position };
    const result = scenario.ask(ann, 'column.create', BOARD_ID, column);
    const id = result.body?.id ?? '';
    return { result, expected: [withPlace({ ...before, [id]: [] }, id, BOARD_ID, position)] };
  },
  'a rule moves a card to the end of a full column': (scenario, before, pick) => {
    const id = nth('ca', pick, CARDS);
    const result = scenario.ask(ann, 'card.addLabel', id, { label_id: idOf('1a', 1) });
    return { result, expected: result.events.length > 1 ? [withPlace(before, id, DONE, null)] : [] };
  },
  'a rule moves a card on that was moved': (scenario, before, pick, position) => {
    const id = nth('ca', pick, CARDS);
    const trigger = Object.keys(before).find((key) => before[key]?.includes(id)) === TODO ? idOf('c0', 4) : TODO;
    const result = scenario.ask(ann, 'card.move', id, { column_id: trigger, position });
    const moved = withPlace(before, id, trigger, position);
    return { result, expected: trigger === TODO ? [moved] : [moved, withPlace(moved, id, DONE, null)] };
  },
};

const series = fc.array(fc.record({ play: fc.constantFrom(...Object.keys(PLAYS)), pick: fc.nat(100), position: fc.nat(CARDS) }), {
  minLength: 1,
  maxLength: 12,
});

/** With a rule that moves every card from the fourth column to the third. */
function load(lists: TightLists): Scenario {
  const scenario = Scenario.loaded(tightBoard(lists));
  const trigger = { trigger_type: 'CARD_MOVED', trigger_column_id: idOf('c0', 4), trigger_label_id: null } as const;
  const action = { action_type: 'MOVE_TO_COLUMN', action_column_id: DONE, action_user_id: null } as const;
  scenario.must(ann, 'rule.create', BOARD_ID, { name: 'on', ...trigger, ...action, is_enabled: true });
  return scenario;
}

/** Follows the events one by one. Throws if an order is neither the old one nor one that the command leads to. */
function follow(scenario: Scenario, replica: Replica, play: Play, pick: number, position: number): Result {
  const before = shownOrders(replica.board);
  const { result, expected } = play(scenario, before, pick, position);
  assert.equal(result.error, null);
  const orders = [before, ...expected];
  let reached = 0;
  for (const [index, event] of result.events.entries()) {
    replica.apply(event);
    const shown = JSON.stringify(sorted(shownOrders(replica.board)));
    const at = orders.findIndex((order, n) => n >= reached && JSON.stringify(sorted(order)) === shown);
    assert.ok(at >= 0, `event ${index + 1} of ${result.events.length} shows an unexpected order`);
    reached = at;
  }
  assert.deepEqual(shownOrders(replica.board), orders.at(-1));
  return result;
}

/** Parents in an order of their own, so that equal orders have equal texts. */
function sorted(orders: ShownOrders): [string, readonly string[]][] {
  return Object.entries(orders).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

t.test('EVT2 after every event a client that sorts by rank shows the order before or the order after', async (t) => {
  let rebalances = 0;
  fc.assert(
    fc.property(tightLists, series, (lists, steps) => {
      const scenario = load(lists);
      const replica = new Replica(scenario.full);
      for (const { play, pick, position } of steps) {
        const plan = PLAYS[play];
        assert.ok(plan !== undefined);
        const { events } = follow(scenario, replica, plan, pick, position);
        if (new Set(events.map(({ data }) => data.id)).size > 1) rebalances += 1;
      }
    }),
    { numRuns: 300 },
  );
  t.ok(rebalances > 300, `${rebalances} commands made room`);
});

t.test('EVT2 siblings make room on the side away from the moved card', async (t) => {
  const { seq, entities } = crowdedBoard({ columns: 1, cards: 4, items: 0 });
  const ranks = [10, 20, 21, 22];
  const card = entities.card.map((each, index) => ({ ...each, rank: ranks[index] ?? 0 }));
  const scenario = Scenario.loaded({ epoch: '0', seq, entities: { ...entities, card } });
  const { events } = scenario.ask(ann, 'card.move', idOf('ca', 4), { column_id: null, position: 2 });
  t.strictSame(
    events.map(({ data }) => [data.id, data.rank]),
    [
      [idOf('ca', 2), 13],
      [idOf('ca', 4), 17],
    ],
  );
});

t.test('EVT2 at the lowest rank the moved card makes room too, at its old place, and gets two events', async (t) => {
  const { seq, entities } = crowdedBoard({ columns: 1, cards: 3, items: 0 });
  const card = entities.card.map((each, index) => ({ ...each, rank: index - RANK_LIMIT }));
  const scenario = Scenario.loaded({ epoch: '0', seq, entities: { ...entities, card } });
  const replica = new Replica(scenario.full);
  const orders = scenario.ask(ann, 'card.move', idOf('ca', 2), { column_id: null, position: 0 }).events.map((event) => {
    replica.apply(event);
    return [event.data.id, shownOrders(replica.board)[TODO]];
  });
  const [one, two, three] = [idOf('ca', 1), idOf('ca', 2), idOf('ca', 3)];
  const before = [one, two, three];
  t.strictSame(orders.at(-1), [two, [two, one, three]]);
  t.strictSame(
    orders.slice(0, -1),
    [three, two, one].map((id) => [id, before]),
  );
});
