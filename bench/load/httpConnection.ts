/** One keep-alive connection, one request at a time; of the answer it reads only the status and the end. */
import { connect, type Socket } from 'node:net';

const HEAD_END = '\r\n\r\n';

interface Pending {
  readonly resolve: (status: number) => void;
  readonly reject: (error: Error) => void;
}

export class HttpConnection {
  readonly #socket: Socket;
  readonly #host: string;
  #pending: Pending | null = null;
  #head = '';
  #status = 0;
  /** Bytes of the body that are still to come; null while the head is being read. */
  #remaining: number | null = null;

  constructor(url: URL) {
    this.#host = url.host;
    this.#socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the connection closed before the answer')));
  }

  /** Servers close connections that were idle for long. */
  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readable;
  }

  /** Resolves with the status when the whole answer has arrived. */
  request(method: string, path: string, token: string, body: string | null): Promise<number> {
    const content = body === null ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
    this.#socket.write(`${method} ${path} HTTP/1.1\r\nHost: ${this.#host}\r\nAuthorization: Bearer ${token}\r\n${content}\r\n${body ?? ''}`);
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(chunk: Buffer): void {
    let bodyBytes = chunk.length;
    if (this.#remaining === null) {
      const before = this.#head.length;
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf(HEAD_END);
      if (end < 0) return;
      this.#status = Number(this.#head.slice(9, 12));
      this.#remaining = Number(/\r\ncontent-length: *(\d+)/i.exec(this.#head)?.[1] ?? 0);
      bodyBytes = chunk.length - (end + HEAD_END.length - before);
    }
    this.#remaining -= bodyBytes;
    if (this.#remaining > 0) return;
    const pending = this.#pending;
    this.#pending = null;
    this.#head = '';
    this.#remaining = null;
    pending?.resolve(this.#status);
  }

  #fail(error: Error): void {
    this.#pending?.reject(error);
    this.#pending = null;
  }
}
