/**
 * Sends large messages in slices, the next when the socket has taken the last, all from the one buffer of the message.
 * A client costs a slice and not a copy, and a slow client does not affect others.
 */
import type { WebSocket } from 'uWebSockets.js';
import type { Arrival, Client, Follower, SocketData } from '../socket/follower.js';
import { areTooManyBuffersKept, isSliceAllowed, isSliceOverdue, SLICE_BYTES } from './slowClients.js';

/** How long deliveries may occupy the I/O thread at a time. */
const TURN_MS = 1;
/** uWebSockets' result for a message that it dropped. */
const DROPPED = 2;

interface Delivery {
  readonly follower: Follower;
  readonly arrival: Arrival;
  readonly bytes: Uint8Array;
  readonly onDone: () => void;
  offset: number;
  /** When the last slice was sent, in milliseconds of the monotonic clock. */
  sentAt: number;
  /** Unread when the last slice had been sent. */
  backlogBytes: number;
}

/**
 * Methods of uWebSockets' sockets that its published types leave out. Only the first fragment says whether the message
 * is binary.
 */
interface FragmentSender {
  sendFirstFragment(fragment: Uint8Array, isBinary: boolean): number;
  sendFragment(fragment: Uint8Array): number;
  sendLastFragment(fragment: Uint8Array): number;
}

export class LargeDeliveries {
  readonly #endAsTooSlow: (client: Client) => void;
  readonly #monotonic: () => number;
  /** Deliveries that may send, in order. */
  readonly #ready = new Set<Delivery>();
  /** Deliveries whose last slice is not taken yet. */
  readonly #untaken = new Set<Delivery>();
  readonly #of = new Map<Follower, Delivery>();
  /** The followers that still need each buffer, the oldest buffer first. */
  readonly #kept = new Map<Uint8Array, Set<Follower>>();
  #keptBytes = 0;
  #isScheduled = false;

  constructor(endAsTooSlow: (client: Client) => void, monotonic: () => number = () => performance.now()) {
    this.#endAsTooSlow = endAsTooSlow;
    this.#monotonic = monotonic;
  }

  /** Whether a slice can be sent without waiting for a client. */
  get isBusy(): boolean {
    return this.#isScheduled;
  }

  /** Registers that the follower needs these bytes. This may end the follower or others. */
  keep(follower: Follower, bytes: Uint8Array): void {
    const followers = this.#kept.get(bytes);
    if (followers !== undefined) {
      followers.add(follower);
      return;
    }
    this.#kept.set(bytes, new Set([follower]));
    this.#keptBytes += bytes.byteLength;
    for (const [oldest, slow] of this.#kept) {
      if (!areTooManyBuffersKept(this.#keptBytes) || oldest === bytes) return;
      for (const each of [...slow]) this.#endAsTooSlow(each.client);
    }
  }

  /** The follower no longer needs the bytes. */
  release(follower: Follower, bytes: Uint8Array): void {
    const followers = this.#kept.get(bytes);
    if (followers?.delete(follower) !== true || followers.size > 0) return;
    this.#kept.delete(bytes);
    this.#keptBytes -= bytes.byteLength;
  }

  /**
   * Sends the bytes as one text message. Nothing else may be sent to the follower until `onDone`, which is also called
   * if the follower ends.
   */
  deliver(follower: Follower, arrival: Arrival, bytes: Uint8Array, onDone: () => void): void {
    this.keep(follower, bytes);
    if (follower.isEnded) return onDone();
    const delivery = { follower, arrival, bytes, onDone, offset: 0, sentAt: 0, backlogBytes: 0 };
    arrival.isReceiving = true;
    this.#of.set(follower, delivery);
    this.#ready.add(delivery);
    this.#schedule();
  }

  /** The follower has ended. */
  forget(follower: Follower): void {
    for (const bytes of [...this.#kept.keys()]) this.release(follower, bytes);
    const delivery = this.#of.get(follower);
    if (delivery === undefined) return;
    this.#of.delete(follower);
    this.#ready.delete(delivery);
    this.#untaken.delete(delivery);
    this.#schedule();
    delivery.onDone();
  }

  /** Once a second. Ends clients that do not read. */
  sweep(): void {
    const now = this.#monotonic();
    const untaken = [...this.#untaken];
    for (const { follower, sentAt, backlogBytes } of untaken) {
      if (isSliceOverdue({ waitedMs: now - sentAt, backlogBytes }, untaken.length)) this.#endAsTooSlow(follower.client);
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#ready.size === 0 || !isSliceAllowed(this.#untaken.size)) return;
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
      if (!isSliceAllowed(this.#untaken.size) || performance.now() >= end) break;
    }
    this.#schedule();
  }

  #sendSlice(delivery: Delivery): void {
    const { follower, bytes, offset } = delivery;
    const slice = bytes.subarray(offset, offset + SLICE_BYTES);
    delivery.offset += slice.byteLength;
    const socket = follower.client.socket as WebSocket<SocketData> & FragmentSender;
    const isLast = delivery.offset === bytes.byteLength;
    const result = sendPart(socket, slice, { isFirst: offset === 0, isLast });
    // Sending may have detected that the client is gone.
    if (follower.isEnded) return;
    // Without this slice the message is incomplete for ever.
    if (result === DROPPED) return this.#endAsTooSlow(follower.client);
    const backlog = socket.getBufferedAmount();
    if (backlog === 0) return this.#goOn(delivery);
    delivery.sentAt = this.#monotonic();
    delivery.backlogBytes = backlog;
    this.#untaken.add(delivery);
    delivery.arrival.onDrain = () => this.#noteDrain(delivery);
  }

  /** The socket took data, or it has ended and `forget` follows. */
  #noteDrain(delivery: Delivery): void {
    const { follower, arrival } = delivery;
    if (follower.isEnded || !this.#untaken.has(delivery) || follower.client.socket.getBufferedAmount() > 0) return;
    this.#untaken.delete(delivery);
    arrival.onDrain = () => undefined;
    this.#goOn(delivery);
    this.#schedule();
  }

  #goOn(delivery: Delivery): void {
    const { follower, arrival, bytes, offset, onDone } = delivery;
    if (offset < bytes.byteLength) {
      this.#ready.add(delivery);
      return;
    }
    this.#of.delete(follower);
    arrival.isReceiving = false;
    this.release(follower, bytes);
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
