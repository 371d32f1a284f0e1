/** A network between instances in which the test decides what arrives, when, and what is lost. */
import type { PeerNetwork, RequestReceiver, Serving } from '../../../src/wire/peerNetwork.js';

type Serve = (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void;

/** The id of the only instance that serves. */
export const OWNER = 'owner';

export interface SentRequest {
  readonly instance: string;
  readonly bytes: Uint8Array;
  readonly receiver: RequestReceiver;
  isCancelled: boolean;
}

export class FakeNetwork implements PeerNetwork {
  connected = true;
  /** Everything that was sent, in order. The test delivers it, unless `delivers` is set. */
  readonly sent: SentRequest[] = [];
  delivers = true;
  /** Answers are on their way, and do not arrive. */
  losesAnswers = false;
  readonly #connectListeners: Array<() => void> = [];
  #serve: Serve | null = null;

  isConnected(): boolean {
    return this.connected;
  }

  onConnect(listener: () => void): void {
    this.#connectListeners.push(listener);
  }

  /** The connection is lost, with every answer that is on its way, and is back. */
  reconnect(): void {
    for (const { receiver, isCancelled } of [...this.sent]) if (!isCancelled) receiver.lost();
    for (const listener of this.#connectListeners) listener();
  }

  request(instance: string, bytes: Uint8Array, receiver: RequestReceiver): { cancel(): void } {
    const request: SentRequest = { instance, bytes, receiver, isCancelled: false };
    this.sent.push(request);
    if (this.delivers) setImmediate(() => this.deliver(request));
    return { cancel: () => void (request.isCancelled = true) };
  }

  /** Delivers to the instance, if it serves. */
  deliver({ instance, bytes, receiver }: SentRequest): void {
    if (instance !== OWNER || this.#serve === null) receiver.notServed();
    else this.#serve(bytes, (answer) => this.losesAnswers || receiver.answer(answer));
  }

  serve(receive: Serve): Serving {
    this.#serve = receive;
    return {
      stop: async () => {
        this.#serve = null;
      },
    };
  }

  publishToPeers(): void {}

  subscribeToPeers(): void {}
}
