/** The network between instances, as the cluster needs it. It carries bytes and knows no messages. */

export interface PeerNetwork {
  /** Whether the network is up. */
  isConnected(): boolean;
  /** Called at the first connection and at every reconnection. Messages may have been lost in between. */
  onConnect(listener: () => void): void;

  /**
   * Sends a request to the instance that serves the address. `answer` may be called several times, and never before
   * this returns. `notServed` is called instead if no instance serves the address: then the request was not seen.
   */
  request(address: string, bytes: Uint8Array, receiver: RequestReceiver): { cancel(): void };
  /** `stop` resolves when every request that was on its way has arrived. */
  serve(
    address: string,
    receive: (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void,
  ): { stop(): Promise<void> };

  /** Publishes to every other instance. */
  publishToPeers(bytes: Uint8Array): void;
  subscribeToPeers(receive: (bytes: Uint8Array) => void): void;
}

export interface RequestReceiver {
  answer(bytes: Uint8Array): void;
  notServed(): void;
  /** The connection was lost; the request may or may not have arrived. */
  lost(): void;
}
