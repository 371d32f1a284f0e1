/** A real mail server in the process of the test, which keeps what it receives. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Test } from 'tap';
import { readMail, type ReceivedMail } from './receivedMail.js';

export interface MailServer {
  readonly port: number;
  /** For `SMTP_URL`, without a login. */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Resolves with the mails so far when there are this many. */
  received(count: number): Promise<readonly ReceivedMail[]>;
  /** The only mail to the address, when it has come. */
  mailTo(address: string): Promise<ReceivedMail>;
  close(): Promise<void>;
}

/** `refuse` answers the content of a mail with an error, or null to take it. */
export interface MailServerOptions {
  readonly port?: number;
  readonly smtp?: SMTPServerOptions;
  readonly refuse?: (content: string) => Error | null;
}

/** An answer of the server with this status. */
export function smtpError(status: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode: status });
}

export async function startMailServer(t: Test, { port = 0, smtp = {}, refuse = () => null }: MailServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const waiting = new Set<() => void>();
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    // Otherwise it warns of its built-in certificate.
    logger: false,
    onData(stream, session, done) {
      const take = async (): Promise<void> => {
        const content = await readAll(stream);
        const refused = refuse(content);
        if (refused !== null) return done(refused);
        mails.push(readMail(content, session));
        done();
        for (const each of [...waiting]) each();
      };
      take().catch(done);
    },
    ...smtp,
  });
  // A client that hangs up is part of some tests.
  server.on('error', () => undefined);
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  const bound = (server.server.address() as AddressInfo).port;
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  t.teardown(close);
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return {
    port: bound,
    url: `smtp://127.0.0.1:${bound}`,
    mails,
    received: (count) => until(() => (mails.length >= count ? mails : undefined)),
    mailTo: (address) => until(() => mails.find(({ to }) => to.includes(address))),
    close,
  };
}

/** A server that accepts connections and never says anything. `connected`: the first one came. */
export async function startSilentServer(t: Test): Promise<{ port: number; url: string; connected: Promise<void> }> {
  let onConnected = (): void => undefined;
  const connected = new Promise<void>((resolve) => (onConnected = resolve));
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    t.teardown(() => socket.destroy());
    onConnected();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, url: `smtp://127.0.0.1:${port}`, connected };
}
