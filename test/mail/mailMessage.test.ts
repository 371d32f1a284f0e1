import t, { type Test } from 'tap';
import type { MailContent } from '../../src/domain/ports/mail.js';
import { composeMail } from '../../src/mail/mailMessage.js';
import { Smtp } from '../../src/mail/smtp.js';
import { startMailServer } from '../support/mail/mailServer.js';
import { linkOf, type ReceivedMail } from '../support/mail/receivedMail.js';

const SENDER = { from: { name: 'Unsere Tafeln, GmbH', address: 'boards@example.org' }, publicUrl: 'https://boards.example.org:8443' };
const LINK = 'https://boards.example.org:8443/app/page#token=swp_secret.1.2';
const HEADERS = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'];

/** As it arrives at a mail program. */
async function send(t: Test, content: MailContent, to = 'ann@example.org'): Promise<ReceivedMail> {
  const server = await startMailServer(t);
  const smtp = new Smtp({ server: { host: '127.0.0.1', port: server.port, isSecure: false, login: null } });
  await smtp.send(composeMail({ to, content }, SENDER));
  const [mail] = server.mails;
  if (mail === undefined || server.mails.length > 1) throw new Error('not one mail');
  return mail;
}

t.test('MAIL23 every mail has a text and the same as HTML, and says that a program sent it', async (t) => {
  const contents: MailContent[] = [
    { kind: 'reset', username: 'ann', link: LINK },
    { kind: 'verification', username: 'ann', link: LINK },
    { kind: 'invitation', inviter: 'ann', board: 'Plans', link: LINK },
    { kind: 'invitation', inviter: 'ann', board: null, link: LINK },
    { kind: 'password', username: 'ann' },
  ];
  const ids = new Set<string>();
  for (const content of contents) {
    const mail = await send(t, content);
    t.strictSame([...mail.headers.keys()].sort(), HEADERS);
    t.equal(mail.headers.get('auto-submitted'), 'auto-generated');
    t.match(mail.headers.get('message-id'), /^<[0-9a-f-]{36}@boards\.example\.org>$/);
    t.match(mail.headers.get('from'), /^"Unsere Tafeln, GmbH" <boards@example\.org>$/);
    t.equal(mail.headers.get('to'), 'ann@example.org');
    ids.add(mail.headers.get('message-id') ?? '');
    t.match(mail.text, '“ann”');
    t.match(mail.text, SENDER.publicUrl);
    t.equal(mail.html.replace(/<[^>]+>/g, '').replace(/\n/g, ''), mail.text.replace(/\n/g, ''));
    if ('link' in content) t.equal(linkOf(mail, `${SENDER.publicUrl}/app/page`).url, LINK);
    else t.notMatch(mail.html, '<a');
  }
  t.equal(ids.size, contents.length);
});

t.test('MAIL23 names of users and boards can forge neither headers nor links nor HTML', async (t) => {
  const names = [
    'a\r\nBcc: victim@example.org\r\n\r\nbody',
    'https://evil.example/reset',
    'www.evil.example',
    'evil.example',
    'evil\u3002example',
    'https\uFF1A\uFF0F\uFF0Fevil\uFF0Eexample',
    'evil\u2024example',
    'mailto:victim@example.org',
    '<a href="https://evil.example">click</a>',
    '<script>alert(1)</script>&lt;',
    '” said nobody. Open “this',
    '\u202Eelpmaxe.live//:sptth',
    'x'.repeat(255),
    'Your account is locked. Call 555-0100 now to get it back, or it is deleted today.',
  ];
  for (const name of names) {
    for (const content of [
      { kind: 'invitation', inviter: name, board: name, link: LINK },
      { kind: 'reset', username: name, link: LINK },
    ] as const) {
      const mail = await send(t, content);
      t.strictSame([...mail.headers.keys()].sort(), HEADERS, JSON.stringify(name));
      t.strictSame(mail.to, ['ann@example.org']);
      t.equal(linkOf(mail, `${SENDER.publicUrl}/app/page`).url, LINK, 'one link, ours');
      const others = mail.text.replaceAll(LINK, '').replaceAll(SENDER.publicUrl, '');
      t.notMatch(others, /\w+:\/\/|\w\.\w|@|\p{Cc}(?<!\n)|\p{Cf}/u, 'nothing that a mail program makes a link of');
      t.notMatch(mail.html, /<(?!\/?p>|a href="https:\/\/boards\.example\.org:8443\/app\/page#|\/a>)/, 'no other element');
      for (const [, quoted = ''] of others.matchAll(/“([^”]*)”/g)) t.ok([...quoted].length <= 41, quoted);
      const quotes = content.kind === 'invitation' ? 2 : 1;
      t.equal(others.match(/[“”]/g)?.length, quotes * 2, 'a name cannot end its quotation');
    }
  }
});

t.test('MAIL23 an address is taken as one address', async (t) => {
  const mail = await send(t, { kind: 'password', username: 'ann' }, "o'brien+x@example.org");
  t.strictSame(mail.to, ["o'brien+x@example.org"]);
  t.equal(mail.headers.get('to'), "o'brien+x@example.org");
});
