/** The clients of a board that are not live, and what is held back for them. */
import type { HeldBudget } from './heldBudget.js';
import type { LargeDeliveries } from './largeDeliveries.js';
import { seqOf, type Arrival, type Held, type Session } from './session.js';

/** Messages held back for a client. Past it events are dropped, and read from the log. */
const MAX_HELD_MESSAGES = 1_000;
/** What a held message costs each client besides its text, which they share. */
const HELD_ENTRY_BYTES = 16;

export interface ArrivalsOptions {
  readonly held: HeldBudget;
  readonly deliveries: LargeDeliveries;
  readonly endAsTooSlow: (session: Session) => void;
}

export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #sessions = new Set<Session>();
  /** What is held for them, in bytes: at most this, until it is counted again. */
  #heldBytes = 0;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  add(session: Session): void {
    this.#sessions.add(session);
  }

  /** Live, or gone. */
  delete(session: Session): void {
    if (!this.#sessions.delete(session) || this.#sessions.size > 0) return;
    this.#options.held.change(-this.#heldBytes);
    this.#heldBytes = 0;
  }

  /** Sessions may come and go meanwhile. */
  [Symbol.iterator](): Iterator<Session> {
    return this.#sessions[Symbol.iterator]();
  }

  /** The message for each of them; they share its text. */
  hold(messageFor: (session: Session) => Held): void {
    const messages = new Set<Held>();
    for (const session of this.#sessions) {
      const message = messageFor(session);
      if (message.kind === 'large') this.#options.deliveries.keep(session, message.event.bytes);
      this.#holdFor(session, message);
      messages.add(message);
    }
    this.#noteHeld(sumOf(messages) + HELD_ENTRY_BYTES * this.#sessions.size);
  }

  /** The client will not get this. */
  forgo(session: Session, held: Held): void {
    if (held.kind === 'large') this.#options.deliveries.release(session, held.event.bytes);
  }

  #holdFor(session: Session, message: Held): void {
    const { arrival } = session;
    if (arrival === null) return;
    // Who came and went before is no news to a client that was not there.
    if (message.kind === 'presence' && !arrival.hasJoined) return;
    // A client ahead of this instance has it from the log.
    const isKnown = arrival.step === 'settled' && (seqOf(message) ?? Infinity) <= arrival.seq;
    if (isKnown) return this.forgo(session, message);
    if (arrival.held.length >= MAX_HELD_MESSAGES) this.#letGo(session, arrival);
    if (session.isEnded) return;
    arrival.held.push(message);
    // Who came and went is in no log.
    if (arrival.held.length > MAX_HELD_MESSAGES) this.#options.endAsTooSlow(session);
  }

  /** Lets go of the events that are held for a client: it reads them from the log, or has to come back. */
  #letGo(session: Session, { step, held }: Arrival): void {
    if (step === 'settled') return this.#options.endAsTooSlow(session);
    for (const each of held) this.forgo(session, each);
    held.splice(0, held.length, ...held.filter(({ kind }) => kind === 'presence'));
  }

  #noteHeld(bytes: number): void {
    const { held } = this.#options;
    if (this.#sessions.size === 0) return;
    this.#heldBytes += bytes;
    held.change(bytes);
    if (!held.isExceededBy(this.#heldBytes)) return;
    this.#count();
    if (!held.isExceededBy(this.#heldBytes)) return;
    for (const session of this.#sessions) if (session.arrival !== null) this.#letGo(session, session.arrival);
    this.#count();
  }

  #count(): void {
    const messages = new Set<Held>();
    let bytes = 0;
    for (const { arrival } of this.#sessions) {
      for (const each of arrival?.held ?? []) messages.add(each);
      bytes += (arrival?.held.length ?? 0) * HELD_ENTRY_BYTES;
    }
    bytes += sumOf(messages);
    this.#options.held.change(bytes - this.#heldBytes);
    this.#heldBytes = bytes;
  }
}

function sumOf(messages: ReadonlySet<Held>): number {
  let bytes = 0;
  for (const each of messages) bytes += textBytes(each);
  return bytes;
}

/** Large events are counted with their deliveries. */
function textBytes(held: Held): number {
  switch (held.kind) {
    case 'event':
      return held.event.json.length;
    case 'presence':
      return held.text.length;
    case 'large':
    case 'resync':
      return 0;
  }
}
