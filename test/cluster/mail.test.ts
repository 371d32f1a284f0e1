/** Links of mails on several instances. */
import t from 'tap';
import { first, TestCluster } from '../support/cluster/cluster.js';
import { findNatsServer } from '../support/cluster/natsServer.js';
import { logInPair, statusOf } from '../support/http/sessions.js';
import { newUser } from '../support/http/users.js';
import { startMailServer } from '../support/mail/mailServer.js';
import { linkOf, type ReceivedMail } from '../support/mail/receivedMail.js';
import { skipWithout } from '../support/service/programs.js';
import { skipFile } from '../support/runner/skippedFile.js';

const skip = skipWithout(await findNatsServer());
if (skip !== false) skipFile('MAIL28', skip);

const PUBLIC_URL = 'https://boards.example.org';

t.test('MAIL3 the instance that is asked sends the mail, and of resets at several instances one wins', async (t) => {
  const server = await startMailServer(t);
  const cluster = await TestCluster.start(t, 2, { SMTP_URL: server.url, PUBLIC_URL });
  const [a, b] = [first(cluster.instances), first(cluster.instances.slice(1))];
  const find = async (email: string, page: string): Promise<ReceivedMail> => {
    for (let count = 1; ; count += 1) {
      const found = (await server.received(count)).find(({ to, text }) => to.includes(email) && text.includes(page));
      if (found !== undefined) return found;
    }
  };
  for (const [here, there] of [
    [a, b],
    [b, a],
  ] as const) {
    const user = await newUser(here.api);
    const other = await logInPair(there.api, user);
    const verification = linkOf(await find(user.email, '/app/verify-email'), `${PUBLIC_URL}/app/verify-email`);
    t.match(await there.api.request('POST', '/auth/verify-email', { token: other.access_token, json: { token: verification.token } }), {
      status: 200,
    });
    t.match(await here.api.request('GET', '/auth/me', { token: user.token }), { body: { is_verified: true } });
    t.match(await here.api.request('POST', '/auth/forgot-password', { json: { email: user.email } }), { status: 202 });
    const { token } = linkOf(await find(user.email, '/app/reset-password'), `${PUBLIC_URL}/app/reset-password`);
    const answers = await Promise.all(
      [here, there, here, there].map(({ api }, index) =>
        api.request('POST', '/auth/reset-password', { json: { token, password: `another horse ${index}` } }),
      ),
    );
    t.strictSame(answers.map(({ status }) => status).sort(), [200, 403, 403, 403]);
    t.strictSame([await statusOf(here.api, other.access_token), await statusOf(there.api, user.token)], [401, 401]);
  }
});
