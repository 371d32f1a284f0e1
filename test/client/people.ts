/** Users with one client each, on a shared board. */
import type { Test } from 'tap';
import { createClient, type BoardConnection, type Client, type ClientOptions } from '../../src/client/index.js';
import { newRegistration } from '../support/http/users.js';
import { watchSockets, type WatchedSockets } from '../support/realtime/webSocket.js';

export interface Person {
  readonly id: string;
  readonly username: string;
  readonly client: Client;
  readonly sockets: WatchedSockets;
}

/** Sockets are reconnected at once. */
const CONNECTION = { firstRetryMs: 20, maxRetryMs: 100 };

export async function newPerson(t: Test, baseUrl: string, options: Partial<ClientOptions> = {}): Promise<Person> {
  const sockets = watchSockets();
  t.teardown(() => sockets.made.forEach((socket) => socket.cut()));
  const client = createClient({ baseUrl, webSocket: sockets.constructor, connection: CONNECTION, ...options });
  const registration = newRegistration();
  const { id, username } = await client.auth.register(registration);
  await client.auth.login({ username: registration.email, password: registration.password });
  return { id, username, client, sockets };
}

/** Another device of the same user, with its own sockets. */
export function anotherDevice(t: Test, baseUrl: string, { id, username, client: { token } }: Person, options: Partial<ClientOptions> = {}): Person {
  const sockets = watchSockets();
  t.teardown(() => sockets.made.forEach((socket) => socket.cut()));
  const webSocket = sockets.constructor;
  const client = createClient({ baseUrl, token: token ?? '', webSocket, connection: CONNECTION, ...options });
  return { id, username, sockets, client };
}

export interface SharedBoard {
  readonly boardId: string;
  readonly columnId: string;
}

/** A board of the first, with the others as members, and a column. */
export async function shareBoard(owner: Person, ...others: readonly Person[]): Promise<SharedBoard> {
  const { id: board_id } = await owner.client.board.create({ title: 'Shared' });
  for (const { id: user_id } of others) await owner.client.member.add({ board_id }, { user_id });
  const { id: columnId } = await owner.client.column.create({ board_id }, { title: 'To do' });
  return { boardId: board_id, columnId };
}

/** A connection that ends with the test. */
export function follow(t: Test, { client }: Person, boardId: string): BoardConnection {
  const connection = client.connect(boardId);
  t.teardown(() => connection.close());
  return connection;
}

/** Resolves when the condition holds; it is checked at every event of the connection. */
export function until(connection: BoardConnection, holds: () => boolean): Promise<void> {
  if (holds()) return Promise.resolve();
  return new Promise((resolve) => {
    const stops = (['change', 'state', 'presence', 'states'] as const).map((name) =>
      connection.on(name, () => {
        if (!holds()) return;
        stops.forEach((stop) => stop());
        resolve();
      }),
    );
  });
}

/** Waits until the connection is live and up to date, and compares its copy with the service's board. */
export async function checkCopy(t: Test, connection: BoardConnection, { client }: Person, boardId: string): Promise<void> {
  const { seq } = await client.board.events({ board_id: boardId }, { since: connection.seq });
  await until(connection, () => connection.seq >= seq && connection.state.kind === 'live');
  t.strictSame(connection.board, await client.board.get({ board_id: boardId }), 'the copy is what the service shows');
}
