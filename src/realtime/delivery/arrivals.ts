/** The clients of a board that are not live yet, and the messages held for them. */
import type { LargeDeliveries } from './largeDeliveries.js';
import { type Arrival, type Client, type Held, seqOf, type Follower } from '../socket/follower.js';
import { decideHold, isTooMuchHeld, reliefOf, type Relief } from './slowClients.js';

/** Memory of a held message for each client besides its text, which they share. */
const HELD_ENTRY_BYTES = 16;

/** Counts the bytes that all boards of this process hold for clients that are not live. */
export interface HeldBytes {
  total: number;
}

export interface ArrivalsOptions {
  readonly held: HeldBytes;
  readonly deliveries: LargeDeliveries;
  readonly endAsTooSlow: (client: Client) => void;
}

export class Arrivals {
  readonly #options: ArrivalsOptions;
  readonly #followers = new Set<Follower>();
  /** Upper bound of the bytes held for them, until they are counted again. */
  #heldBytes = 0;

  constructor(options: ArrivalsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#followers.size;
  }

  add(follower: Follower): void {
    this.#followers.add(follower);
  }

  /** Live, or closed. */
  delete(follower: Follower): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    this.#setHeld(0);
  }

  /** The live set: a follower that leaves during the iteration is not visited, one that comes is. */
  [Symbol.iterator](): Iterator<Follower> {
    return this.#followers[Symbol.iterator]();
  }

  /** Holds a message for each of them that gets one; they share its text. */
  hold(messageFor: (follower: Follower) => Held | null): void {
    const messages = new Set<Held>();
    for (const follower of this.#followers) {
      const message = messageFor(follower);
      if (message === null) continue;
      if (message.kind === 'large') this.#options.deliveries.keep(follower, message.event.bytes);
      this.#holdFor(follower, message);
      messages.add(message);
    }
    this.#noteHeld(sumOf(messages) + HELD_ENTRY_BYTES * this.#followers.size);
  }

  /** The client will not get this message. */
  forgo(follower: Follower, held: Held): void {
    if (held.kind === 'large') this.#options.deliveries.release(follower, held.event.bytes);
  }

  #holdFor(follower: Follower, message: Held): void {
    const { arrival } = follower;
    if (arrival === null) return;
    // Presence changes from before its own join do not concern a client.
    if (message.kind === 'presence' && !arrival.hasJoined) return;
    // A client ahead of this instance has read the event from the log.
    const isKnown = arrival.step === 'settled' && (seqOf(message) ?? Infinity) <= arrival.seq;
    if (isKnown) return this.forgo(follower, message);
    if (message.kind === 'presence' && message.stateOf !== undefined) forgetState(arrival.held, message.stateOf);
    const decision = decideHold(arrival.held, arrival.step === 'settled');
    if (decision !== 'hold') this.#relieve(follower, arrival, decision);
    if (!follower.isEnded) arrival.held.push(message);
  }

  #relieve(follower: Follower, { held }: Arrival, relief: Relief): void {
    if (relief === 'end') return this.#options.endAsTooSlow(follower.client);
    for (const each of held) this.forgo(follower, each);
    held.splice(0, held.length, ...held.filter(({ kind }) => kind === 'presence'));
  }

  #noteHeld(bytes: number): void {
    if (this.#followers.size === 0) return;
    this.#setHeld(this.#heldBytes + bytes);
    if (!this.#isTooMuchHeld()) return;
    this.#count();
    if (!this.#isTooMuchHeld()) return;
    for (const follower of this.#followers) {
      const { arrival } = follower;
      if (arrival !== null) this.#relieve(follower, arrival, reliefOf(arrival.step === 'settled'));
    }
    this.#count();
  }

  #isTooMuchHeld(): boolean {
    return isTooMuchHeld(this.#heldBytes, this.#options.held.total);
  }

  #setHeld(bytes: number): void {
    this.#options.held.total += bytes - this.#heldBytes;
    this.#heldBytes = bytes;
  }

  #count(): void {
    const messages = new Set<Held>();
    let bytes = 0;
    for (const { arrival } of this.#followers) {
      for (const each of arrival?.held ?? []) messages.add(each);
      bytes += (arrival?.held.length ?? 0) * HELD_ENTRY_BYTES;
    }
    this.#setHeld(bytes + sumOf(messages));
  }
}

/** Only the last state of a connection matters: some change many times while a client catches up. */
function forgetState(held: Held[], connectionId: number): void {
  const at = held.findIndex((each) => each.kind === 'presence' && each.stateOf === connectionId);
  if (at >= 0) held.splice(at, 1);
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
