import t from 'tap';
import { BoardState } from '../../src/domain/board/board.js';
import { decide } from '../../src/domain/commands/decide.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { crowdedBoard, idOf } from './fullBoard.js';
import { ann, ben, BOARD_ID, Scenario } from './scenario.js';

t.test('loading does not depend on the order of the records', async (t) => {
  const loaded = crowdedBoard({ columns: 5, cards: 300, items: 5 });
  const { entities } = loaded;
  const reversed = { ...entities, column: entities.column.toReversed(), card: entities.card.toReversed() };
  const full = (board: BoardState): string | null => {
    const caller = { user_id: ann.id };
    const context = { now: '2030-01-01T00:00:00.000Z', limits: DEFAULT_LIMITS, newId: () => '' };
    const { outcome } = decide(board, { op: 'board.get', caller, target: BOARD_ID, input: {} }, context);
    return outcome.ok ? outcome.json : null;
  };
  const json = full(BoardState.load(loaded));
  t.equal(json, full(BoardState.load({ ...loaded, entities: reversed })));
  t.match(json, /"card 1".*"card 300"/);
});

t.test('loading without the record of the board itself throws', async (t) => {
  const { seq, entities } = crowdedBoard({ columns: 1, cards: 0, items: 0 });
  t.throws(() => BoardState.load({ epoch: '0', seq, entities: { ...entities, board: [] } }), /its own record/);
});

t.test('the bytes of a board grow with its text and shrink when text is removed', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const empty = scenario.state.bytes;
  const card = scenario.addCard(column, 'x');
  const small = scenario.state.bytes;
  scenario.must(ann, 'card.update', card, { description: 'y'.repeat(10_000) });
  t.ok(small > empty);
  t.ok(scenario.state.bytes >= small + 10_000);
  scenario.must(ann, 'card.delete', card, {});
  t.equal(scenario.state.bytes, empty);
});

t.test('RANK12 equal creation times are ordered by id, before and after a load', async (t) => {
  const state = BoardState.load(crowdedBoard({ columns: 1, cards: 1, items: 0 }));
  const now = '2030-01-01T00:00:00.000Z';
  // As an import does it, and as older versions did.
  for (const id of [idOf('1b', 2), idOf('1b', 1)]) {
    const put = { id, name: 'same', color: 'red', created_at: now, updated_at: now };
    state.apply([{ kind: 'label', put }], state.seq);
  }
  const ids = [...state.children('label', BOARD_ID)].map(({ id }) => id);
  t.strictSame(ids, [idOf('1a', 1), idOf('1a', 2), idOf('1b', 1), idOf('1b', 2)]);
});

t.test('RANK8 in a column of ten thousand cards a move touches one record', async (t) => {
  const state = BoardState.load(crowdedBoard({ columns: 2, cards: 10_000, items: 0 }));
  const caller = { user_id: ben.id };
  const context = { now: '2030-01-01T00:00:00.000Z', limits: DEFAULT_LIMITS, newId: () => idOf('aa', 1) };
  const input = { column_id: null, position: null };
  const { changes, seq } = decide(state, { op: 'card.move', caller, target: idOf('ca', 5000), input }, context);
  t.equal(changes.length, 1);
  state.apply(changes, seq);
  const cards = state.children('card', idOf('c0', 1));
  t.equal(cards.at(9_999)?.id, idOf('ca', 5000));
  t.equal(cards.at(4_999)?.id, idOf('ca', 5001));
});
