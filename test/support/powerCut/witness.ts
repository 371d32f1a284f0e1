/** A client on a board that notes each event and when it came: what was published must be on disk. */
import { once } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { WebSocket } from 'ws';
import type { Uuid } from '../../../src/domain/ids.js';
import type { Api } from '../http/api.js';
import type { TestUser } from '../http/users.js';
import { monotonicTime } from '../monotonicTime.js';
import { eventsAfter, type NumberedEvent } from '../store/crashWorld.js';

interface Seen {
  readonly event: NumberedEvent;
  readonly at: number;
}

export class Witness {
  readonly #board: Uuid;
  readonly #user: TestUser;
  readonly #firstSeq: number;
  readonly #seen: Seen[] = [];
  #socket: WebSocket | null = null;

  /** It sees the events after this number. */
  constructor(board: Uuid, user: TestUser, seq: number) {
    this.#board = board;
    this.#user = user;
    this.#firstSeq = seq;
  }

  /** When it saw each event. */
  get times(): number[] {
    return this.#seen.map(({ at }) => at);
  }

  /** Again after a restart, where it goes on. */
  async connect(url: string): Promise<void> {
    const since = this.#seen.at(-1)?.event.seq ?? this.#firstSeq;
    const query = new URLSearchParams({ token: this.#user.token, since: String(since) });
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws/boards/${this.#board}?${query}`);
    this.#socket = socket;
    socket.on('message', (data) => {
      const event = JSON.parse(String(data)) as NumberedEvent;
      if (event.type === 'ping') socket.send('{"type":"pong"}');
      if (event.type.includes('.') || event.type === 'resync') this.#seen.push({ event, at: monotonicTime() });
    });
    await once(socket, 'open');
    // The end of the service is no fault of the connection.
    socket.on('error', () => undefined);
  }

  close(): void {
    this.#socket?.terminate();
  }

  /** What it had seen at this time must be in the log, as it was. */
  async findProblems(api: Api, time: number): Promise<string[]> {
    const stored = new Map<number, NumberedEvent>();
    for (const event of await eventsAfter(api, this.#user, this.#board, this.#firstSeq)) stored.set(event.seq, event);
    return this.#seen
      .filter(({ event, at }) => at <= time && !isDeepStrictEqual(stored.get(event.seq), event))
      .map(({ event }) => `event ${event.seq} (${event.type}) was published and is not in the log`);
  }
}
