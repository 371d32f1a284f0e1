/** What clients of the real service share over one socket each, besides the events of boards. */
import t from 'tap';
import type { BoardConnection, Feed, FeedEvents, Signal } from '../../src/client/index.js';
import { tokenFor } from '../support/http/tokens.js';
import { sharedApp } from '../support/service/app.js';
import { HeldClock, RENEWALS } from './heldClock.js';
import { anotherDevice, checkCopy, follow, newPerson, shareBoard, until } from './people.js';

const BOARDS = 40;
const { url, config } = await sharedApp();

t.test('CLIENT37 a client follows many boards of the service on one socket', async (t) => {
  const ada = await newPerson(t, url);
  const writer = anotherDevice(t, url, ada);
  const boards = await Promise.all(Array.from({ length: BOARDS }, () => shareBoard(writer)));
  const connections = boards.map(({ boardId }) => follow(t, ada, boardId));
  await Promise.all(connections.map(({ ready }) => ready));
  await Promise.all(boards.map(({ columnId }) => writer.client.column.update({ column_id: columnId }, { title: 'Renamed' })));
  for (const [n, { boardId }] of boards.entries()) await checkCopy(t, connections[n] as BoardConnection, writer, boardId);
  ada.sockets.latest().cut();
  await Promise.all(connections.map((connection) => until(connection, () => connection.state.kind !== 'live')));
  await Promise.all(connections.map((connection) => until(connection, () => connection.state.kind === 'live')));
  t.equal(ada.sockets.made.length, 2);
  connections.slice(1).forEach((connection) => connection.close());
  await writer.client.column.update({ column_id: boards[0]?.columnId ?? '' }, { title: 'Again' });
  await checkCopy(t, connections[0] as BoardConnection, writer, boards[0]?.boardId ?? '');
});

t.test('CLIENT35 with getToken the service gets a new token on the open socket', async (t) => {
  const ada = await newPerson(t, url);
  const { boardId, columnId } = await shareBoard(ada);
  const clock = new HeldClock(RENEWALS);
  const lifetimes = [600, 1200, 1800];
  const getToken = (): Promise<string> => tokenFor(config, ada, lifetimes.shift() ?? 0);
  const device = anotherDevice(t, url, ada, { clock, getToken });
  device.client.token = null;
  const connection = follow(t, device, boardId);
  await connection.ready;
  const socket = device.sockets.latest();
  const ends = (): string[] => socket.received.flatMap(({ expires_at }) => expires_at ?? []);
  for (const count of [2, 3]) {
    clock.fire();
    await new Promise<void>((resolve) => {
      socket.on('message', () => {
        if (ends().length === count) resolve();
      });
    });
  }
  t.strictSame([...new Set(ends())].sort(), ends(), 'each ends later than the one before');
  await device.client.column.update({ column_id: columnId }, { title: 'Later' });
  await checkCopy(t, connection, device, boardId);
  t.strictSame([connection.state.kind, device.sockets.made.length, lifetimes], ['live', 1, []]);
});

t.test('CLIENT40 the feed of the service reports boards of the user, and when lists must be read again', async (t) => {
  const [ada, bob] = [await newPerson(t, url), await newPerson(t, url)];
  const feed = bob.client.feed();
  t.teardown(() => feed.close());
  await feed.ready;
  const added = next(feed, 'board_added');
  const { boardId: board_id } = await shareBoard(ada, bob);
  t.strictSame(await added, { board_id });
  const changed = next(feed, 'board_changed');
  await ada.client.board.update({ board_id }, { title: 'Renamed' });
  t.strictSame(await changed, { board_id, title: 'Renamed' });
  const reconnected = next(feed, 'reconnected');
  bob.sockets.latest().cut();
  await reconnected;
  const removed = next(feed, 'board_removed');
  await ada.client.member.remove({ board_id, user_id: bob.id });
  t.strictSame(await removed, { board_id });
});

t.test('CLIENT41 states reach the others, those who come later, and end with their connection', async (t) => {
  const [ada, bob, cleo] = [await newPerson(t, url), await newPerson(t, url), await newPerson(t, url)];
  const { boardId } = await shareBoard(ada, bob, cleo);
  const [first, second] = [follow(t, ada, boardId), follow(t, bob, boardId)];
  first.setState({ card: 'x' });
  await Promise.all([first.ready, second.ready]);
  const shown = ({ states }: BoardConnection): unknown => states.map(({ user_id, state }) => ({ user_id, state }));
  await until(second, () => second.states.length === 1);
  t.strictSame(shown(second), [{ user_id: ada.id, state: { card: 'x' } }]);
  for (let n = 1; n <= 30; n += 1) first.setState(n);
  await until(second, () => second.states[0]?.state === 30);
  const third = follow(t, cleo, boardId);
  await until(third, () => third.states.length === 1);
  t.strictSame(shown(third), [{ user_id: ada.id, state: 30 }]);
  const [before] = third.states;
  ada.sockets.latest().cut();
  const isReplaced = (): boolean => third.states[0]?.connection_id !== before?.connection_id;
  await until(third, () => third.states.length === 1 && isReplaced());
  t.strictSame(shown(third), [{ user_id: ada.id, state: 30 }], 'it is shown again after a lost connection');
  first.setState(null);
  await until(third, () => third.states.length === 0);
});

t.test('CLIENT41 signals reach the others', async (t) => {
  const [ada, bob] = [await newPerson(t, url), await newPerson(t, url)];
  const { boardId } = await shareBoard(ada, bob);
  const [first, second] = [follow(t, ada, boardId), follow(t, bob, boardId)];
  await until(second, () => second.presence.length === 2 && second.state.kind === 'live');
  await first.ready;
  const received = new Promise<Signal>((resolve) => second.on('signal', resolve));
  t.equal(first.signal({ x: 1, text: 'é' }), true);
  t.match(await received, { user_id: ada.id, data: { x: 1, text: 'é' } });
});

function next<Name extends keyof FeedEvents>(feed: Feed, name: Name): Promise<FeedEvents[Name]> {
  return new Promise((resolve) => feed.on(name, resolve));
}
