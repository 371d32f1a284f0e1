import t, { type Test } from 'tap';
import type { MailContent } from '../../src/domain/ports/mail.js';
import { composeMail } from '../../src/mail/mailMessage.js';
import { Smtp } from '../../src/mail/smtp.js';
import { startMailServer } from '../support/mail/mailServer.js';
import { IdSource } from '../../src/domain/ids.js';
import type { Notification } from '../../src/domain/account/notification.js';
import { linkOf, type ReceivedMail } from '../support/mail/receivedMail.js';

const SENDER = { from: { name: 'Unsere Tafeln, GmbH', address: 'boards@example.org' }, publicUrl: 'https://boards.example.org:8443' };
const LINK = 'https://boards.example.org:8443/app/page#token=swp_secret.1.2';
const HEADERS = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'];

/** As it arrives at a mail program. */
async function send(t: Test, content: MailContent, to = 'ann@example.org', language: string | null = null): Promise<ReceivedMail> {
  const server = await startMailServer(t);
  const smtp = new Smtp({ server: { host: '127.0.0.1', port: server.port, isSecure: false, login: null } });
  await smtp.send(composeMail({ to, language, content }, SENDER));
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
  for (const name of [...names, '“ sagte niemand. Öffnen Sie „dies']) {
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

const ids = new IdSource();
const bob = { id: ids.fresh(), email: 'bob@example.org', username: 'bob', firstname: null, lastname: null };
const [board, card] = [ids.fresh(), ids.fresh()];
const notice = (fields: Partial<Notification>): Notification => ({
  id: ids.fresh(),
  kind: 'assigned',
  created_at: '2030-01-01T10:00:00.000Z',
  read_at: null,
  board_id: board,
  card_id: card,
  comment_id: null,
  user: { ...bob, is_active: true, is_verified: true, is_superuser: false },
  title: 'Call Ann',
  due_at: null,
  is_late: false,
  ...fields,
});
const UNSUBSCRIBE = 'https://boards.example.org:8443/unsubscribe?token=swu_x';

t.test('MAIL41 a mail has a sentence and a link for each notice, and leads out of them by one click', async (t) => {
  const nobody = { user: null } as const;
  const said: ReadonlyArray<readonly [Partial<Notification>, string]> = [
    [{}, '“bob” assigned you to “Call Ann”.'],
    [nobody, 'You were assigned to “Call Ann”.'],
    [{ kind: 'mentioned' }, '“bob” mentioned you in a comment on “Call Ann”.'],
    [{ kind: 'mentioned', ...nobody }, 'You were mentioned in a comment on “Call Ann”.'],
    [{ kind: 'commented' }, '“bob” commented on “Call Ann”.'],
    [{ kind: 'commented', ...nobody }, 'There is a new comment on “Call Ann”.'],
    [{ kind: 'moved' }, '“bob” moved “Call Ann”.'],
    [{ kind: 'moved', ...nobody }, '“Call Ann” was moved.'],
    [{ kind: 'due', ...nobody }, '“Call Ann” is due.'],
    [{ kind: 'due', ...nobody, due_at: '2030-01-02' }, '“Call Ann” is due: 2 January 2030.'],
    [{ kind: 'due', ...nobody, due_at: '2030-01-02T10:00:00.000Z' }, '“Call Ann” is due: 2 January 2030 at 11:00 (Europe/Vienna).'],
    [{ kind: 'invited', card_id: null, title: 'Free words' }, 'You are a member of another board now.'],
  ];
  const notices = said.map(([fields]) => notice(fields));
  const mail = await send(t, { kind: 'notices', username: 'ann', time_zone: 'Europe/Vienna', notices, link: UNSUBSCRIBE });
  for (const [, sentence] of said) t.ok(mail.text.includes(`${sentence}\n`), sentence);
  t.notMatch(mail.text, 'Free words', 'who was put on a board has chosen to read nobody');
  t.equal(mail.text.split(`${SENDER.publicUrl}/app/boards/${board}/cards/${card}\n`).length, said.length);
  t.ok(mail.text.includes(`${SENDER.publicUrl}/app/boards/${board}\n`));
  t.ok(mail.text.endsWith(`${UNSUBSCRIBE}\n`));
  t.strictSame([...mail.headers.keys()].sort(), [...HEADERS, 'list-unsubscribe', 'list-unsubscribe-post'].sort());
  t.equal(mail.headers.get('list-unsubscribe'), `<${UNSUBSCRIBE}>`);
  t.equal(mail.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
});

t.test('MAIL23 a mail is in the language of its reader, with dates as they are written there', async (t) => {
  const due = notice({ kind: 'due', user: null, due_at: '2030-01-02T22:30:00.000Z' });
  const content = (notices: readonly Notification[]): MailContent => {
    return { kind: 'notices', username: 'ann', time_zone: 'Europe/Vienna', notices, link: UNSUBSCRIBE };
  };
  const german = await send(t, content([notice({}), due]), undefined, 'de-AT');
  t.equal(german.headers.get('subject'), 'Mitteilungen Ihrer Boards');
  for (const said of [
    'Hallo „ann“,',
    'es gibt 2 Mitteilungen für Sie:',
    '„bob“ hat Ihnen „Call Ann“ zugewiesen.',
    '„Call Ann“ ist fällig: 2. Jänner 2030 um 23:30 (Europe/Vienna).',
  ]) {
    t.ok(german.text.includes(`${said}\n`), said);
  }
  t.notMatch(german.text, /notice|Hello|With|“ann”/);
  t.equal(german.html.replace(/<[^>]+>/g, '').replace(/\n/g, ''), german.text.replace(/\n/g, ''));
  t.match((await send(t, content([due]), undefined, 'de')).text, 'es gibt eine Mitteilung für Sie:');
  const months: ReadonlyArray<readonly [string | null, RegExp]> = [
    [null, /there is one notice for you:[^]* is due: 2 January 2030 at 23:30/],
    ['en', / is due: 2 January 2030 at 23:30/],
    ['en-US', / is due: January 2, 2030 at 11:30/],
    ['fr-FR', / is due: 2 January 2030 at 23:30/],
  ];
  for (const [language, text] of months) t.match((await send(t, content([due]), undefined, language)).text, text, String(language));
});

t.test('MAIL23 titles and names in notices can forge neither links nor HTML', async (t) => {
  const title = 'Pay at https://evil.example/<b>now</b>\r\nBcc: x@evil.example ' + 'x'.repeat(100);
  const mail = await send(t, { kind: 'notices', username: 'ann', time_zone: null, notices: [notice({ title })], link: UNSUBSCRIBE });
  t.notMatch(mail.source, /evil\.example|<b>|^bcc:/im);
  t.match(mail.text, '…”.');
});

t.test('MAIL23 a name cannot end its quotation in German either', async (t) => {
  const content = { kind: 'invitation', inviter: '“ sagte niemand. Öffnen Sie „dies', board: '„a“ “b”', link: LINK } as const;
  const { text } = await send(t, content, undefined, 'de');
  t.equal(text.match(/[„“”]/g)?.length, 4, text);
});

t.test('MAIL23 an address is taken as one address', async (t) => {
  const mail = await send(t, { kind: 'password', username: 'ann' }, "o'brien+x@example.org");
  t.strictSame(mail.to, ["o'brien+x@example.org"]);
  t.equal(mail.headers.get('to'), "o'brien+x@example.org");
});
