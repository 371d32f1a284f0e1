/** HTTP over one TCP connection, for bytes that no well-behaved client would send. */
import { TcpReader } from './tcpReader.js';

export interface RawResponse {
  readonly status: number;
  /** In the order received, names in lower case. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly body: Buffer;
}

export class RawConnection {
  readonly #reader: TcpReader;

  private constructor(reader: TcpReader) {
    this.#reader = reader;
  }

  static async open(url: string): Promise<RawConnection> {
    return new RawConnection(await TcpReader.connect(url));
  }

  /** Each call is sent as a separate TCP segment: it resolves when the system has taken the bytes. */
  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#reader.socket.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** The next response. With `head` it answers a HEAD request, and so has no body despite its headers. */
  async response(options: { head?: boolean } = {}): Promise<RawResponse> {
    const head = await this.#reader.takeUntil('\r\n\r\n', 'the head of a response');
    const [statusLine = '', ...lines] = head.toString('latin1').split('\r\n');
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
    while (!this.#reader.isEnded) await this.#reader.more();
    return this.#reader.received;
  }

  /** Ends the connection with a reset. */
  abort(): void {
    this.#reader.socket.resetAndDestroy();
  }

  close(): void {
    this.#reader.socket.destroy();
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
      const line = await this.#reader.takeUntil('\r\n', 'the size of a chunk');
      const size = Number.parseInt(line.toString('latin1'), 16);
      chunks.push(await this.#bytes(size));
      await this.#bytes(2);
      if (size === 0) return Buffer.concat(chunks);
    }
  }

  async #bytes(count: number): Promise<Buffer> {
    while (this.#reader.received.length < count) await this.#reader.moreFor(`${count} bytes of a body`);
    return this.#reader.take(count);
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
