/**
 * Where connections come in: one port, and the uWebSockets apps that speak on them.
 *
 * An app with TLS is bound to the certificate that it was made with. So with TLS the port belongs to an app that only
 * accepts, and hands each connection to the app of the latest certificate. A new certificate is a new app: nothing
 * stops listening, and the connections of the former apps go on as they are.
 */
import {
  App,
  SSLApp,
  us_listen_socket_close,
  us_socket_local_port,
  type TemplatedApp,
  type us_listen_socket,
} from 'uWebSockets.js';
import { AppError } from '../domain/errors.js';
import type { TlsFiles } from './certificate.js';

/** `LIBUS_LISTEN_EXCLUSIVE_PORT`. Without it two services could share a port and each get some of the requests. */
const EXCLUSIVE_PORT = 1;
const SHARED_PORT = 0;
/**
 * At each of them uWebSockets lets 512 connections wait to be accepted; whoever finds the queue full tries again after
 * a second. When 4,000 sockets came back 1,000 at a time, the slowest hundredth took 1.08 s through one queue and 0.12
 * to 0.22 s through sixteen. Linux spreads connections over all of them, other systems do not.
 */
const QUEUES = process.platform === 'linux' ? 16 : 1;
/**
 * How many certificates ago a connection may have begun. Sockets end with their token, so only certificates that change
 * every few minutes make this many apps with connections; the oldest are then closed to free their memory.
 */
const MAX_APPS = 8;

/** What works but is missing from the published types: the form with a host and options, handing connections on. */
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
  readonly #options: ListenerOptions;
  readonly #registrations: Array<(app: TemplatedApp) => void> = [];
  /** Those that may have connections, the latest last. */
  #apps: TemplatedApp[] = [];
  #acceptor: TemplatedApp | null = null;
  /** All on the same port. */
  #queues: us_listen_socket[] = [];

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Adds routes to every app there will be; call it before `listen`. */
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
    // Of the same kind as those that it hands connections to, though it speaks with none: uWebSockets makes room for a
    // connection by the kind of the acceptor, and TLS writes past the end of what plain HTTP needs.
    const acceptor = tls === null ? app : secureApp(tls);
    if (acceptor !== app) untyped(acceptor).addChildAppDescriptor(untyped(app).getDescriptor());
    this.#acceptor = acceptor;
    return this.#openPort(acceptor);
  }

  /** New connections get the certificate that the files hold now. When it is no good, everything stays as it is. */
  renewCertificate(): void {
    const current = this.#apps.at(-1);
    if (this.#acceptor === null || current === undefined || this.#options.tls === null) return;
    const next = this.#makeApp();
    untyped(this.#acceptor).removeChildAppDescriptor(untyped(current).getDescriptor());
    untyped(this.#acceptor).addChildAppDescriptor(untyped(next).getDescriptor());
    this.#apps.push(next);
    if (this.#apps.length > MAX_APPS) this.#apps.shift()?.close();
  }

  /** To every socket that subscribed to the topic, whichever certificate it began with. */
  publish(topic: string, message: string, isBinary: boolean, compress: boolean): void {
    for (const app of this.#apps) app.publish(topic, message, isBinary, compress);
  }

  /** No new connections; those that there are go on. */
  stopListening(): void {
    for (const queue of this.#queues) us_listen_socket_close(queue);
    this.#queues = [];
  }

  /** Cuts every connection. */
  async close(): Promise<void> {
    this.stopListening();
    // What the acceptor took in this turn of the event loop reaches its app only at the end of the turn.
    if (this.#options.tls !== null) await new Promise(setImmediate);
    for (const app of this.#apps) app.close();
  }

  #openPort(acceptor: TemplatedApp): number {
    const { host, port, sharePort } = this.#options;
    const isOurs = !sharePort || port === 0;
    const first = openQueue(acceptor, host, port, isOurs ? EXCLUSIVE_PORT : SHARED_PORT);
    const bound = us_socket_local_port(first);
    this.#queues = [first];
    if (QUEUES === 1) return bound;
    // It has shown that the port is free, and would let no other queue beside it. Whoever wants the port for themselves
    // is refused by the shared ones too; a program of the same user that asks to share it is not.
    if (isOurs) this.stopListening();
    while (this.#queues.length < QUEUES) this.#queues.push(openQueue(acceptor, host, bound, SHARED_PORT));
    return bound;
  }

  #makeApp(): TemplatedApp {
    const app = this.#options.tls === null ? App() : secureApp(this.#options.tls);
    for (const register of this.#registrations) register(app);
    return app;
  }
}

function openQueue(app: TemplatedApp, host: string, port: number, options: number): us_listen_socket {
  let opened: us_listen_socket | false = false;
  // It calls back before it returns.
  untyped(app).listen(host, port, options, (socket) => {
    opened = socket;
  });
  if (!opened) throw new AppError('unavailable', `cannot listen on ${host}:${port}: is the port in use?`);
  return opened;
}

function secureApp({ certFile, keyFile }: TlsFiles): TemplatedApp {
  try {
    return SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
  } catch (error) {
    // uWebSockets does not say why; `checkCertificate` has found no fault that it knows.
    throw new AppError('unavailable', `TLS cannot start with ${certFile} and ${keyFile}`, { cause: error });
  }
}

function untyped(app: TemplatedApp): UntypedApp {
  return app as unknown as UntypedApp;
}
