import t from 'tap';
import { createdId, newKey, type BoardConnection, type FullBoard, type RefusedChange } from '../../src/client/index.js';
import { idOf } from '../domain/fullBoard.js';
import { ann, ben, BOARD_ID, UNKNOWN_ID, type Scenario } from '../domain/scenario.js';
import { OTHER_ID, settled } from './fakeService.js';
import { SimulatedService, type SimulatedClient } from './simulatedService.js';

const FIRST_CARD = idOf('ca', 1);
const [FIRST_COLUMN, SECOND_COLUMN] = [idOf('c0', 1), idOf('c0', 2)];

interface Setting {
  readonly service: SimulatedService;
  readonly client: SimulatedClient;
  readonly connection: BoardConnection;
}

/** Ann is connected, and the board is live. */
async function start(user = ann, options = {}): Promise<Setting> {
  const service = new SimulatedService();
  const client = service.newClient(user, () => 0.5, options);
  const connection = client.client.connect(BOARD_ID);
  await settled();
  await answer({ service, client });
  while (connection.state.kind !== 'live') {
    await deliver({ service, client });
    await settled();
  }
  return { service, client, connection };
}

/** The oldest request arrives, and its answer. */
async function answer({ service, client }: Pick<Setting, 'service' | 'client'>): Promise<void> {
  const exchange = client.exchanges.shift();
  if (exchange === undefined) throw new Error('nothing was sent');
  service.arrive(exchange);
  if (exchange.reply !== null) exchange.settle(exchange.reply);
  await settled();
}

/** All messages of the socket arrive. */
async function deliver({ service, client }: Pick<Setting, 'service' | 'client'>): Promise<void> {
  for (const socket of client.sockets) {
    while (socket.toService.length + socket.toClient.length > 0) {
      service.receive(socket, true);
      socket.deliver();
    }
  }
  await settled();
}

function byOthers({ service }: Setting, act: (scenario: Scenario) => ReturnType<Scenario['ask']>): void {
  service.publish(act(service.scenario), false);
}

/** The titles of the cards of a column, in order. */
function titles(board: FullBoard | null, columnId = FIRST_COLUMN): string[] {
  return board?.columns.find(({ id }) => id === columnId)?.cards.map(({ title }) => title) ?? [];
}

t.test('CLIENT45 a change is shown at once and stays until its event has arrived', async (t) => {
  const setting = await start();
  const { connection } = setting;
  const before = connection.board;
  const changes: Array<FullBoard | number | undefined> = [];
  connection.on('change', ({ board, event }) => changes.push(event?.seq ?? board));
  const answered = connection.change('card.move', { card_id: FIRST_CARD }, { column_id: SECOND_COLUMN });
  t.strictSame(titles(connection.board, SECOND_COLUMN), ['card 1']);
  t.strictSame([titles(connection.confirmed, SECOND_COLUMN), connection.pending], [[], 1]);
  t.equal(connection.confirmed, before);
  await settled();
  await answer(setting);
  t.match(await answered, { id: FIRST_CARD, column_id: SECOND_COLUMN }, 'the answer is that of the operation');
  t.strictSame([titles(connection.board, SECOND_COLUMN), connection.pending], [['card 1'], 1], 'its event is still missing');
  await deliver(setting);
  t.strictSame([connection.pending, connection.board === connection.confirmed], [0, true]);
  t.strictSame(connection.board, JSON.parse(setting.service.board));
  t.strictSame([changes.length, changes[1]], [3, 8], 'the move is shown, its event arrives, and that of a rule');
});

t.test('CLIENT45 if the event arrives first, the change stays pending until the answer', async (t) => {
  const setting = await start();
  const { connection, client, service } = setting;
  const answered = connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  await settled();
  const [exchange] = client.exchanges;
  if (exchange === undefined) throw new Error('nothing was sent');
  service.arrive(exchange);
  await deliver(setting);
  t.strictSame([titles(connection.confirmed)[0], connection.pending], ['Renamed', 1]);
  await answer(setting);
  await answered;
  t.strictSame([connection.pending, connection.board === connection.confirmed], [0, true]);
});

t.test('CLIENT45 an answer without a position, or of another history, ends the wait', async (t) => {
  for (const position of [undefined, 'e9-1000']) {
    const setting = await start();
    const { connection, client } = setting;
    const answered = connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
    await settled();
    const headers: Record<string, string> = position === undefined ? {} : { 'board-position': position };
    client.exchanges.shift()?.settle({ status: 200, text: '{}', headers });
    await answered;
    t.strictSame([connection.pending, connection.board === connection.confirmed], [0, true]);
  }
});

