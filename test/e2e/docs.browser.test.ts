import t, { type Test } from 'tap';
import type { Locator, Page } from 'playwright-core';
import { startTestApp } from '../support/service/app.js';
import { openPage, WITH_BROWSER, type WatchedPage } from '../support/service/browser.js';
import { newUser } from '../support/http/users.js';

t.test('DOCS1 the pages have one menu, follow the theme of the reader, and are never wider than a phone', WITH_BROWSER, async (t) => {
  // Without the cookie, so that only the token of the last login counts.
  const { api, url } = await startTestApp(t, { AUTH_MODE: 'bearer' });
  const watched = await openPage(t, `${url}/docs/events`);
  const { page } = watched;
  const isReadable = async (path: string, ready: string): Promise<void> => {
    const backgrounds: string[] = [];
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(ready).first().waitFor();
      const menu = page.getByRole('navigation', { name: 'Documentation' });
      t.match(await menu.innerText(), /Switchboard.*Try it.*Reference.*Events/s, path);
      t.equal(await menu.locator('[aria-current]').count(), 1);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      t.equal(width, 390, `${path} is as wide as the screen`);
      // What is seen: Redoc's colours are turned round by a filter.
      const shot = await page.screenshot({ clip: { x: 2, y: 780, width: 1, height: 1 } });
      backgrounds.push(shot.toString('base64'));
    }
    t.not(backgrounds[0], backgrounds[1], `${path} is dark for a reader who wants it, and light again`);
    // The next page is loaded in the dark, and sees the reader's change.
    await page.emulateMedia({ colorScheme: 'dark' });
  };
  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.reload();
  await isReadable('docs/events', 'h4');
  await page.getByRole('link', { name: 'Reference' }).click();
  await page.waitForURL(`${url}/redoc`, { waitUntil: 'commit' });
  await isReadable('redoc', '#redoc h1');

  // To draw such a page takes five seconds of CPU, so each is drawn once.
  await t.test('DOCS1 /redoc shows the operations and finds them by their words', async (t) => {
    await page.setViewportSize({ width: 1280, height: 1000 });
    const operation = page.getByRole('heading', { name: 'Search users' });
    await operation.scrollIntoViewIfNeeded();
    await watched.screenshot('redoc');
    t.ok(await operation.isVisible());

    await page.getByPlaceholder('Search').fill('register');
    const found = page.locator('[data-role="search:results"]', { hasText: 'Register a user' });
    await found.waitFor();
    await watched.screenshot('redoc-search');
    t.ok(await found.isVisible());
  });
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`${url}/docs`);
  await isReadable('docs', '.opblock-tag');
  await page.setViewportSize({ width: 1280, height: 1000 });

  await t.test('DOCS1 /docs runs an operation with the token that the reader authorised with', async (t) => {
    const { token, username } = await newUser(api);
    const dialog = await openAuthorizeDialog(page);
    const bearer = dialog.locator('.auth-container', { hasText: 'bearer (http' });
    await bearer.getByRole('textbox').fill(token);
    await watched.screenshot('docs-authorize');
    await bearer.getByRole('button', { name: 'Apply credentials' }).click();
    await dialog.getByRole('button', { name: 'Close' }).first().click();

    await operationOfMe(page).locator('.opblock-summary-control').click();
    const answer = await executeGetMe(page);
    await watched.screenshot('docs-executed');
    t.match(answer, { status: '200', body: `"username": "${username}"` });
    await operationOfMe(page).getByRole('button', { name: 'Clear' }).click();
    await openAuthorizeDialog(page);
    await bearer.getByRole('button', { name: 'Remove authorization' }).click();
    await dialog.getByRole('button', { name: 'Close' }).first().click();
  });

  await t.test('DOCS1 /docs lets the reader authorise with e-mail and password', async (t) => {
    const { email, password, username } = await newUser(api);
    const dialog = await openAuthorizeDialog(page);
    const login = dialog.locator('.auth-container', { hasText: 'login (OAuth2' });
    await login.getByLabel('username:').fill(email);
    await login.getByLabel('password:').fill(password);
    await login.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click();
    await login.getByRole('button', { name: 'Remove authorization' }).waitFor();
    await watched.screenshot('docs-logged-in');
    await dialog.getByRole('button', { name: 'Close' }).first().click();

    t.match(await executeGetMe(page), { status: '200', body: `"username": "${username}"` });
  });
  staysAtHome(t, watched, url);
});

async function openAuthorizeDialog(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  return page.locator('.dialog-ux');
}

function operationOfMe(page: Page): Locator {
  return page.locator('.opblock-get', { has: page.locator('[data-path="/auth/me"]') });
}

/** It is open. */
async function executeGetMe(page: Page): Promise<{ status: string; body: string }> {
  const operation = operationOfMe(page);
  await operation.getByRole('button', { name: 'Execute' }).click();
  const response = operation.locator('.live-responses-table .response').first();
  await response.scrollIntoViewIfNeeded();
  return {
    status: await response.locator('.response-col_status').innerText(),
    body: await response.locator('.highlight-code').first().innerText(),
  };
}

/** Everything comes from the service itself, and nothing is missing or refused. */
function staysAtHome(t: Test, { requests, complaints }: WatchedPage, url: string): void {
  t.ok(requests.length > 0, 'requests are recorded');
  t.strictSame(
    requests.filter((request) => new URL(request).origin !== url),
    [],
    'no request leaves the service',
  );
  t.strictSame(complaints, []);
}
