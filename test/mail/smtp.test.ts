import { readFile } from 'node:fs/promises';
import t, { type Test } from 'tap';
import { Deferred } from '../../src/flow/deferred.js';
import { composeMail, type MailMessage } from '../../src/mail/mailMessage.js';
import { Smtp } from '../../src/mail/smtp.js';
import type { SmtpServer } from '../../src/settings/settingFormats.js';
import { findOpenssl, makeCertificate } from '../support/http/certificates.js';
import { smtpError, startMailServer, startSilentServer, type MailServer } from '../support/mail/mailServer.js';
import { rejectionOf } from '../support/rejection.js';
import { skipWithout } from '../support/service/programs.js';

const SENDER = { from: { name: 'Boards', address: 'boards@example.org' }, publicUrl: 'https://boards.example.org' };
const LOGIN = { user: 'boards', password: 'p4ssw0rd of the boards' };

const message = (to = 'ann@example.org'): MailMessage => composeMail({ to, language: null, content: { kind: 'password', username: 'ann' } }, SENDER);
const at = (port: number, more: Partial<SmtpServer> = {}): SmtpServer => ({ host: '127.0.0.1', port, isSecure: false, login: null, ...more });

const openssl = await findOpenssl();
const skip = skipWithout(openssl);

/** A server that demands a login, with a certificate. */
async function startGuarded(t: Test, smtp: object = {}): Promise<{ server: MailServer; ca: string; tries: string[] }> {
  if ('missing' in openssl) throw new Error(openssl.missing);
  const { keyFile, pem } = await makeCertificate(openssl.path, t.testdir(), 'mail');
  const tries: string[] = [];
  const server = await startMailServer(t, {
    smtp: {
      cert: pem,
      key: await readFile(keyFile, 'utf8'),
      authOptional: false,
      onAuth({ username = '', password = '' }, _session, done) {
        tries.push(`${username} ${password}`);
        if (username === LOGIN.user && password === LOGIN.password) done(null, { user: username });
        else done(smtpError(535, `wrong password ${password}`));
      },
      ...smtp,
    },
  });
  return { server, ca: pem, tries };
}

t.test('MAIL20 a server without a login gets the mail, encrypted if it offers that', async (t) => {
  for (const wasEncrypted of [true, false]) {
    const server = await startMailServer(t, { smtp: { disabledCommands: wasEncrypted ? [] : ['STARTTLS'] } });
    await new Smtp({ server: at(server.port) }).send(message());
    t.match(server.mails, [{ from: 'boards@example.org', to: ['ann@example.org'], wasEncrypted }]);
  }
});

t.test('MAIL20 STARTTLS and a login', { skip }, async (t) => {
  const { server, ca, tries } = await startGuarded(t);
  await new Smtp({ server: at(server.port, { login: LOGIN }), ca }).send(message());
  t.match(server.mails, [{ wasEncrypted: true, user: 'boards' }]);
  const wrong = await rejectionOf(new Smtp({ server: at(server.port, { login: { ...LOGIN, password: 'x' } }), ca }).send(message()));
  t.match(wrong, { code: 'EAUTH', responseCode: 535 });
  t.strictSame(tries, [`boards ${LOGIN.password}`, 'boards x']);
});

t.test('MAIL20 TLS from the start', { skip }, async (t) => {
  const { server, ca } = await startGuarded(t, { secure: true });
  await new Smtp({ server: at(server.port, { isSecure: true, login: LOGIN }), ca }).send(message());
  t.match(server.mails, [{ wasEncrypted: true, user: 'boards' }]);
  t.match(
    await rejectionOf(new Smtp({ server: at(server.port, { isSecure: true }) }).send(message())),
    { message: /certificate/ },
    'an unknown one is refused',
  );
});

t.test(
  'MAIL20 the password of the mail server is never sent without encryption, nor to a server with an unknown certificate',
  { skip },
  async (t) => {
    const plain = await startGuarded(t, { disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    t.match(await rejectionOf(new Smtp({ server: at(plain.server.port, { login: LOGIN }), ca: plain.ca }).send(message())), { code: 'ETLS' });
    const stranger = await startGuarded(t);
    t.match(await rejectionOf(new Smtp({ server: at(stranger.server.port, { login: LOGIN }) }).send(message())), { message: /certificate/ });
    t.strictSame([plain.tries, stranger.tries], [[], []]);
  },
);

t.test('MAIL16 a server that is silent, or goes away in the middle, is given up', async (t) => {
  const silent = await startSilentServer(t);
  const impatient = new Smtp({ server: at(silent.port), connectMs: 50, silenceMs: 50 });
  t.type(await rejectionOf(impatient.send(message())), Error);
  const stuck = await startMailServer(t, { smtp: { onRcptTo: () => undefined } });
  t.match(await rejectionOf(new Smtp({ server: at(stuck.port), silenceMs: 50 }).send(message())), { code: 'ETIMEDOUT' });
  for (const when of ['at once', 'connected']) {
    const quiet = await startSilentServer(t);
    const patient = new Smtp({ server: at(quiet.port) });
    const sending = rejectionOf(patient.send(message()));
    if (when === 'connected') await quiet.connected;
    patient.hangUp();
    t.match(await sending, { message: /closed/ }, `hanging up ends it, ${when}`);
  }
  const reached = new Deferred<void>();
  const slow = await startMailServer(t, { smtp: { onRcptTo: () => reached.resolve() } });
  const encrypted = new Smtp({ server: at(slow.port) });
  const begun = rejectionOf(encrypted.send(message()));
  await reached.promise;
  encrypted.hangUp();
  t.match(await begun, { message: /closed/ }, 'also after STARTTLS');
  const away = await startMailServer(t);
  await away.close();
  t.match(await rejectionOf(new Smtp({ server: at(away.port) }).send(message())), { code: 'ECONNREFUSED' });
});

t.test('MAIL16 a refused address or content is an error with its status', async (t) => {
  const refusing = await startMailServer(t, { smtp: { onRcptTo: (_address, _session, done) => done(smtpError(550, 'no such user')) } });
  t.match(await rejectionOf(new Smtp({ server: at(refusing.port) }).send(message())), { code: 'EENVELOPE', responseCode: 550 });
  const busy = await startMailServer(t, { refuse: () => smtpError(451, 'later') });
  t.match(await rejectionOf(new Smtp({ server: at(busy.port) }).send(message())), { code: 'EMESSAGE', responseCode: 451 });
});