t.test('CLIENT46 a refused change is taken back and reported with its reason', async (t) => {
  const setting = await start(ben);
  const { connection } = setting;
  const refused: RefusedChange[] = [];
  connection.on('refused', (change) => refused.push(change));
  const ignored = connection.change('board.update', { board_id: BOARD_ID }, { title: 'Mine' });
  connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  t.strictSame([connection.board?.title, titles(connection.board)[0]], ['Mine', 'Renamed']);
  await settled();
  await answer(setting);
  t.strictSame([connection.board?.title, titles(connection.board)[0]], ['Crowded', 'Renamed'], 'the other one stays');
  t.match(refused, [{ name: 'board.update', args: [{ board_id: BOARD_ID }, { title: 'Mine' }], error: { status: 403 } }]);
  await t.rejects(ignored, { name: 'ApiError', status: 403 });
  await answer(setting);
  await deliver(setting);
  t.strictSame(connection.board, JSON.parse(setting.service.board));
});

t.test('CLIENT46 a change stays shown while the service is away, for hours, and is made when it is back', async (t) => {
  const setting = await start(ann, { isPatient: true });
  const { connection, client, service } = setting;
  const { clock, exchanges } = client;
  const back = clock.now() + 3 * 60 * 60 * 1000;
  let [attempts, answered, isShown] = [0, false, true];
  const change = connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' }).then(() => (answered = true));
  while (!answered) {
    await settled();
    const exchange = exchanges.shift();
    if (exchange === undefined) {
      clock.fire();
      continue;
    }
    attempts += Number(exchange.request.name === 'card.update');
    if (clock.now() < back) exchange.settle(new TypeError('fetch failed'));
    else service.arrive(exchange);
    if (exchange.reply !== null) exchange.settle(exchange.reply);
    await settled();
    isShown &&= titles(connection.board)[0] === 'Renamed';
  }
  await change;
  t.ok(attempts > 1_000, 'it was tried again and again');
  t.ok(isShown);
  t.match(JSON.parse(service.board), { columns: [{ cards: [{ title: 'Renamed' }] }] });
});

t.test('CLIENT46 a change without an answer is taken back if its caller wants no repetition; if it was made, its event brings it', async (t) => {
  const setting = await start();
  const { connection, client, service } = setting;
  const lost = connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' }, { retry: false });
  await settled();
  const exchange = client.exchanges.shift();
  if (exchange === undefined) throw new Error('nothing was sent');
  service.arrive(exchange);
  exchange.settle(new TypeError('fetch failed'));
  await t.rejects(lost, { message: 'fetch failed' });
  t.strictSame([titles(connection.board)[0], connection.pending], ['card 1', 0]);
  await deliver(setting);
  t.equal(titles(connection.board)[0], 'Renamed');
});

t.test('CLIENT46 a change is repeated with its key, and made once', async (t) => {
  const setting = await start();
  const { connection, client, service } = setting;
  const path = { board_id: BOARD_ID, column_id: SECOND_COLUMN };
  const answered = connection.change('card.create', path, { title: 'New' });
  await settled();
  const first = client.exchanges.shift();
  if (first === undefined) throw new Error('nothing was sent');
  service.arrive(first);
  first.settle(new TypeError('fetch failed'));
  await settled();
  client.clock.fire();
  await settled();
  await answer(setting);
  await answered;
  await deliver(setting);
  t.strictSame([titles(connection.board, SECOND_COLUMN), connection.pending], [['New'], 0]);
});

t.test('CLIENT45 what a change creates has its final id at once, and can be changed before it is confirmed', async (t) => {
  const setting = await start();
  const { connection, client } = setting;
  const key = newKey();
  const card_id = createdId(BOARD_ID, key);
  const path = { board_id: BOARD_ID, column_id: FIRST_COLUMN };
  const created = connection.change('card.create', path, { title: 'New', position: 0 }, { idempotencyKey: key });
  connection.change('card.update', { card_id }, { title: 'Renamed' });
  const moved = connection.change('card.move', { card_id }, { column_id: SECOND_COLUMN });
  const [card] = connection.board?.columns[1]?.cards ?? [];
  t.match(card, { id: card_id, title: 'Renamed', created_by: ann.id, board_id: BOARD_ID });
  await settled();
  t.strictSame(
    client.exchanges.map(({ request }) => request.name),
    ['card.create'],
    'they are sent one after another',
  );
  await answer(setting);
  t.equal((await created).id, card_id);
  t.strictSame(
    client.exchanges.map(({ request }) => request.name),
    ['card.update'],
  );
  await answer(setting);
  await answer(setting);
  await moved;
  await deliver(setting);
  t.strictSame([connection.pending, connection.board], [0, JSON.parse(setting.service.board)]);
  t.equal(connection.board?.columns[1]?.cards[0]?.id, card_id);
});

