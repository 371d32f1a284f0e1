import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Api } from '../../support/http/api.js';
import { turnOnFactor } from '../../support/http/secondFactor.js';
import { newRegistration } from '../../support/http/users.js';
import { startTestApp } from '../../support/service/app.js';
import { cardOf, columnOf, eventually } from '../../support/web/boardPage.js';
import { newBoard, newPerson } from '../../support/web/people.js';
import { openWindow } from '../../support/web/window.js';
import { newContext, sharedBrowser } from '../../support/service/browser.js';
import { sharedWorld } from '../../support/web/world.js';
import { codeFor, startFakeProvider } from '../../support/sso/fakeProvider.js';
import { startSsoApp } from '../../support/sso/ssoApp.js';
import { CLIENT_ID } from '../../support/sso/ssoClient.js';
import { freePort } from '../../support/service/ports.js';
import { until } from '../../support/until.js';

const open = sharedWorld(t, { INVITATIONS: 'owners' });
const invite = sharedWorld(t, { REGISTRATION: 'invite' });

/** Without any account the page leads to the first one. */
async function makeFirstAccount(api: Api): Promise<void> {
  await api.request('POST', '/auth/setup', { json: newRegistration() });
}

t.test('WEBIN1 a newcomer registers, has a board with a column and a card, logs out and in again', open.options, async (t) => {
  const world = await open.start();
  // The first account of a service is made otherwise.
  await world.person();
  const { page } = await world.open(t, null, '/');
  const { email, username, password } = newRegistration();
  await page.getByRole('link', { name: 'Register' }).click();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: 'Your first board' }).waitFor();
  await page.keyboard.type('First board');
  t.equal(await page.getByLabel('Name of a new board').inputValue(), 'First board', 'what is typed next is its name');
  await page.keyboard.press('Enter');
  await page.getByLabel('Title of the new column').fill('To do');
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: 'To do' }).getByRole('button', { name: '+ Add a card' }).click();
  await page.keyboard.type('First card');
  await page.keyboard.press('Enter');
  await cardOf(page, 'First card').waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  t.match(page.url(), 'return_to=', 'a page behind the login leads to it');
  await page.getByLabel('E-mail or username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await cardOf(page, 'First card').waitFor();
});

