import t from 'tap';
import { smtpError, startMailServer } from '../support/mail/mailServer.js';
import { run, workplace } from '../support/service/commandLine.js';

const PUBLIC_URL = 'https://boards.example.org';

t.test('MAIL9 `mail test` sends a mail through the settings, and says what the mail server answered', async (t) => {
  const { folder } = workplace(t);
  const server = await startMailServer(t, { refuse: (content) => (/To: full@/.test(content) ? smtpError(552, 'the mailbox is full') : null) });
  const settings = { SMTP_URL: server.url, PUBLIC_URL };
  t.match(await run(folder, ['mail', 'test', 'ann@example.org'], { settings }), {
    code: 0,
    stderr: '',
    stdout: new RegExp(`^The mail server 127.0.0.1:${server.port} has taken a mail from switchboard@boards.example.org to ann@example.org`),
  });
  t.match((await server.mailTo('ann@example.org')).headers.get('subject'), 'Test of the mail server');
  t.match(await run(folder, ['mail', 'test', 'full@example.org'], { settings }), {
    code: 1,
    stdout: '',
    stderr: /did not take the mail: .*552 the mailbox is full/,
  });
  await server.close();
  t.match(await run(folder, ['mail', 'test', 'ann@example.org'], { settings }), {
    code: 1,
    stdout: '',
    stderr: /did not take the mail: .*ECONNREFUSED/,
  });
  t.match(await run(folder, ['mail', 'test', 'ann@example.org']), { code: 78, stdout: '', stderr: /SMTP_URL is not set.*smtp:\/\/user:password@/ });
});
