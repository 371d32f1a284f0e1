/** The clients of a board that are not live yet, and the messages held for them. */
import type { HeldBudget } from './heldBudget.js';
import type { LargeDeliveries } from './largeDeliveries.js';
import { seqOf, type Arrival, type Held, type Session } from './session.js';
import { MAX_HELD_MESSAGES } from './slowClients.js';

/** Memory of a held message for each client besides its text, which they share. */
const HELD_ENTRY_BYTES = 16;

export interface ArrivalsOptions {
  readonly held: HeldBudget;
  readonly deliveries: LargeDeliveries;
  readonly endAsTooSlow: (session: Session) => void;
}

export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #sessions = new Set<Session>();
  /** Upper bound of the bytes held for them, until they are counted again. */
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

  /** Live, or closed. */
  delete(session: Session): void {
    if (!this.#sessions.delete(session) || this.#sessions.size > 0) return;
    this.#options.held.change(-this.#heldBytes);
    this.#heldBytes = 0;
  }

  /** A copy: sessions may come and go during the iteration. */
  [Symbol.iterator](): Iterator<Session> {
    return this.#sessions[Symbol.iterator]();
  }

  /** Holds a message for each of them; they share its text. */
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

  /** The client will not get this message. */
  forgo(session: Session, held: Held): void {
    if (held.kind === 'large') this.#options.deliveries.release(session, held.event.bytes);
  }

  #holdFor(session: Session, message: Held): void {
    const { arrival } = session;
    if (arrival === null) return;
    // Presence changes from before its own join do not concern a client.
    if (message.kind === 'presence' && !arrival.hasJoined) return;
    // A client ahead of this instance has read the event from the log.
    const isKnown = arrival.step === 'settled' && (seqOf(message) ?? Infinity) <= arrival.seq;
    if (isKnown) return this.forgo(session, message);
    if (arrival.held.length >= MAX_HELD_MESSAGES) this.#letGo(session, arrival);
    if (session.isEnded) return;
    arrival.held.push(message);
    // Presence is in no log, so it cannot be dropped.
    if (arrival.held.length > MAX_HELD_MESSAGES) this.#options.endAsTooSlow(session);
  }

  /** Drops the events held for a client: it reads them from the log, or must reconnect. */
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

/** Large events are counted by `LargeDeliveries`. */
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
