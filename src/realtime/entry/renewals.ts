/** Sessions that were refreshed lately: their sockets and streams outlive the tokens that they were opened with. */
import { accessExpiry } from '../../auth/tokens.js';
import type { Uuid } from '../../domain/ids.js';
import { BoundedMap } from '../../flow/boundedMap.js';
import type { LiveSession } from '../../domain/account/session.js';

/** About 3 MB. A session beyond it must send its new token, or connect again. */
const MAX_RENEWALS = 20_000;

export class Renewals {
  readonly #lifetimeSeconds: number;
  /** When the latest access token of a session expires, in seconds since the epoch. */
  readonly #expiries = new BoundedMap<Uuid, number>(MAX_RENEWALS);

  constructor(lifetimeSeconds: number) {
    this.#lifetimeSeconds = lifetimeSeconds;
  }

  note(session: LiveSession): void {
    const expiresAt = accessExpiry(session, this.#lifetimeSeconds);
    if (expiresAt <= (this.#expiries.get(session.id) ?? 0)) return;
    this.#expiries.set(session.id, expiresAt);
  }

  /** 0 if the session was not refreshed. */
  expiryOf(sessionId: Uuid | null): number {
    return sessionId === null ? 0 : (this.#expiries.get(sessionId) ?? 0);
  }

  forget(sessionIds: readonly Uuid[]): void {
    for (const id of sessionIds) this.#expiries.delete(id);
  }

  /** Drops what has expired. */
  sweep(nowSeconds: number): void {
    for (const [id, expiresAt] of this.#expiries.entries()) if (expiresAt <= nowSeconds) this.#expiries.delete(id);
  }
}
