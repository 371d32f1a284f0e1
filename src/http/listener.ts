/**
 * Accepts connections: one port, and the uWebSockets apps behind it.
 *
 * An app with TLS is bound to its certificate. So with TLS the port belongs to an app that only accepts, and passes
 * each connection to the app of the latest certificate. A new certificate is a new app: listening never stops, and
 * connections of former apps continue.
 */
import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { AppError } from '../domain/errors.js';
import type { TlsFiles } from './certificate.js';
import { loadUWebSockets } from './uWebSockets.js';

/**
 * `LIBUS_LISTEN_EXCLUSIVE_PORT`. Without it two services could share a port, and each would get some of the requests.
 */
const EXCLUSIVE_PORT = 1;
const SHARED_PORT = 0;
/**
 * uWebSockets lets 512 connections wait at each listen socket; a client that finds the queue full retries after a
 * second. When 4,000 sockets reconnected 1,000 at a time, the slowest hundredth took 1.08 s with one queue and 0.12 to
 * 0.22 s with sixteen. Linux spreads connections over all of them, other systems do not.
 */
const QUEUES = process.platform === 'linux' ? 16 : 1;
/**
 * Apps with open connections. Sockets end with their token, so only certificates that change every few minutes make
 * this many; the oldest are then closed to free their memory.
 */
const MAX_APPS = 8;

/**
 * Functions that work but are missing from the published types: `listen` with host and options, and passing connections
 * on.
 */
interface UntypedApp {
  listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): unknown;
  getDescriptor(): unknown;
  addChildAppDescriptor(descriptor: unknown): unknown;
  removeChildAppDescriptor(descriptor: unknown): unknown;
}

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Whether other processes may listen on the same port. */
  readonly sharePort: boolean;
  /** Null for plain HTTP. */
  readonly tls: TlsFiles | null;
}

export class Listener {
  readonly #uWebSockets = loadUWebSockets();
  readonly #options: ListenerOptions;
  readonly #registrations: Array<(app: TemplatedApp) => void> = [];
  /** Apps that may have connections, the latest last. */
  #apps: TemplatedApp[] = [];
  #acceptor: TemplatedApp | null = null;
  /** All on the same port. */
  #queues: us_listen_socket[] = [];

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Adds routes to every current and later app; must be called before `listen`. */
  serve(register: (app: TemplatedApp) => void): void {
    this.#registrations.push(register);
  }

  get isListening(): boolean {
    return this.#queues.length > 0;
  }

  /** Returns the port it listens on. */
  listen(): number {
    const { tls } = this.#options;
    const app = this.#makeApp();
    this.#apps = [app];
    // Of the same kind as the apps that get its connections: uWebSockets allocates a connection by the kind of the
    // acceptor, and TLS would write past the end of a plain one.
    const acceptor = tls === null ? app : this.#secureApp(tls);
    if (acceptor !== app) untyped(acceptor).addChildAppDescriptor(untyped(app).getDescriptor());
    this.#acceptor = acceptor;
    return this.#openPort(acceptor);
  }

  /** New connections get the certificate that is now in the files. If it is invalid, nothing changes. */
  renewCertificate(): void {
    const current = this.#apps.at(-1);
    if (this.#acceptor === null || current === undefined || this.#options.tls === null) return;
    const next = this.#makeApp();
    untyped(this.#acceptor).removeChildAppDescriptor(untyped(current).getDescriptor());
    untyped(this.#acceptor).addChildAppDescriptor(untyped(next).getDescriptor());
    this.#apps.push(next);
    if (this.#apps.length > MAX_APPS) this.#apps.shift()?.close();
  }

  /** Publishes to every subscribed socket, with any certificate. */
  publish(topic: string, message: string | Uint8Array, isBinary: boolean, compress: boolean): void {
    for (const app of this.#apps) app.publish(topic, message, isBinary, compress);
  }

  /** Accepts no new connections; existing ones continue. */
  stopListening(): void {
    for (const queue of this.#queues) this.#uWebSockets.us_listen_socket_close(queue);
    this.#queues = [];
  }

  /** Closes every connection. */
  async close(): Promise<void> {
    this.stopListening();
    // Connections accepted in this turn of the event loop reach their app at the end of the turn.
    if (this.#options.tls !== null) await new Promise(setImmediate);
    for (const app of this.#apps) app.close();
  }

  #openPort(acceptor: TemplatedApp): number {
    const { host, port, sharePort } = this.#options;
    const isOurs = !sharePort || port === 0;
    const first = openQueue(acceptor, host, port, isOurs ? EXCLUSIVE_PORT : SHARED_PORT);
    const bound = this.#uWebSockets.us_socket_local_port(first);
    this.#queues = [first];
    if (QUEUES === 1) return bound;
    // It has proved that the port is free, but allows no other queue beside it. The shared queues also refuse a program
    // that wants the port exclusively, but not one of the same user that shares it.
    if (isOurs) this.stopListening();
    while (this.#queues.length < QUEUES) this.#queues.push(openQueue(acceptor, host, bound, SHARED_PORT));
    return bound;
  }

  #makeApp(): TemplatedApp {
    const app = this.#options.tls === null ? this.#uWebSockets.App() : this.#secureApp(this.#options.tls);
    for (const register of this.#registrations) register(app);
    return app;
  }

  #secureApp({ certFile, keyFile }: TlsFiles): TemplatedApp {
    try {
      return this.#uWebSockets.SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
    } catch (error) {
      // uWebSockets gives no reason, and `checkCertificate` found no fault.
      throw new AppError('unavailable', `TLS cannot start with ${certFile} and ${keyFile}`, { cause: error });
    }
  }
}

function openQueue(app: TemplatedApp, host: string, port: number, options: number): us_listen_socket {
  let opened: us_listen_socket | false = false;
  // The callback runs before this returns.
  untyped(app).listen(host, port, options, (socket) => {
    opened = socket;
  });
  if (!opened) throw new AppError('unavailable', `cannot listen on ${host}:${port}: is the port in use?`);
  return opened;
}

function untyped(app: TemplatedApp): UntypedApp {
  return app as unknown as UntypedApp;
}
