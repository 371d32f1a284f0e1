import t from 'tap';
import { codeOf, fromBase32 } from '../../support/http/secondFactor.js';
import { logInPair, statusOf } from '../../support/http/sessions.js';
import { changeUser } from '../../support/service/operator.js';
import { violationsIn } from '../../support/web/axe.js';
import { eventually, overflowOf } from '../../support/web/boardPage.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

/** Runs in the page: whether its table needs no scrolling. */
const FITS = `(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.table-place'))`;

/** Runs in the page: the words of tables that stand in more than one line. */
const BROKEN_WORDS = `(() => {
  const broken = [];
  for (const cell of document.querySelectorAll('.table-place :is(th, td):not(:has(select))')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/[\\p{L}\\p{N}]+/gu)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (range.getClientRects().length > 1) broken.push(word);
      }
    }
  }
  return broken;
})()`;

t.test('WEBACC1 a user changes their name, and a new password ends the other sessions', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { page } = await world.open(t, ann, '/app/account');
  await page.getByLabel('First name').fill('Ann');
  await page.getByLabel('Last name').fill('Ott');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Your name is saved').waitFor();
  t.match(await ann.client.users.get({ user_id: ann.id }), { firstname: 'Ann', lastname: 'Ott' });
  await page.getByLabel('Current password').fill('wrong');
  await page.getByLabel('New password').fill('another password');
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByRole('alert').getByText('password').waitFor();
  t.equal(await statusOf(world.api, ann.token), 200);
  await page.getByLabel('Current password').fill(ann.password);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByText('Your password is changed').waitFor();
  t.equal(await statusOf(world.api, ann.token), 401, 'the session of the login before has ended');
  await page.reload();
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
});

t.test('WEBACC1 a user changes their username and e-mail address with the password', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { page } = await world.open(t, ann, '/app/account');
  const names = page.getByRole('region', { name: 'Username', exact: true });
  await names.getByLabel('New username', { exact: true }).fill('ann-of-account');
  await names.getByLabel('Password').fill('wrong');
  await names.getByRole('button', { name: 'Change the username' }).click();
  await names.getByRole('alert').getByText('password').waitFor();
  await names.getByLabel('Password').fill(ann.password);
  await names.getByRole('button', { name: 'Change the username' }).click();
  await page.getByText('ann-of-account ·').waitFor();
  const address = page.getByRole('region', { name: 'E-mail address', exact: true });
  await address.getByLabel('New e-mail address').fill('ann-of-account@example.com');
  await address.getByLabel('Password').fill(ann.password);
  await address.getByRole('button', { name: 'Change the address' }).click();
  await page.getByText('· ann-of-account@example.com').waitFor();
  t.equal(await statusOf(world.api, ann.token), 401, 'the session of the login before has ended');
});

t.test('WEBACC1 sessions are listed, and ended one by one or all', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const other = await logInPair(world.api, ann);
  const { page } = await world.open(t, ann, '/app/account');
  const section = page.getByRole('region', { name: 'Sessions' });
  const rows = section.getByRole('listitem');
  await eventually(t, () => rows.count(), 3, 'two of programs, one of this window');
  t.match(await rows.filter({ hasText: 'this one' }).innerText(), /Chrome on Linux/);
  await section
    .getByRole('button', { name: /^End the session of/ })
    .first()
    .click();
  await eventually(t, () => rows.count(), 2, 'one is gone');
  await section.getByRole('button', { name: 'End all others' }).click();
  await eventually(t, () => rows.count(), 1, 'only this one is left');
  t.strictSame([await statusOf(world.api, ann.token), await statusOf(world.api, other.access_token)], [401, 401]);
});

t.test('WEBACC1 an API key is shown once, listed and revoked', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { page } = await world.open(t, ann, '/app/account');
  const section = page.getByRole('region', { name: 'API keys' });
  await section.getByLabel('Name').fill('backup <script>');
  await section.getByRole('button', { name: 'Make the key' }).click();
  const key = await section.getByRole('textbox', { name: 'The new key' }).innerText();
  t.match(key, /^swb_/);
  t.equal(await statusOf(world.api, key), 200);
  await section.getByText('backup <script>').waitFor();
  t.equal(await section.getByRole('option', { name: 'Administration' }).count(), 0, 'not for an ordinary user');
  await page.reload();
  await section.getByText('backup <script>').waitFor();
  t.notMatch(await section.innerText(), key);
  await section.getByRole('button', { name: /^Revoke/ }).click();
  await eventually(t, () => section.getByText('backup <script>').count(), 0, 'it is gone');
  t.equal(await statusOf(world.api, key), 401);
});

t.test('WEBIN3 the second factor is set up with a code, gives recovery codes, and is turned off', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { page } = await world.open(t, ann, '/app/account');
  const section = page.getByRole('region', { name: 'Second factor' });
  await section.getByLabel('Your password').fill(ann.password);
  await section.getByRole('button', { name: 'Set it up' }).click();
  await section.getByRole('img', { name: 'QR code for the app' }).waitFor();
  const secret = fromBase32(await section.getByRole('textbox', { name: 'Key for the app' }).innerText());
  await section.getByLabel('The code that the app shows').fill(codeOf({ secret }));
  await section.getByRole('button', { name: 'Turn it on' }).click();
  const codes = (await section.getByRole('textbox', { name: 'Recovery codes' }).innerText()).split('\n');
  t.equal(codes.length, 10);
  await section.getByText('You have 10 recovery codes left').waitFor();
  await section.getByLabel('Your password').fill(ann.password);
  await section.getByLabel('A code').fill(codes[0] ?? '');
  await section.getByLabel('What to do').selectOption('off');
  await section.getByRole('button', { name: 'Do it' }).click();
  await section.getByRole('button', { name: 'Set it up' }).waitFor();
  await logInPair(world.api, ann);
});

