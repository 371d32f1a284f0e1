/** Changes that are shown before the service has confirmed them, with the real service. */
import t, { type Test } from 'tap';
import { ApiError, createdId, newKey, type BoardConnection, type ChangeName } from '../../src/client/index.js';
import { seededRandom, type Random } from '../support/seededRandom.js';
import { sharedApp } from '../support/service/app.js';
import { checkCopy, follow, newPerson, shareBoard, until, type Person } from './people.js';
import { randomChange } from './randomChanges.js';

const CHANGES_PER_PERSON = 80;
/** The share of changes after which a socket is cut, in per cent. */
const CUTS_PER_CENT = 5;
/** Random changes name strangers, things that others have deleted or archived, and what only the owner may change. */
const EXPECTED_REFUSALS: readonly number[] = [403, 404, 409];

const { url } = await sharedApp();

t.test('CLIENT45 a change of the service is shown at once, and confirmed by its event', async (t) => {
  const ada = await newPerson(t, url);
  const { boardId, columnId } = await shareBoard(ada);
  const connection = follow(t, ada, boardId);
  await connection.ready;
  const key = newKey();
  const path = { board_id: boardId, column_id: columnId };
  const created = connection.change('card.create', path, { title: 'New' }, { idempotencyKey: key });
  const card_id = createdId(boardId, key);
  t.match(connection.board?.columns[0]?.cards, [{ id: card_id, title: 'New', created_by: ada.id }]);
  const renamed = connection.change('card.update', { card_id }, { title: 'Renamed' });
  t.equal((await created).id, card_id, 'the service gives it the predicted id');
  await renamed;
  await until(connection, () => connection.pending === 0);
  await checkCopy(t, connection, ada, boardId);
  t.equal(connection.board?.columns[0]?.cards[0]?.title, 'Renamed');
});

t.test('CLIENT45 a move to another board, and what no copy can show, is a call: as a change it would never be confirmed', async (t) => {
  const ada = await newPerson(t, url);
  const [from, to] = [await shareBoard(ada), await shareBoard(ada)];
  const connection = follow(t, ada, from.boardId);
  await connection.ready;
  const { id: card_id } = await connection.change('card.create', { board_id: from.boardId, column_id: from.columnId }, { title: 'Goes' });
  const place = { board_id: to.boardId, column_id: to.columnId };
  await t.rejects(connection.change('card.move', { card_id }, place), { name: 'TypeError', message: /call/ });
  const restored = connection.change('card.restore' as ChangeName, { card_id } as never);
  await t.rejects(restored, { name: 'TypeError', message: /card.restore is a call/ });
  const { id } = await ada.client.card.move({ card_id }, place);
  await until(connection, () => connection.board?.columns[0]?.cards.length === 0);
  t.match(await ada.client.card.get({ card_id }), { id, board_id: to.boardId, title: 'Goes' }, 'the old id leads on');
});

t.test('CLIENT46 a change whose answers are lost is repeated, and made once', async (t) => {
  let losses = 2;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (init?.method !== 'POST' || !String(input).endsWith('/cards') || losses === 0) return response;
    losses -= 1;
    throw new TypeError('The answer was lost');
  };
  const ada = await newPerson(t, url, { fetch: losing });
  const { boardId, columnId } = await shareBoard(ada);
  const connection = follow(t, ada, boardId);
  await connection.ready;
  const { id } = await connection.change('card.create', { board_id: boardId, column_id: columnId }, { title: 'Once' });
  await until(connection, () => connection.pending === 0);
  await checkCopy(t, connection, ada, boardId);
  t.strictSame([losses, connection.board?.columns[0]?.cards.map((card) => card.id)], [0, [id]]);
});

t.test('CLIENT46 a change that the service refuses is taken back', async (t) => {
  const [ada, bob] = [await newPerson(t, url), await newPerson(t, url)];
  const { boardId } = await shareBoard(ada, bob);
  const connection = follow(t, bob, boardId);
  await connection.ready;
  const change = connection.change('board.update', { board_id: boardId }, { title: 'Mine' });
  t.equal(connection.board?.title, 'Mine');
  await t.rejects(change, { name: 'ApiError', status: 403 });
  t.strictSame([connection.board?.title, connection.pending], ['Shared', 0]);
});

t.test('CLIENT44 people who change a board of the service at the same time end with the same board', async (t) => {
  const people = [await newPerson(t, url), await newPerson(t, url), await newPerson(t, url)];
  const [owner, ...others] = people as [Person, ...Person[]];
  const { boardId } = await shareBoard(owner, ...others);
  const connections = people.map((person) => follow(t, person, boardId));
  await Promise.all(connections.map(({ ready }) => ready));
  await Promise.all(connections.map((connection, n) => changeOften(t, connection, people, seededRandom(n + 1))));
  for (const connection of connections) {
    await until(connection, () => connection.pending === 0);
    await checkCopy(t, connection, owner, boardId);
  }
});

async function changeOften(t: Test, connection: BoardConnection, people: readonly Person[], random: Random): Promise<void> {
  const changes: Array<Promise<unknown>> = [];
  // The types of a union of argument lists cannot be spread.
  const make = connection.change as (name: string, ...args: readonly unknown[]) => Promise<unknown>;
  for (let n = 0; n < CHANGES_PER_PERSON; n += 1) {
    if (connection.board === null) throw new Error('the board was read');
    const { name, args } = randomChange(connection.board, (list) => random.pick(list));
    changes.push(make.call(connection, name, ...args));
    if (random.below(100) < CUTS_PER_CENT) random.pick(people).sockets.latest().cut();
    // Some changes are made while others are pending.
    if (random.below(3) === 0) await Promise.allSettled(changes);
  }
  const refusals = (await Promise.allSettled(changes)).flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  const isExpected = (error: unknown): boolean => error instanceof ApiError && EXPECTED_REFUSALS.includes(error.status);
  t.strictSame(
    refusals.filter((error) => !isExpected(error)),
    [],
  );
  const made = CHANGES_PER_PERSON - refusals.length;
  t.ok(made > CHANGES_PER_PERSON / 4, `${made} changes were made`);
}
