/** A network between instances in which the test decides what arrives, when, and what is lost. */
import type { PeerNetwork, RequestReceiver } from '../../../src/wire/peerNetwork.js';

type Serve = (bytes: Uint8Array, answer: (bytes: Uint8Array) => void) => void;

export interface SentRequest {
  readonly address: string;
  readonly bytes: Uint8Array;
  readonly receiver: RequestReceiver;
  isCancelled: boolean;
}

export class FakeNetwork implements PeerNetwork {
  connected = true;
  /** Everything that was sent, in order. The test delivers it, unless `delivers` is set. */
  readonly sent: SentRequest[] = [];
  delivers = true;
  readonly #services = new Map<string, Serve>();

  isConnected(): boolean {
    return this.connected;
  }

  onConnect(): void {}

  request(address: string, bytes: Uint8Array, receiver: RequestReceiver): { cancel(): void } {
    const request: SentRequest = { address, bytes, receiver, isCancelled: false };
    this.sent.push(request);
    if (this.delivers) setImmediate(() => this.deliver(request));
    return { cancel: () => void (request.isCancelled = true) };
  }

  /** Delivers to the current server of the address. */
  deliver({ address, bytes, receiver }: SentRequest): void {
    const serve = this.#services.get(address);
    if (serve === undefined) receiver.notServed();
    else serve(bytes, (answer) => receiver.answer(answer));
  }

  serve(address: string, receive: Serve): { stop(): Promise<void> } {
    this.#services.set(address, receive);
    return { stop: async () => void this.#services.delete(address) };
  }

  publishToPeers(): void {}

  subscribeToPeers(): void {}
}
