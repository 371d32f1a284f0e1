/** HTTP over one TCP connection, for bytes that no well-behaved client would send. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RawResponse {
  readonly status: number;
  /** In the order received, names in lower case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: Buffer;
}

export class RawConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  /** Wakes a waiting reader. */
  #wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    // A reset is one more way for the server to end the connection; `closed` and `response` report both.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port), noDelay: true });
    const connection = new RawConnection(socket);
    await once(socket, 'connect');
    return connection;
  }

  /** Each call is sent as a separate TCP segment: it resolves when the system has taken the bytes. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** The next response. With `head` it answers a HEAD request, and so has no body despite its headers. */
  async response(options: { head?: boolean } = {}): Promise<RawResponse> {
    const headEnd = await this.#position('\r\n\r\n');
    const [statusLine = '', ...lines] = this.#take(headEnd).toString('latin1').split('\r\n');
    this.#take(4);
    const headers = lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    });
    const status = Number(statusLine.split(' ')[1]);
    const body = options.head || status === 204 || status === 304 ? Buffer.alloc(0) : await this.#body(headers);
    return { status, headers, body };
  }

  /** Resolves when the server has ended the connection, with the unread bytes. */
  async closed(): Promise<Buffer> {
    while (!this.#ended) await this.#more();
    return this.#received;
  }

  /** Ends the connection with a reset. */
  abort(): void {
    this.#socket.resetAndDestroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  async #body(headers: RawResponse['headers']): Promise<Buffer> {
    const value = (name: string): string | undefined => headers.find(([each]) => each === name)?.[1];
    if (value('transfer-encoding') === 'chunked') return this.#chunks();
    const length = value('content-length');
    return length === undefined ? this.closed() : this.#bytes(Number(length));
  }

  async #chunks(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const size = Number.parseInt(this.#take(await this.#position('\r\n')).toString('latin1'), 16);
      this.#take(2);
      chunks.push(await this.#bytes(size));
      await this.#bytes(2);
      if (size === 0) return Buffer.concat(chunks);
    }
  }

  async #bytes(count: number): Promise<Buffer> {
    while (this.#received.length < count) await this.#moreOrFail(`${count} bytes of a body`);
    return this.#take(count);
  }

  async #position(text: string): Promise<number> {
    for (;;) {
      const position = this.#received.indexOf(text);
      if (position >= 0) return position;
      await this.#moreOrFail('the head of a response');
    }
  }

  #take(count: number): Buffer {
    const taken = this.#received.subarray(0, count);
    this.#received = this.#received.subarray(count);
    return taken;
  }

  async #moreOrFail(wanted: string): Promise<void> {
    if (this.#ended) throw new Error(`the connection ended before ${wanted}; received: ${this.#received.toString()}`);
    await this.#more();
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Sends the parts one segment at a time on a new connection and reads one response. */
export async function sendRaw(url: string, ...parts: ReadonlyArray<string | Uint8Array>): Promise<RawResponse> {
  const connection = await RawConnection.open(url);
  try {
    for (const part of parts) await connection.send(part);
    return await connection.response();
  } finally {
    connection.close();
  }
}