t.test('WEBADM1 a superuser sees the service, changes users, makes invitations and reads the audit log', options, async (t) => {
  const world = await start();
  const [root, ben] = [await world.person(), await world.person({ username: 'ben-the-user' })];
  await changeUser(world.dataDir, root.id, { is_superuser: true });
  const { page } = await world.open(t, root, '/app/admin');
  await page.getByRole('region', { name: 'Service' }).getByText('Open sockets').waitFor();
  const users = page.getByRole('region', { name: 'Users' });
  await users.getByLabel('Search').fill('ben-the-user');
  await users.getByRole('button', { name: 'Actions for ben-the-user' }).click();
  await users.getByRole('button', { name: 'Deactivate' }).click();
  await users.getByText('deactivated').waitFor();
  t.equal(await statusOf(world.api, ben.token), 401);
  await users.getByRole('button', { name: 'Actions for ben-the-user' }).click();
  await users.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Give boards without another owner to').fill('nobody at all');
  await dialog.getByRole('button', { name: 'Delete ben-the-user' }).click();
  await dialog.getByText('There is no user nobody at all.').waitFor();
  await dialog.getByLabel('Give boards without another owner to').fill('');
  await dialog.getByRole('button', { name: 'Delete ben-the-user' }).click();
  await eventually(t, () => users.getByRole('listitem').count(), 0, 'the user is gone');
  t.equal((await world.api.request('GET', `/users/${ben.id}`, { token: root.token })).status, 404);
  const invitations = page.getByRole('region', { name: 'Invitations' });
  await invitations.getByRole('button', { name: 'Make the link' }).click();
  const link = await invitations.getByRole('textbox', { name: 'Link of the invitation' }).innerText();
  t.match(link, /\/app\/invitation#token=swi_/);
  await invitations.getByText('0 of 1 used').waitFor();
  await page.reload();
  const log = page.getByRole('region', { name: 'Audit log' });
  await log.getByRole('cell', { name: 'Account deactivated' }).waitFor();
  await log.getByText('Uses at most: 1').waitFor();
  await log.getByText('By: password', { exact: true }).first().waitFor();
  await root.client.auth.updateMe({ language: 'de' });
  await page.reload();
  await page.getByRole('region', { name: 'Protokoll' }).getByText('Über: Passwort', { exact: true }).first().waitFor();
  await root.client.auth.updateMe({ language: null });
  await page.reload();
  const rows = await log.locator('tbody tr').evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent.trim())));
  t.ok(
    rows.every((cells) => cells.length === 5 && cells.every((text) => text !== '')),
    'every cell says something',
  );
  for (const language of ['en', 'de'] as const) {
    await root.client.auth.updateMe({ language });
    for (const path of ['/app/admin', '/app/notices']) {
      await page.goto(world.url + path);
      await page.locator('.table-place tbody td').first().waitFor();
      for (const width of [390, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        t.strictSame(await page.evaluate(BROKEN_WORDS), [], `${path} breaks no word at ${width} px (${language})`);
        t.equal(await overflowOf(page), 0, 'and does not scroll sideways');
        if (path === '/app/notices') t.ok(await page.evaluate(FITS), 'and its table fits');
      }
    }
  }
});

t.test('WEBADM1 the page of administration is closed to others', options, async (t) => {
  const world = await start();
  const { page } = await world.open(t, await world.person(), '/app/admin');
  await page.getByText('Only superusers can see this page').waitFor();
  t.equal(await page.getByRole('button', { name: 'Deactivate' }).count(), 0);
});

for (const width of [1280, 390]) {
  t.test(`WEB13 account and administration have no axe violation in either theme and fit ${width} px`, options, async (t) => {
    const world = await start();
    const root = await world.person();
    await changeUser(world.dataDir, root.id, { is_superuser: true });
    const window = await world.open(t, root, '/app/account', { width });
    const { page } = window;
    await page.getByRole('region', { name: 'API keys' }).waitFor();
    await window.screenshot(`web-account-${width}`);
    t.strictSame(await violationsIn(page), []);
    t.equal(await overflowOf(page), 0);
    await page.goto(`${world.url}/app/admin`);
    await page.getByRole('region', { name: 'Audit log' }).getByRole('cell').first().waitFor();
    await window.screenshot(`web-admin-${width}`);
    t.strictSame(await violationsIn(page), []);
    t.equal(await overflowOf(page), 0);
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    t.equal(await overflowOf(page), 0, 'with text of twice the size');
    await page.goto(`${world.url}/app/account`);
    await page.getByRole('region', { name: 'API keys' }).waitFor();
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    t.equal(await overflowOf(page), 0, 'with text of twice the size');
  });
}
