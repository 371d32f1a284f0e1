/** The connection to the mail server. The only module that loads the mail library. */
import { connect, type Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import type { SmtpServer } from '../settings/settingFormats.js';
import type { MailMessage } from './mailMessage.js';

export interface SmtpOptions {
  readonly server: SmtpServer;
  /** Trusted certificates in addition to the system's, for tests. */
  readonly ca?: string;
  readonly connectMs?: number;
  readonly silenceMs?: number;
}

const CONNECT_MS = 10_000;
/** Servers check a message before they accept it. */
const SILENCE_MS = 30_000;

export class Smtp {
  readonly #options: SmtpOptions;
  readonly #transport;
  /** Ours, so that they can be closed: the library waits for a silent server until its own time-out. */
  readonly #sockets = new Set<Socket>();
  #isClosed = false;

  constructor(options: SmtpOptions) {
    this.#options = options;
    const { server, ca } = options;
    const { host, port, isSecure, login } = server;
    const connectMs = options.connectMs ?? CONNECT_MS;
    const needsTls = login !== null;
    this.#transport = createTransport({
      host,
      port,
      secure: isSecure,
      // A password is never sent in plain text. Without one, TLS is used where the server offers it. Its certificate is
      // then not checked: an attacker who could forge it could as well remove the offer.
      requireTLS: !isSecure && needsTls,
      tls: { rejectUnauthorized: isSecure || needsTls, ...(ca === undefined ? {} : { ca }) },
      ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
      connectionTimeout: connectMs,
      greetingTimeout: connectMs,
      socketTimeout: options.silenceMs ?? SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      getSocket: (_options, opened) => this.#connect(opened),
    });
  }

  /** Rejects if the server did not accept the message. */
  async send(message: MailMessage): Promise<void> {
    const { from, to, ...content } = message;
    await this.#transport.sendMail({
      ...content,
      from,
      to: { name: '', address: to },
      // No other address gets it, whatever the headers say.
      envelope: { from: from.address, to: [to] },
      textEncoding: 'quoted-printable',
    });
  }

  /** Ends all connections at once, for good. */
  hangUp(): void {
    this.#isClosed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(opened: (error: Error | null, socket?: { connection: Socket }) => void): void {
    if (this.#isClosed) return opened(new Error('the connection was closed'));
    const { host, port } = this.#options.server;
    const socket = connect({ host, port });
    this.#sockets.add(socket);
    const timeOut = setTimeout(() => socket.destroy(new Error('the connection took too long')), this.#options.connectMs ?? CONNECT_MS);
    let failure = new Error('the connection was closed');
    const onClose = (): void => opened(failure);
    // Stays: the library stops listening when it is done, and an error without a listener ends the process.
    socket.on('error', (error) => (failure = error));
    socket.once('close', onClose);
    socket.once('close', () => {
      clearTimeout(timeOut);
      this.#sockets.delete(socket);
    });
    socket.once('connect', () => {
      clearTimeout(timeOut);
      socket.off('close', onClose);
      opened(null, { connection: socket });
    });
  }
}