t.test('WEBIN1 a service that nobody has used greets, and leads to its first superuser', open.options, async (t) => {
  const browser = await sharedBrowser();
  const development = await startTestApp(t);
  const { page } = await openWindow(t, browser, development.url, null);
  await page.getByRole('heading', { name: 'Create the first account' }).waitFor();
  t.equal(await page.getByLabel('Setup token').count(), 0, 'on the same machine, in development');
  const { email, username, password } = newRegistration();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('heading', { name: 'Boards' }).waitFor();
  await page.goto(`${development.url}/app/admin`);
  await page.getByRole('heading', { name: 'Administration' }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await page.goto(`${development.url}/app/setup`);
  await page.getByText('set up already').waitFor();
});

t.test('WEBIN1 in production the first account needs the token, by the link or typed', open.options, async (t) => {
  const browser = await sharedBrowser();
  const app = await startTestApp(t, {
    ENVIRONMENT: 'production',
    HOST: '127.0.0.1',
    JWT_SECRET: 'a secret of thirty-two characters',
  });
  const file = join(app.config.dataDir, 'setup-token');
  await until(() => existsSync(file));
  const token = readFileSync(file, 'utf8').trim();
  const { page } = await openWindow(t, browser, app.url, null);
  await page.getByLabel('Setup token').fill('sws_wrong');
  const { email, username, password } = newRegistration();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create the account' }).click();
  await page.getByRole('alert').getByText('token').waitFor();
  t.equal(await page.getByLabel('Username').inputValue(), username, 'what was typed stays');
  const { page: linked } = await openWindow(t, browser, `${app.url}/app/setup#token=${token}`, null);
  await linked.getByRole('heading', { name: 'Create the first account' }).waitFor();
  await linked.getByLabel('E-mail').fill(email);
  t.equal(await linked.getByLabel('Setup token').count(), 0);
  t.equal(new URL(linked.url()).hash, '', 'the secret leaves the address');
  await linked.getByLabel('Username').fill(username);
  await linked.getByLabel('Password').fill(password);
  await linked.getByRole('button', { name: 'Create the account' }).click();
  await eventually(t, async () => (await app.api.request<{ setup: unknown }>('GET', '/auth/methods')).body.setup, null, 'it is made');
});

t.test('WEBIN2 what the service refuses is said beside the form, and what was typed stays', open.options, async (t) => {
  const world = await open.start();
  const ann = await world.person();
  const { page } = await world.open(t, null, '/app/register');
  await page.getByLabel('E-mail').fill(ann.email);
  await page.getByLabel('Username').fill('somebody-else');
  await page.getByLabel('Password').fill('a password');
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('alert').getByText('e-mail').waitFor();
  t.equal(await page.getByLabel('Username').inputValue(), 'somebody-else');
});

t.test('WEBIN3 a login with a second factor asks for its code, after the right password alone', open.options, async (t) => {
  const world = await open.start();
  const ann = await world.person();
  const { recoveryCodes } = await turnOnFactor(world.api, ann);
  const { page } = await world.open(t, null, '/app/login');
  await page.getByLabel('E-mail or username').fill(ann.email);
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.refusal').waitFor();
  t.equal(await page.getByLabel('Code').count(), 0, 'a wrong password does not tell that there is one');
  await page.getByLabel('Password').fill(ann.password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('Code').fill(recoveryCodes[0] ?? '');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Boards' }).waitFor();
});

t.test('WEBPANEL4 the link of an invitation leads a newcomer to an account on the board, and a user straight onto it', open.options, async (t) => {
  const world = await open.start();
  const [owner, ben] = [await world.person(), await world.person()];
  const board = await newBoard([owner], { 'To do': ['a'] });
  const { token } = await owner.client.invitation.create({ board_id: board.id, max_uses: 3 });
  const path = `/app/invitation#token=${token}`;
  const { page } = await world.open(t, null, path);
  await eventually(t, async () => new URL(page.url()).hash, '', 'the secret leaves the address');
  const { email, username, password } = newRegistration();
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Register' }).click();
  await cardOf(page, 'a').waitFor();
  t.equal(new URL(page.url()).pathname, `/app/boards/${board.id}`);

  const { page: known } = await world.open(t, null, path);
  await known.getByRole('button', { name: 'I have an account already' }).click();
  await known.getByLabel('E-mail or username').fill(ben.email);
  await known.getByLabel('Password').fill(ben.password);
  await known.getByRole('button', { name: 'Log in' }).click();
  await known.getByRole('button', { name: 'Join the board' }).click();
  await cardOf(known, 'a').waitFor();

  // Single sign-on comes back to this page, and from here a member goes on to the board.
  const sso = { login_path: '/auth/sso/login', button_text: 'Company login', registration: 'open' };
  await known.context().clearCookies();
  await known.route('**/auth/methods', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...((await response.json()) as object), sso } });
  });
  await known.goto('about:blank');
  await known.goto(world.url + path);
  const address = await known.getByRole('link', { name: 'Company login' }).getAttribute('href');
  const { searchParams } = new URL(address ?? '', world.url);
  t.strictSame([searchParams.get('return_to'), searchParams.get('invitation')], [path, token]);
  const { page: back } = await world.open(t, ben, searchParams.get('return_to') ?? '');
  await cardOf(back, 'a').waitFor();
  t.equal(new URL(back.url()).pathname, `/app/boards/${board.id}`);
});

