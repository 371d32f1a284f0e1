/** What all sockets of this process have not taken yet, kept below one budget: the slowest go first. */
import type { Place, Session } from './session.js';

/**
 * What all clients together may have to read, in bytes. uWebSockets grows its buffers by doubling, so the memory may be
 * twice this.
 */
export const MAX_TOTAL_BACKLOG_BYTES = 64 * 1024 * 1024;
/** A client that has this much waiting, and not less than a second ago, reads too slowly. */
const MAX_STEADY_BACKLOG_BYTES = 1024 * 1024;

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
  /** Those to which something was sent since the last look. The others can only have less to read than before. */
  readonly #busy = new Set<Audience>();
  /** What each had to read at the last look; only those that had anything. */
  readonly #behind = new Map<Session, number>();
  /** The same, at the last sweep. */
  #behindBefore: ReadonlyMap<Session, number> = new Map();
  /** The sum of `#behind`. */
  #known = 0;
  /** Sent since the last look: bytes times sockets. */
  #sent = 0;

  constructor(endAsTooSlow: (session: Session) => void) {
    this.#endAsTooSlow = endAsTooSlow;
  }

  /** As of the last look. */
  get bytes(): number {
    return this.#known;
  }

  /**
   * Before as many bytes go to as many sockets of the audience. Each socket that is behind already will keep a copy of
   * its own; one that is not has room for a message in the system's buffer.
   */
  makeRoom(audience: Audience, bytes: number, sockets: number): void {
    this.#busy.add(audience);
    this.#sent += bytes * sockets;
    if (this.#known + this.#sent <= MAX_TOTAL_BACKLOG_BYTES) return;
    this.#look();
    this.#endSlowest({ audience, bytes });
    this.#busy.add(audience);
    this.#sent = bytes * sockets;
  }

  /** Once a second. */
  sweep(): void {
    this.#look();
    const losing = [...this.#behind].filter(([session, bytes]) => {
      const before = this.#behindBefore.get(session) ?? 0;
      return bytes > MAX_STEADY_BACKLOG_BYTES && before > 0 && bytes >= before;
    });
    for (const [session] of losing) this.#endAsTooSlow(session);
    this.#endSlowest({ audience: null, bytes: 0 });
    this.#behindBefore = new Map(this.#behind);
  }

  forget(session: Session): void {
    this.#known -= this.#behind.get(session) ?? 0;
    this.#behind.delete(session);
  }

  forgetAudience(audience: Audience): void {
    this.#busy.delete(audience);
  }

  #look(): void {
    for (const session of this.#behind.keys()) this.#note(session);
    for (const { sessions } of this.#busy) for (const session of sessions) this.#note(session);
    this.#busy.clear();
    this.#sent = 0;
  }

  #note(session: Session): void {
    const before = this.#behind.get(session) ?? 0;
    const bytes = session.socket.getBufferedAmount();
    if (bytes === before) return;
    this.#known += bytes - before;
    if (bytes === 0) this.#behind.delete(session);
    else this.#behind.set(session, bytes);
  }

  /** Until the rest, with the message for those of the audience that are behind, fits the budget. */
  #endSlowest({ audience, bytes }: { audience: Audience | null; bytes: number }): void {
    const costs = [...this.#behind].map(([session, backlog]) => {
      return { session, cost: backlog + (session.place === audience ? bytes : 0) };
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
