/**
 * Keeps the unread data of all sockets of this process within one budget: the slowest clients are disconnected first.
 */
import { isBacklogWithinBudget, isFallingBehind, slowestBeyondBudget } from './slowClients.js';
import type { Client } from '../socket/follower.js';

/** The unread bytes of a client, and the memory they take. */
interface Behind {
  readonly backlog: number;
  /** uWebSockets keeps a message whole until its last byte is taken, so few unread bytes may hold a large message. */
  readonly memory: number;
}

/** The sockets that get the same messages: all on one board, or all of one user. */
export interface Audience {
  readonly clients: Iterable<Client>;
  includes(client: Client): boolean;
}

/**
 * Inspecting every socket for each message would cost more than sending it. So sent bytes are added up as if no socket
 * had taken any, and the sockets are inspected only when the sum passes the budget, and once a second.
 */
export class Backlog {
  readonly #endAsTooSlow: (client: Client) => void;
  /**
   * The largest message sent to each audience since the last inspection. The sockets of other audiences can only have
   * less to read than before.
   */
  readonly #busy = new Map<Audience, number>();
  /** Sockets with unread data at the last inspection. */
  readonly #behind = new Map<Client, Behind>();
  /** The same at the last sweep. */
  #behindBefore: ReadonlyMap<Client, Behind> = new Map();
  /** Memory of the unread messages. */
  #known = 0;
  /** Sent since the last inspection: bytes times sockets. */
  #sent = 0;

  constructor(endAsTooSlow: (client: Client) => void) {
    this.#endAsTooSlow = endAsTooSlow;
  }

  /** Memory of unread messages as of the last inspection. */
  get bytes(): number {
    return this.#known;
  }

  /**
   * Called before `bytes` go to `sockets` of the audience. Each socket with unread data will keep its own copy; for the
   * others the system's buffer has room for a message.
   */
  makeRoom(audience: Audience, bytes: number, sockets: number): void {
    const largest = this.#busy.get(audience) ?? 0;
    if (largest < bytes) this.#busy.set(audience, bytes);
    this.#sent += bytes * sockets;
    if (isBacklogWithinBudget(this.#known + this.#sent)) return;
    this.#look();
    this.#busy.set(audience, bytes);
    this.#sent = bytes * sockets;
    // The last, because it may end the audience itself.
    this.#endSlowest({ audience, bytes });
  }

  /** Once a second. */
  sweep(): void {
    this.#look();
    const falling = [...this.#behind].filter(([client, { backlog }]) => {
      return isFallingBehind(backlog, this.#behindBefore.get(client)?.backlog ?? 0);
    });
    for (const [client] of falling) this.#endAsTooSlow(client);
    this.#endSlowest({ audience: null, bytes: 0 });
    this.#behindBefore = new Map(this.#behind);
  }

  forget(client: Client): void {
    this.#known -= this.#behind.get(client)?.memory ?? 0;
    this.#behind.delete(client);
  }

  forgetAudience(audience: Audience): void {
    this.#busy.delete(audience);
  }

  #look(): void {
    for (const client of this.#behind.keys()) this.#note(client, 0);
    for (const [{ clients }, largest] of this.#busy) for (const client of clients) this.#note(client, largest);
    this.#busy.clear();
    this.#sent = 0;
  }

  #note(client: Client, largest: number): void {
    const before = this.#behind.get(client)?.memory ?? 0;
    const backlog = client.socket.getBufferedAmount();
    if (backlog === 0 && before === 0) return;
    const memory = backlog === 0 ? 0 : Math.max(before, backlog, largest);
    this.#known += memory - before;
    if (memory === 0) this.#behind.delete(client);
    else this.#behind.set(client, { backlog, memory });
  }

  /** Ends the slowest until the rest, with the new message for those with unread data, fits the budget. */
  #endSlowest({ audience, bytes }: { audience: Audience | null; bytes: number }): void {
    const costs = [...this.#behind].map(([client, { memory }]) => {
      return { client, bytes: memory + (audience?.includes(client) === true ? bytes : 0) };
    });
    for (const client of slowestBeyondBudget(costs)) this.#endAsTooSlow(client);
  }
}
