/** The network between instances, as the cluster needs it. It carries bytes and knows no messages. */
import type { Refusal } from './refusal.js';

export interface PeerNetwork {
  /** Whether the network is up. */
  isConnected(): boolean;
  /** Called at the first connection and at every reconnection. Messages may have been lost in between. */
  onConnect(listener: () => void): void;

  /**
   * Sends a request to this instance. `answer` may be called several times, and never before this returns. `notServed` is
   * called instead if the instance is not connected: then the request was not seen.
   */
  request(instance: string, bytes: Uint8Array, receiver: RequestReceiver): { cancel(): void };
  /** Receives the requests to this instance, for as long as it is connected. */
  serve(receive: (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void): Serving;

  /** Publishes to every other instance. */
  publishToPeers(bytes: Uint8Array): void;
  /** `onRefusal`: a message could not be read; it is counted and logged already. */
  subscribeToPeers(receive: (bytes: Uint8Array) => void, onRefusal: (refusal: Refusal) => void): void;
}

export interface Serving {
  /** Resolves when the requests that were on their way are received. Later ones get `notServed`. */
  stop(): Promise<void>;
}

export interface RequestReceiver {
  answer(bytes: Uint8Array): void;
  notServed(): void;
  /** The connection was lost; the request may or may not have arrived. */
  lost(): void;
}