t.test('WEBPANEL4 who comes by the link of an invitation through single sign-on ends on the board', open.options, async (t) => {
  const provider = await startFakeProvider(t, CLIENT_ID);
  provider.claims = { sub: 'carol', email: 'carol@example.org', email_verified: true, preferred_username: 'carol' };
  provider.answers.set('/authorize', (request, response) => {
    const asked = new URL(request.url ?? '', provider.issuer);
    const back = new URLSearchParams({ state: asked.searchParams.get('state') ?? '', code: codeFor(asked.href) });
    response.writeHead(302, { location: `${asked.searchParams.get('redirect_uri')}?${back.toString()}` }).end();
  });
  const PORT = `${await freePort()}`;
  const PUBLIC_URL = `http://boards.test:${PORT}`;
  const { api } = await startSsoApp(t, provider.issuer, { PORT, PUBLIC_URL, INVITATIONS: 'owners', OIDC_REGISTRATION: 'invite' });
  const owner = await newPerson(api);
  const board = await newBoard([owner], { 'To do': ['a'] });
  const { token } = await owner.client.invitation.create({ board_id: board.id });
  // Not watched: the browser complains of headers that count over HTTPS only.
  const context = await newContext(await sharedBrowser());
  t.teardown(() => context.close());
  const page = await context.newPage();
  await page.goto(`${PUBLIC_URL}/app/invitation#token=${token}`);
  await page.getByRole('link', { name: 'Single sign-on' }).click();
  await cardOf(page, 'a').waitFor();
  t.equal(page.url(), `${PUBLIC_URL}/app/boards/${board.id}`, 'also if it was used up by that');
});

t.test('WEBIN1 the login offers what the service allows, and says how to come in otherwise', invite.options, async (t) => {
  const world = await invite.start();
  await makeFirstAccount(world.api);
  const { page } = await world.open(t, null, '/app/login');
  await page.getByText('You need an invitation').waitFor();
  t.equal(await page.getByRole('link', { name: 'Register' }).count(), 0);
  t.equal(await page.getByRole('link', { name: 'Forgotten your password?' }).count(), 0, 'there is no mail');
  await page.goto(`${world.url}/app/register`);
  await page.getByText('You need an invitation').waitFor();
  await page.goto(`${world.url}/app/login#error=email_taken`);
  await page.getByText('There is an account with your e-mail address already').waitFor();
  await page.goto(`${world.url}/app/invitation`);
  await page.getByText('The link is not complete').waitFor();
});

t.test('WEBIN4 at another address than that of the service the page says so before a password is typed, and leads there', open.options, async (t) => {
  const PUBLIC_URL = 'https://boards.example.org';
  const { url, api } = await startTestApp(t, { PUBLIC_URL });
  await makeFirstAccount(api);
  const { page } = await openWindow(t, await sharedBrowser(), `${url}/app/login`, null);
  await page.getByRole('alert').getByText('This service works at another address').waitFor();
  t.equal(await page.getByRole('link', { name: `${PUBLIC_URL}/app/login` }).getAttribute('href'), `${PUBLIC_URL}/app/login`);
  const { page: invited } = await openWindow(t, await sharedBrowser(), `${url}/app/invitation#token=swi_secret`, null);
  const link = invited.getByRole('link', { name: `${PUBLIC_URL}/app/invitation` });
  await link.waitFor();
  t.equal(await link.getAttribute('href'), `${PUBLIC_URL}/app/invitation#token=swi_secret`, 'the token goes along');
  t.equal(await link.innerText(), `${PUBLIC_URL}/app/invitation`, 'and is not shown');
});

