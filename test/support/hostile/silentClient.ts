/** A client that sends requests and does not read the answers until the test says so. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The number of connection attempts and the time between them. */
const PROBES = 10;
const PROBE_MS = 20;
/** Bytes that have arrived are read at once. */
const RECEIVED_MS = 300;

export class SilentClient {
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    // A reset is one of the ways in which the service ends the connection.
    socket.on('error', () => undefined);
    socket.on('close', () => (this.#isClosed = true));
  }

  static async open(url: string): Promise<SilentClient> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const client = new SilentClient(socket);
    await once(socket, 'connect');
    // Paused before the first read: only the kernel's own buffer takes bytes.
    socket.pause();
    return client;
  }

  static openAll(url: string, count: number): Promise<SilentClient[]> {
    return Promise.all(Array.from({ length: count }, () => SilentClient.open(url)));
  }

  /** Whether the service has ended the connection. A client that does not read detects that only by writing. */
  async isCutOff(): Promise<boolean> {
    for (let tries = 0; tries < PROBES; tries += 1) {
      if (!(await this.send('\r\n'))) return true;
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
    return this.#isClosed;
  }

  /** Resolves when the system has taken the bytes; false if the connection had ended. */
  send(bytes: string | Uint8Array): Promise<boolean> {
    return new Promise((resolve) => this.#socket.write(bytes, (error) => resolve(!error)));
  }

  /** Whether a part of an answer has arrived. Reads it, and then stops reading again. */
  hasReceived(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), RECEIVED_MS);
      this.#socket.once('data', (chunk: Buffer) => {
        this.#received.push(chunk);
        clearTimeout(timer);
        resolve(true);
      });
      this.#socket.resume();
    }).then((received) => {
      this.#socket.pause();
      return received as boolean;
    });
  }

  /** Reads until the connection ends or this many bytes of the body have arrived; returns the body so far. */
  async read(bodyBytes: number): Promise<Buffer> {
    let bytes = 0;
    let headBytes = -1;
    this.#socket.on('data', (chunk: Buffer) => {
      this.#received.push(chunk);
      bytes += chunk.length;
      if (headBytes < 0) headBytes = Buffer.concat(this.#received).indexOf('\r\n\r\n') + 4;
      if (headBytes >= 4 && bytes >= headBytes + bodyBytes) this.#socket.emit('enough');
    });
    if (!this.#isClosed) {
      const [enough, closed] = [once(this.#socket, 'enough'), once(this.#socket, 'close')];
      this.#socket.resume();
      await Promise.race([enough, closed]);
    }
    return Buffer.concat(this.#received).subarray(Math.max(headBytes, 0));
  }

  close(): void {
    this.#socket.destroy();
  }
}
