import t from 'tap';
import { BoardState } from '../../src/domain/board/board.js';
import { CARD_NUMBERS } from '../../src/domain/board/laterFields.js';
import { numberCards, numbersFor } from '../../src/domain/board/order/numbering.js';
import { everyCard } from '../../src/domain/board/view.js';
import { crowdedBoard } from './fullBoard.js';
import { ann, ben, BOARD_ID, cleo, Scenario } from './scenario.js';

function numbersOn(scenario: Scenario): unknown[] {
  return [...everyCard(scenario.state)].map(({ number }) => number);
}

t.test('NUMBER1 cards are numbered from 1, each once: not again after a deletion, nor after a refusal', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  const [first, second] = [scenario.addCard(column, 'one'), scenario.addCard(column, 'two', 0)];
  t.strictSame(numbersOn(scenario), [2, 1]);
  scenario.must(ann, 'card.delete', second, {});
  const input = { column_id: column, title: 'three', description: null, position: null };
  t.match(scenario.ask(cleo, 'card.create', BOARD_ID, input).error, { code: 'forbidden' });
  scenario.addCard(column, 'three');
  t.strictSame(numbersOn(scenario), [1, 3]);
  scenario.must(ben, 'card.update', first, { title: 'still one' });
  scenario.must(ben, 'card.move', first, { column_id: null, position: 1 });
  t.strictSame(numbersOn(scenario), [3, 1], 'and keep their number');
});

t.test('NUMBER1 a card is found by its number, by those on the board', async (t) => {
  const scenario = Scenario.withBoard();
  const card = scenario.addCard(scenario.addColumn('A'), 'one');
  t.match(scenario.must(ben, 'card.find', BOARD_ID, { number: 1 }), { id: card, number: 1 });
  t.match(scenario.ask(ben, 'card.find', BOARD_ID, { number: 2 }).error, { code: 'not_found' });
  t.match(scenario.ask(cleo, 'card.find', BOARD_ID, { number: 1 }).error, { code: 'forbidden' });
});

t.test('NUMBER1 the cards of older programs are numbered in the order of their creation, after those that have a number', async (t) => {
  const crowded = crowdedBoard({ columns: 2, cards: 450, items: 0 });
  const times = [3, 1, 2].map((n) => `2029-01-0${n}T00:00:00.000Z`);
  const card = crowded.entities.card.map((each, n) => ({ ...each, created_at: times[n % 3] ?? '', number: n === 7 ? 41 : null }));
  const board = BoardState.load({ ...crowded, lastNumber: 60, entities: { ...crowded.entities, card } });
  t.equal(board.unnumbered, 449);
  let commits = 0;
  for (const changes of numberCards(board)) {
    board.apply(changes, board.seq);
    commits += 1;
  }
  t.strictSame([commits, board.unnumbered, board.lastNumber], [3, 0, 60 + 449]);
  const ordered = [...everyCard(board)].filter(({ number }) => number !== 41).sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
  t.strictSame(
    ordered.map(({ number }) => number),
    ordered.map((_, n) => 61 + n),
  );
  t.strictSame(
    ordered.map(({ created_at, id }) => created_at + id),
    ordered.map(({ created_at, id }) => created_at + id).sort(),
  );
});

t.test('CLUSTER54 a card gets no number while a program runs that would not keep it', async (t) => {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('A');
  scenario.schema = CARD_NUMBERS - 1;
  scenario.addCard(column, 'one');
  t.strictSame(numbersOn(scenario), [null]);
  t.equal(scenario.state.unnumbered, 1);
  scenario.schema = CARD_NUMBERS;
  const second = scenario.addCard(column, 'two');
  t.strictSame(numbersOn(scenario), [null, 1]);
  scenario.schema = CARD_NUMBERS - 1;
  t.match(scenario.ask(ann, 'card.update', second, { title: 'not now' }).error, { code: 'unavailable' }, 'its number would be lost');
});

t.test('NUMBER1 an imported board keeps numbers that no card before has, and gives the others new ones', async (t) => {
  t.strictSame(numbersFor([null, null]), [1, 2]);
  t.strictSame(numbersFor([3, null, 3, 1, null]), [3, 4, 5, 1, 6]);
});
