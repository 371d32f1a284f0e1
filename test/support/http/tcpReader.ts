/** A TCP connection whose bytes are kept until they are taken. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export class TcpReader {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #isEnded = false;
  /** Wakes a waiting reader. */
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    // A reset is one more way for the server to end the connection; `isEnded` reports both.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#isEnded = true;
      this.#wake();
    });
  }

  static async connect(url: string): Promise<TcpReader> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), noDelay: true });
    const reader = new TcpReader(socket);
    await once(socket, 'connect');
    return reader;
  }

  /** What was not taken yet. */
  get received(): Buffer {
    return this.#received;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  take(count: number): Buffer {
    const taken = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return taken;
  }

  /** The bytes before the text, which is taken too. */
  async takeUntil(text: string, wanted: string): Promise<Buffer> {
    for (;;) {
      const position = this.#received.indexOf(text);
      if (position >= 0) return this.take(position + text.length).subarray(0, position);
      await this.moreFor(wanted);
    }
  }

  /** Fails when the connection has ended. */
  async moreFor(wanted: string): Promise<void> {
    if (this.#isEnded) throw new Error(`the connection ended before ${wanted}; received: ${this.#received.toString()}`);
    await this.more();
  }

  /** Resolves when more has arrived, or the connection ends. */
  more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
