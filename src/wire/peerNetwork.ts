/** What the instances of a service need of the network between them. Bytes in, bytes out: it knows no messages. */

export interface PeerNetwork {
  /** Whether anyone can be reached right now. */
  isConnected(): boolean;
  /** Called whenever the connection is there, at first and after it was gone. Messages may have been lost meanwhile. */
  onConnect(listener: () => void): void;

  /**
   * Sends a request to the one instance that serves the address. Answers come as often as it pleases, and never before
   * this returns; `nobody` is called instead when no instance serves it, and then nobody has seen the request.
   */
  request(address: string, bytes: Uint8Array, receiver: RequestReceiver): { cancel(): void };
  /** The stop resolves when nothing more can arrive: what was under way then has. */
  serve(
    address: string,
    receive: (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void,
  ): { stop(): Promise<void> };

  /** To every other instance. */
  publishToPeers(bytes: Uint8Array): void;
  subscribeToPeers(receive: (bytes: Uint8Array) => void): void;
}

export interface RequestReceiver {
  answer(bytes: Uint8Array): void;
  nobody(): void;
  /** The connection went: whether the request arrived, nobody can tell. */
  lost(): void;
}
