/**
 * Large messages on their way to sockets: in slices, the next when the socket has taken the one before, all from the one
 * buffer that the message lies in. So a client costs a slice and not a copy, and a slow one is no burden to the others.
 */
import type { WebSocket } from 'uWebSockets.js';
import type { Arrival, Session, SocketData } from './session.js';

/** About what a system's buffer for a fresh connection takes at once; sending it takes some ten microseconds. */
export const SLICE_BYTES = 64 * 1024;
/** Slices that sockets have not taken, of the whole process: 32 MiB. Past it the other deliveries wait for their turn. */
const MAX_UNTAKEN_SLICES = 512;
/** How long the deliveries may keep the I/O thread at a time. */
const TURN_MS = 1;
/** What a client must read at least, in bytes a millisecond, and how long it may pause. */
const MIN_BYTES_PER_MS = 16;
const PATIENCE_MS = 5_000;
/** The same when others wait for their turn because of it. */
const PATIENCE_IN_A_CROWD_MS = 1_000;
/**
 * The buffers that are kept for clients, of the whole process. Past it the clients that still need the oldest go: they
 * had the most time to read it.
 */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** What uWebSockets answers for a message that it threw away. */
const DROPPED = 2;

interface Delivery {
  readonly session: Session;
  readonly arrival: Arrival;
  readonly bytes: Uint8Array;
  readonly onDone: () => void;
  offset: number;
  /** When the last slice was sent, and until when it must be taken; in milliseconds of the monotonic clock. */
  sentAt: number;
  deadline: number;
}

/** Of uWebSockets' sockets; its published types leave these out. Only the first says whether the message is binary. */
interface FragmentSender {
  sendFirstFragment(fragment: Uint8Array, isBinary: boolean): number;
  sendFragment(fragment: Uint8Array): number;
  sendLastFragment(fragment: Uint8Array): number;
}

export class LargeDeliveries {
  readonly #endAsTooSlow: (session: Session) => void;
  readonly #monotonic: () => number;
  /** In the order in which their turns come. */
  readonly #ready = new Set<Delivery>();
  /** Those whose last slice is not taken yet. */
  readonly #untaken = new Set<Delivery>();
  readonly #of = new Map<Session, Delivery>();
  /** Who still needs which buffer; the oldest first. */
  readonly #kept = new Map<Uint8Array, Set<Session>>();
  #keptBytes = 0;
  #isScheduled = false;

  constructor(endAsTooSlow: (session: Session) => void, monotonic: () => number = () => performance.now()) {
    this.#endAsTooSlow = endAsTooSlow;
    this.#monotonic = monotonic;
  }

  /** Whether slices can be sent without waiting for a client. */
  get isBusy(): boolean {
    return this.#isScheduled;
  }

  /** The session will need these bytes. It may be ended by this, as may others. */
  keep(session: Session, bytes: Uint8Array): void {
    const sessions = this.#kept.get(bytes);
    if (sessions !== undefined) {
      sessions.add(session);
      return;
    }
    this.#kept.set(bytes, new Set([session]));
    this.#keptBytes += bytes.byteLength;
    for (const [oldest, slow] of this.#kept) {
      if (this.#keptBytes <= MAX_KEPT_BYTES || oldest === bytes) return;
      for (const each of [...slow]) this.#endAsTooSlow(each);
    }
  }

  /** The session needs them no more. */
  release(session: Session, bytes: Uint8Array): void {
    const sessions = this.#kept.get(bytes);
    if (sessions?.delete(session) !== true || sessions.size > 0) return;
    this.#kept.delete(bytes);
    this.#keptBytes -= bytes.byteLength;
  }

  /**
   * Sends the bytes as one text message. Nothing else may be sent to the session until it is done. A session that ends
   * meanwhile is done as well.
   */
  deliver(session: Session, arrival: Arrival, bytes: Uint8Array, onDone: () => void): void {
    this.keep(session, bytes);
    if (session.isEnded) return onDone();
    const delivery = { session, arrival, bytes, onDone, offset: 0, sentAt: 0, deadline: 0 };
    arrival.isReceiving = true;
    this.#of.set(session, delivery);
    this.#ready.add(delivery);
    this.#schedule();
  }

  /** The session has ended. */
  forget(session: Session): void {
    for (const bytes of [...this.#kept.keys()]) this.release(session, bytes);
    const delivery = this.#of.get(session);
    if (delivery === undefined) return;
    this.#of.delete(session);
    this.#ready.delete(delivery);
    this.#untaken.delete(delivery);
    this.#schedule();
    delivery.onDone();
  }

  /** Once a second. Ends those that do not read. */
  sweep(): void {
    const now = this.#monotonic();
    const isCrowded = this.#untaken.size >= MAX_UNTAKEN_SLICES;
    for (const { session, sentAt, deadline } of [...this.#untaken]) {
      if (now >= (isCrowded ? sentAt + PATIENCE_IN_A_CROWD_MS : deadline)) this.#endAsTooSlow(session);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#ready.size === 0 || this.#untaken.size >= MAX_UNTAKEN_SLICES) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#takeTurns();
    });
  }

  #takeTurns(): void {
    const end = performance.now() + TURN_MS;
    for (const delivery of this.#ready) {
      this.#ready.delete(delivery);
      this.#sendSlice(delivery);
      if (this.#untaken.size >= MAX_UNTAKEN_SLICES || performance.now() >= end) break;
    }
    this.#schedule();
  }

  #sendSlice(delivery: Delivery): void {
    const { session, bytes, offset } = delivery;
    const slice = bytes.subarray(offset, offset + SLICE_BYTES);
    delivery.offset += slice.byteLength;
    const socket = session.socket as typeof session.socket & FragmentSender;
    const isLast = delivery.offset === bytes.byteLength;
    const result = sendPart(socket, slice, { isFirst: offset === 0, isLast });
    // Sending may have found that the client is gone.
    if (session.isEnded) return;
    // Without it the message can never be right.
    if (result === DROPPED) return this.#endAsTooSlow(session);
    const backlog = socket.getBufferedAmount();
    if (backlog === 0) return this.#goOn(delivery);
    delivery.sentAt = this.#monotonic();
    delivery.deadline = delivery.sentAt + PATIENCE_MS + backlog / MIN_BYTES_PER_MS;
    this.#untaken.add(delivery);
    delivery.arrival.onDrain = () => this.#noteDrain(delivery);
  }

  /** The socket took something; or it has ended, and `forget` follows. */
  #noteDrain(delivery: Delivery): void {
    const { session, arrival } = delivery;
    if (session.isEnded || !this.#untaken.has(delivery) || session.socket.getBufferedAmount() > 0) return;
    this.#untaken.delete(delivery);
    arrival.onDrain = () => undefined;
    this.#goOn(delivery);
    this.#schedule();
  }

  #goOn(delivery: Delivery): void {
    const { session, arrival, bytes, offset, onDone } = delivery;
    if (offset < bytes.byteLength) {
      this.#ready.add(delivery);
      return;
    }
    this.#of.delete(session);
    arrival.isReceiving = false;
    this.release(session, bytes);
    onDone();
  }
}

function sendPart(
  socket: WebSocket<SocketData> & FragmentSender,
  bytes: Uint8Array,
  { isFirst, isLast }: { readonly isFirst: boolean; readonly isLast: boolean },
): number {
  if (isFirst && isLast) return socket.send(bytes, false);
  if (isFirst) return socket.sendFirstFragment(bytes, false);
  return isLast ? socket.sendLastFragment(bytes) : socket.sendFragment(bytes);
}
