/** What all sockets of this process have not taken yet, kept below one budget: the slowest go first. */
import type { Place, Session } from './session.js';

/** What all clients together may have to read, in bytes. */
export const MAX_TOTAL_BACKLOG_BYTES = 64 * 1024 * 1024;
/** A client that has this much waiting, and not less than a second ago, reads too slowly. */
const MAX_STEADY_BACKLOG_BYTES = 1024 * 1024;

/** What a client that is behind has to read, and what that takes. */
interface Behind {
  readonly backlog: number;
  /**
   * uWebSockets keeps a message whole until its last byte is taken, so a little backlog may be the end of a large
   * message.
   */
  readonly memory: number;
}

/** The sockets of one board. */
export interface Audience extends Place {
  readonly sessions: Iterable<Session>;
}

/**
 * Looking at every socket for each message would cost more than sending it. So what is sent is added up as if no socket
 * had taken any of it, and the sockets are looked at only when that passes the budget, and once a second.
 */
export class Backlog {
  readonly #endAsTooSlow: (session: Session) => void;
  /**
   * The largest message that each audience was sent since the last look. Those that are not among them can only have
   * less to read than before.
   */
  readonly #busy = new Map<Audience, number>();
  /** Of those that had anything to read at the last look. */
  readonly #behind = new Map<Session, Behind>();
  /** The same, at the last sweep. */
  #behindBefore: ReadonlyMap<Session, Behind> = new Map();
  /** What those behind take. */
  #known = 0;
  /** Sent since the last look: bytes times sockets. */
  #sent = 0;

  constructor(endAsTooSlow: (session: Session) => void) {
    this.#endAsTooSlow = endAsTooSlow;
  }

  /** What the messages that wait for clients take, as of the last look. */
  get bytes(): number {
    return this.#known;
  }

  /**
   * Before as many bytes go to as many sockets of the audience. Each socket that is behind already will keep a copy of
   * its own; one that is not has room for a message in the system's buffer.
   */
  makeRoom(audience: Audience, bytes: number, sockets: number): void {
    const largest = this.#busy.get(audience) ?? 0;
    if (largest < bytes) this.#busy.set(audience, bytes);
    this.#sent += bytes * sockets;
    if (this.#known + this.#sent <= MAX_TOTAL_BACKLOG_BYTES) return;
    this.#look();
    this.#endSlowest({ audience, bytes });
    this.#busy.set(audience, bytes);
    this.#sent = bytes * sockets;
  }

  /** Once a second. */
  sweep(): void {
    this.#look();
    const losing = [...this.#behind].filter(([session, { backlog }]) => {
      const before = this.#behindBefore.get(session)?.backlog ?? 0;
      return backlog > MAX_STEADY_BACKLOG_BYTES && before > 0 && backlog >= before;
    });
    for (const [session] of losing) this.#endAsTooSlow(session);
    this.#endSlowest({ audience: null, bytes: 0 });
    this.#behindBefore = new Map(this.#behind);
  }

  forget(session: Session): void {
    this.#known -= this.#behind.get(session)?.memory ?? 0;
    this.#behind.delete(session);
  }

  forgetAudience(audience: Audience): void {
    this.#busy.delete(audience);
  }

  #look(): void {
    for (const session of this.#behind.keys()) this.#note(session, 0);
    for (const [{ sessions }, largest] of this.#busy) for (const session of sessions) this.#note(session, largest);
    this.#busy.clear();
    this.#sent = 0;
  }

  #note(session: Session, largest: number): void {
    const before = this.#behind.get(session)?.memory ?? 0;
    const backlog = session.socket.getBufferedAmount();
    if (backlog === 0 && before === 0) return;
    const memory = backlog === 0 ? 0 : Math.max(before, backlog, largest);
    this.#known += memory - before;
    if (memory === 0) this.#behind.delete(session);
    else this.#behind.set(session, { backlog, memory });
  }

  /** Until the rest, with the message for those of the audience that are behind, fits the budget. */
  #endSlowest({ audience, bytes }: { audience: Audience | null; bytes: number }): void {
    const costs = [...this.#behind].map(([session, { memory }]) => {
      return { session, cost: memory + (session.place === audience ? bytes : 0) };
    });
    let total = costs.reduce((sum, { cost }) => sum + cost, 0);
    if (total <= MAX_TOTAL_BACKLOG_BYTES) return;
    for (const { session, cost } of costs.sort((a, b) => b.cost - a.cost)) {
      if (total <= MAX_TOTAL_BACKLOG_BYTES) return;
      total -= cost;
      this.#endAsTooSlow(session);
    }
  }
}
