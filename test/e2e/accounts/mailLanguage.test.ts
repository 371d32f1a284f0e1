import t, { type Test } from 'tap';
import { UnsubscribeTokens } from '../../../src/auth/unsubscribeTokens.js';
import { newUser, type TestUser } from '../../support/http/users.js';
import { startMailServer, type MailServer } from '../../support/mail/mailServer.js';
import type { ReceivedMail } from '../../support/mail/receivedMail.js';
import { startTestApp, type TestApp } from '../../support/service/app.js';
import { changeUser } from '../../support/service/operator.js';
import { until } from '../../support/until.js';

const PUBLIC_URL = 'https://boards.example.org';

interface World {
  readonly app: TestApp;
  readonly server: MailServer;
}

async function start(t: Test): Promise<World> {
  const server = await startMailServer(t);
  return { app: await startTestApp(t, { SMTP_URL: server.url, PUBLIC_URL, INVITATIONS: 'owners' }), server };
}

async function userWith({ app }: World, language: string | null): Promise<TestUser> {
  const user = await newUser(app.api);
  await app.api.request('PATCH', '/auth/me', { token: user.token, json: { language } });
  return user;
}

async function ask({ app }: World, { token }: TestUser, path: string, json: object): Promise<void> {
  const { status } = await app.api.request('POST', path, { token, json });
  if (status >= 300) throw new Error(`${path} answered ${status}`);
}

async function mailTo({ server }: World, address: string, text: string): Promise<ReceivedMail> {
  const found = (): ReceivedMail | undefined => server.mails.find((mail) => mail.to.includes(address) && mail.text.includes(text));
  await until(() => found() !== undefined);
  return found() as ReceivedMail;
}

t.test('MAIL23 mails about an account are in its language', async (t) => {
  const world = await start(t);
  const [ann, ben] = [await userWith(world, 'de-AT'), await userWith(world, 'fr')];
  const mails: ReadonlyArray<
    readonly [path: string, json: (user: TestUser) => object, address: (user: TestUser) => string, german: string, english: string]
  > = [
    ['/auth/forgot-password', ({ email }) => ({ email }), ({ email }) => email, 'ein neues Passwort angefordert', 'a new password was asked for'],
    [
      '/auth/change-email',
      ({ password, username }) => ({ email: `new-${username}@example.org`, current_password: password }),
      ({ username }) => `new-${username}@example.org`,
      'bestätigen Sie die Adresse',
      'confirm the address',
    ],
    [
      '/auth/change-password',
      ({ password }) => ({ current_password: password, new_password: 'another horse' }),
      ({ email }) => email,
      'das Passwort Ihres Kontos',
      'the password of your account',
    ],
  ];
  for (const [path, json, address, german, english] of mails) {
    await ask(world, ann, path, json(ann));
    await mailTo(world, address(ann), german);
    await ask(world, ben, path, json(ben));
    await mailTo(world, address(ben), english);
  }
  t.pass('all of them came');
});

t.test('MAIL23 the old address is told of a new one in the language of the account', async (t) => {
  const world = await start(t);
  const ann = await userWith(world, 'de');
  await ask(world, ann, '/auth/change-email', { email: 'new@example.org', current_password: ann.password });
  const { text } = await mailTo(world, 'new@example.org', '#token=');
  await ask(world, ann, '/auth/verify-email', { token: /#token=(\S+)/.exec(text)?.[1] });
  t.match(await mailTo(world, ann.email, 'eine andere E-Mail-Adresse'), { text: /sagen Sie es sofort dem Betreiber/ });
});

t.test('MAIL23 an invitation is in the language of the account with its address, else in that of the inviter', async (t) => {
  const world = await start(t);
  const [ann, ben, cem] = [await userWith(world, 'de'), await userWith(world, 'en'), await userWith(world, null)];
  const { body: board } = await world.app.api.request<{ id: string }>('POST', '/boards', { token: ann.token, json: { title: 'Pläne' } });
  const invite = (email: string) => ask(world, ann, '/invitations', { board_id: board.id, email });
  for (const email of [ben.email, cem.email, 'stranger@example.org']) await invite(email);
  await mailTo(world, ben.email, 'invites you to the board “Pläne”');
  await mailTo(world, cem.email, 'lädt Sie zum Board „Pläne“');
  t.match(await mailTo(world, 'stranger@example.org', 'lädt Sie zum Board „Pläne“'), { text: /nehmen Sie an/ });
});

t.test('MAIL23 the page of an unsubscribe link is in the language of its user, with one style sheet and no other resource', async (t) => {
  const world = await start(t);
  const { api, config, url } = world.app;
  const user = await userWith(world, 'de');
  await changeUser(config.dataDir, user.id, { is_verified: true });
  const address = `${url}/unsubscribe?token=${new UnsubscribeTokens(config.jwtSecret).issue(user.id, new Date())}`;
  const page = await fetch(address);
  const text = await page.text();
  t.match(text, '<html lang="de">');
  t.match(text, '<h1>Keine Mitteilungen mehr per E-Mail?</h1>');
  const done = await (await fetch(address, { method: 'POST' })).text();
  t.match(done, 'Sie bekommen keine Mitteilungen mehr per E-Mail.');
  await api.request('PATCH', '/auth/me', { token: user.token, json: { language: null } });
  t.match(await (await fetch(address)).text(), '<h1>No more notices by mail?</h1>');
});