t.test(
  'WEBIN4 over plain HTTP, by a name, the page of a production service says that it needs HTTPS before a password is typed',
  open.options,
  async (t) => {
    const { url, api } = await startTestApp(t, {
      ENVIRONMENT: 'production',
      HOST: '127.0.0.1',
      JWT_SECRET: 'a secret of thirty-two characters',
    });
    const named = url.replace('127.0.0.1', 'boards.test');
    // Not watched: the browser complains of headers that count over HTTPS only.
    const context = await newContext(await sharedBrowser());
    t.teardown(() => context.close());
    const page = await context.newPage();
    await page.goto(`${named}/app/setup`);
    const warning = page.getByRole('alert');
    await warning.getByText('This page was opened without HTTPS').waitFor();
    t.equal(await warning.getByRole('link').getAttribute('href'), `${named.replace('http:', 'https:')}/app/setup`);
    const { username, password, ...others } = newRegistration();
    await api.request('POST', '/auth/register', { json: { username, password, ...others } });
    await page.goto(`${named}/app/login`);
    await page.locator('input[name=username]').fill(username);
    await page.locator('input[name=password]').fill(password);
    await page.locator('form button[type=submit]').click();
    await page.locator('form').getByRole('alert').getByText('This page was opened without HTTPS').waitFor();
  },
);

t.test('WEBIN4 a refused live connection is not called a missing membership', open.options, async (t) => {
  const { url, api } = await startTestApp(t, {
    PUBLIC_URL: 'https://boards.example.org',
    CORS_ORIGINS: 'https://boards.example.org',
  });
  await makeFirstAccount(api);
  const [ann, ben] = [await newPerson(api), await newPerson(api)];
  const board = await newBoard([ann], { 'To do': ['a'] });
  const { page } = await openWindow(t, await sharedBrowser(), `${url}/app/boards/${board.id}`, ann);
  const { page: list } = await openWindow(t, await sharedBrowser(), `${url}/app`, ann);
  await list.getByRole('heading', { name: 'Boards' }).waitFor();
  await list.getByRole('alert').getByText('This service works at another address').waitFor();
  await page.getByText('You are a member, but the service refused the live connection').waitFor();
  await page.getByRole('alert').getByText('This service works at another address').waitFor();
  t.equal(await page.getByText('you are not a member').count(), 0);
  const { page: stranger } = await openWindow(t, await sharedBrowser(), `${url}/app/boards/${board.id}`, ben);
  await stranger.getByText('you are not a member').waitFor();
});

t.test('WEBIN1 on a new board one types the first column, or takes a template', open.options, async (t) => {
  const world = await open.start();
  const ann = await world.person();
  const [typed, next, chosen] = [await newBoard([ann], {}), await newBoard([ann], {}), await newBoard([ann], {})];
  const { page } = await world.open(t, ann, `/app/boards/${typed.id}`);
  const columns = async (board_id: string): Promise<readonly string[]> =>
    (await ann.client.board.get({ board_id })).columns.map(({ title }) => title);
  await page.getByRole('region', { name: 'Templates' }).waitFor();
  await page.keyboard.type('Ideas');
  await page.keyboard.press('Enter');
  await eventually(t, () => columns(typed.id), ['Ideas'], 'the cursor is in the field for the first column');
  await page.getByRole('region', { name: 'Templates' }).waitFor({ state: 'detached' });
  // Without a new page: a browser obeys `autofocus` once a page.
  await page.getByRole('link', { name: 'Switchboard' }).click();
  await page.locator(`a[href="/app/boards/${next.id}"]`).first().click();
  await page.getByRole('region', { name: 'Templates' }).waitFor();
  await page.keyboard.type('Thoughts');
  await page.keyboard.press('Enter');
  await eventually(t, () => columns(next.id), ['Thoughts'], 'on every new board of a page');
  await page.goto(`${world.url}/app/boards/${chosen.id}`);
  await page.getByRole('button', { name: 'Simple: To do, Doing, Done' }).click();
  await eventually(t, () => columns(chosen.id), ['To do', 'Doing', 'Done'], 'in this order');
  await page.keyboard.type('Hello');
  await page.keyboard.press('Enter');
  await cardOf(page, 'Hello').waitFor();
  t.equal(await columnOf(page, 'To do').getByRole('link', { name: 'Hello' }).count(), 1, 'what is typed next is a card of the first column');
  await page.goto(`${world.url}/app`);
  await page.locator('a.tile-title').first().waitFor();
  t.equal(await page.evaluate('document.activeElement.tagName'), 'BODY', 'a list of boards leaves the focus where it is');
});