t.test('CLIENT45 a change after a refused one is still sent', async (t) => {
  const setting = await start();
  const { connection } = setting;
  const refused = connection.change('card.delete', { card_id: UNKNOWN_ID });
  const made = connection.change('card.delete', { card_id: FIRST_CARD });
  await settled();
  await answer(setting);
  await t.rejects(refused, { name: 'ApiError', status: 404 });
  await answer(setting);
  await made;
  t.equal(titles(connection.board).includes('card 1'), false);
});

t.test('CLIENT44 pending changes are applied again after every event, so those of others are shown correctly', async (t) => {
  const setting = await start();
  const { connection, client, service } = setting;
  connection.change('card.move', { card_id: FIRST_CARD }, { position: 2 });
  connection.change('card.create', { board_id: BOARD_ID, column_id: FIRST_COLUMN }, { title: 'New', position: 1 });
  t.strictSame(titles(connection.board), ['card 2', 'New', 'card 3', 'card 1', 'card 4', 'card 5']);
  byOthers(setting, (scenario) => scenario.ask(ben, 'card.delete', idOf('ca', 2), {}));
  byOthers(setting, (scenario) => scenario.ask(ben, 'card.update', FIRST_CARD, { title: 'Renamed' }));
  await deliver(setting);
  t.strictSame(titles(connection.confirmed), ['Renamed', 'card 3', 'card 4', 'card 5']);
  t.strictSame(titles(connection.board), ['card 3', 'New', 'card 4', 'Renamed', 'card 5']);
  byOthers(setting, (scenario) => scenario.ask(ben, 'card.delete', FIRST_CARD, {}));
  await deliver(setting);
  t.strictSame(titles(connection.board), ['card 3', 'New', 'card 4', 'card 5'], 'what is gone is not moved');

  await settled();
  await answer(setting);
  const [exchange] = client.exchanges;
  if (exchange === undefined) throw new Error('nothing was sent');
  service.arrive(exchange);
  const created = service.scenario.full.columns[0]?.cards.find(({ title }) => title === 'New');
  byOthers(setting, (scenario) => scenario.ask(ben, 'card.update', created?.id ?? '', { title: 'Theirs' }));
  await deliver(setting);
  t.equal(connection.pending, 1);
  t.ok(titles(connection.board).includes('Theirs'), 'what others made of a created card is not hidden');
});

t.test('CLIENT44 pending changes survive that the board is read again', async (t) => {
  const setting = await start();
  const { connection, service } = setting;
  connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  service.publish(service.scenario.ask(ben, 'card.delete', idOf('ca', 2), {}), true);
  await deliver(setting);
  t.equal(connection.state.kind, 'connecting');
  await settled();
  await answer(setting);
  await answer(setting);
  t.strictSame(titles(connection.board), ['Renamed', 'card 3', 'card 4', 'card 5']);
  await deliver(setting);
  t.strictSame([connection.pending, connection.state.kind], [0, 'live']);
});

t.test('CLIENT45 changes are made of the connected board only, also before it is read and after it is closed', async (t) => {
  const setting = await start();
  const { connection, client, service } = setting;
  await t.rejects(connection.change('board.update', { board_id: OTHER_ID }, { title: 'x' }), { name: 'TypeError' });
  t.equal(client.exchanges.length, 0);
  const answered = connection.change('card.update', { card_id: FIRST_CARD }, { title: 'Renamed' });
  connection.close();
  await settled();
  await answer(setting);
  t.match(await answered, { title: 'Renamed' });

  const early = service.newClient(ben, () => 0.5);
  const unread = early.client.connect(BOARD_ID);
  unread.change('card.update', { card_id: FIRST_CARD }, { title: 'Early' });
  t.equal(unread.board, null);
  await settled();
  while (early.exchanges.length > 0) await answer({ service, client: early });
  t.equal(titles(unread.board)[0], 'Early');
  unread.close();
});
