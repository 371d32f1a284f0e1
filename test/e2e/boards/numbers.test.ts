import t from 'tap';
import { emitted, type Scene } from '../../support/board/boardScenario.js';
import type { BoardJson, CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const world = await enterWorld();
const { member, owner, stranger } = world;

t.test('NUMBER1 a card has a number, and is found by it', async (t) => {
  const { board, todo, card, plainCard } = await populate(world);
  t.strictSame([card.number, plainCard.number], [1, 2]);
  const find = (number: number): Scene => ({ as: member, request: `GET /boards/${board.id}/cards/${number}`, status: 200 });
  await board.play(t, { ...find(2), answer: { id: plainCard.id, number: 2 }, events: [] });
  await board.play(t, { as: member, request: `DELETE /cards/${plainCard.id}`, status: 204, events: [emitted('card.deleted', member, plainCard.id)] });
  await board.play(t, {
    as: member,
    request: `POST /boards/${board.id}/columns/${todo.id}/cards`,
    json: { title: 'Next', number: 1 },
    status: 201,
    // Those of the archive have the numbers between.
    answer: { number: 4 },
    events: [emitted('card.created', member)],
  });
  await board.refuse(t, [
    { ...find(2), status: 404, detail: /Card not found/ },
    { ...find(5), status: 404, detail: /Card not found/ },
    { ...find(1), as: stranger, status: 403 },
    ...['0', '-1', '1.0', 'x', '01', '12345678901', '%31'].map((wrong): Scene => {
      return { ...find(1), request: `GET /boards/${board.id}/cards/${wrong}`, status: 422, detail: /number: must be a whole number from 1/ };
    }),
  ]);
});

t.test('NUMBER1 an update cannot set it, and each card of a batch gets its own', async (t) => {
  const { board, todo, card } = await populate(world);
  const updated = await board.do<CardJson>(member, `PATCH /cards/${card.id}`, { title: 'New', number: 9 });
  t.equal(updated.number, 1);
  const create = { method: 'POST', path: `/boards/${board.id}/columns/${todo.id}/cards` };
  const operations = ['one', 'two'].map((title) => ({ ...create, body: { title } }));
  const { answers } = await board.do<{ answers: Array<{ body: CardJson }> }>(member, `POST /boards/${board.id}/batch`, { operations });
  t.strictSame(
    answers.map(({ body }) => body.number),
    [4, 5],
  );
  const refused = { operations: [...operations, { method: 'PATCH', path: `/cards/${card.id}`, body: { title: '' } }] };
  await board.refuse(t, [{ as: member, request: `POST /boards/${board.id}/batch`, json: refused, status: 422 }]);
  const next = await board.do<CardJson>(member, `POST ${create.path}`, { title: 'three' });
  t.equal(next.number, 6, 'a refused batch takes none');
});

t.test('NUMBER1 an export has the numbers, and an import keeps them', async (t) => {
  const { board, todo, plainCard } = await populate(world);
  await board.do(owner, `DELETE /cards/${plainCard.id}`);
  await board.do(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title: 'Third' });
  const document = await board.do<{ columns: Array<{ cards: Array<{ number: number | null }> }> }>(owner, `GET /boards/${board.id}/export`);
  const numbersOf = (columns: ReadonlyArray<{ readonly cards: ReadonlyArray<{ readonly number: number | null }> }>): Array<number | null> =>
    columns.flatMap(({ cards }) => cards.map(({ number }) => number));
  t.strictSame(numbersOf(document.columns), [1, 4, 3], 'the archived ones behind the others of their column');
  const imported = await board.do<{ board: { id: string } }>(owner, 'POST /boards/import', document);
  const copy = await board.do<BoardJson>(owner, `GET /boards/${imported.board.id}`);
  t.strictSame(numbersOf(copy.columns), [1, 4]);
  const added = await board.do<CardJson>(owner, `POST /boards/${copy.id}/columns/${copy.columns[0]?.id}/cards`, { title: 'Fourth' });
  t.equal(added.number, 5);
  const [first] = document.columns;
  const numbered = (number: unknown): object => ({ ...document, columns: [{ ...first, cards: [{ ...first?.cards[0], number }] }] });
  await board.refuse(
    t,
    [0, -1, 1.5, '1', 1e9].map((number): Scene => {
      return { as: owner, request: 'POST /boards/import', json: numbered(number), status: 422, detail: /number.*must be/s };
    }),
  );
});

t.test('NUMBER1 the number of an archived card is not given again, also after an import', async (t) => {
  const { board, todo } = await populate(world);
  const last = await board.do<CardJson>(owner, `POST /boards/${board.id}/columns/${todo.id}/cards`, { title: 'Last' });
  await board.do(owner, `POST /cards/${last.id}/archive`, {});
  const add = (on: { readonly id: string }, column: string): Promise<CardJson> =>
    board.do<CardJson>(owner, `POST /boards/${on.id}/columns/${column}/cards`, { title: 'Next' });
  const document = await board.do<object>(owner, `GET /boards/${board.id}/export`);
  const imported = await board.do<{ board: { id: string } }>(owner, 'POST /boards/import', document);
  const copy = await board.do<BoardJson>(owner, `GET /boards/${imported.board.id}`);
  for (const [on, column] of [
    [board, todo.id],
    [copy, copy.columns[0]?.id ?? ''],
  ] as const) {
    const number = last.number ?? 0;
    t.equal((await add(on, column)).number, number + 1);
    const { cards } = await board.do<{ cards: CardJson[] }>(owner, `GET /boards/${on.id}/archive`);
    const archived = cards.find(({ title }) => title === 'Last');
    t.equal(archived?.number, number, 'it keeps its own');
    const restored = await board.do<CardJson>(owner, `POST /cards/${archived?.id}/restore`, {});
    t.equal(restored.number, number);
    t.equal((await board.do<CardJson>(owner, `GET /boards/${on.id}/cards/${number}`)).id, restored.id);
  }
});
