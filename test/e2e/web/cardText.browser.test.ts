import t from 'tap';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { launchKept, newContext } from '../../support/service/browser.js';
import { temporaryFolder } from '../../support/store/folder.js';
import { cardOf, eventually } from '../../support/web/boardPage.js';
import { cardDialog, openCard } from '../../support/web/cardDialog.js';
import { HOSTILE_TEXTS } from '../../support/web/hostileTexts.js';
import { cardIn, newBoard } from '../../support/web/people.js';
import { logIn } from '../../support/web/window.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);

t.test('WEBCARD3 Markdown is rendered; links open elsewhere and tell nothing, pictures are links', options, async (t) => {
  const text =
    '# Title\n\nA **bold** word, `code`, ~~not~~\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n[site](https://example.org/ "tip") ![pic](https://example.org/a.png) <https://example.org/b> [mail](mailto:a@example.org) [here](/app/account)';
  const { page } = await openCard(t, await start(), async (card_id, { client }) => {
    await client.card.update({ card_id }, { description: text });
  });
  const shown = page.locator('.markdown');
  await shown.getByRole('heading', { name: 'Title', level: 3 }).waitFor();
  t.strictSame(await shown.locator('strong, code, del, th').allInnerTexts(), ['bold', 'code', 'not', 'a', 'b']);
  t.strictSame(await page.evaluate(`[...document.querySelectorAll('.markdown input')].map((box) => [box.ariaLabel, box.checked])`), [
    ['done', true],
    ['open', false],
  ]);
  const links = await shown.locator('a').evaluateAll((all) => all.map((a) => ['href', 'target', 'rel'].map((name) => a.getAttribute(name))));
  const elsewhere = ['_blank', 'noopener noreferrer'];
  t.strictSame(
    links,
    ['https://example.org/', 'https://example.org/a.png', 'https://example.org/b', 'mailto:a@example.org', '/app/account'].map((href) => [
      href,
      ...elsewhere,
    ]),
  );
  t.equal(await shown.locator('img').count(), 0);
});

t.test('WEBCARD3 hostile Markdown runs nothing, loads nothing, styles nothing, and violates no policy', options, async (t) => {
  const world = await start();
  const { page, ben, cardId: card_id } = await openCard(t, world);
  const strangers: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(world.url) && !request.url().startsWith('blob:')) strangers.push(request.url());
  });
  page.on('popup', (popup) => strangers.push(popup.url()));
  await page.evaluate('window.ran = []; window.hostile = (what) => window.ran.push(what)');
  for (const [index, hostile] of HOSTILE_TEXTS.entries()) {
    const sign = `case ${index}.`;
    await ben.client.card.update({ card_id }, { description: `${sign}\n\n${hostile}` });
    await page.locator('.markdown').getByText(sign).first().waitFor();
    await checkHarmless(t, page, `${index}: ${hostile.slice(0, 60)}`);
  }
  const long = '>'.repeat(9_000) + ' end';
  await ben.client.card.update({ card_id }, { description: long });
  await page.locator('.markdown').getByText('end').waitFor();
  await page.locator('.markdown').getByText('case').waitFor({ state: 'detached' });
  t.strictSame(await page.evaluate('window.ran'), []);
  t.strictSame(strangers, []);
});

t.test('WEBSERVE3 the page makes no HTML of texts but through the sanitizer: the policy requires trusted types', options, async (t) => {
  const world = await start();
  // Not watched: this test violates the policy itself.
  const context = await newContext(world.browser);
  t.teardown(() => context.close());
  const page = await context.newPage();
  const response = await page.goto(world.url);
  const policy = response?.headers()['content-security-policy'] ?? '';
  t.match(policy, /require-trusted-types-for 'script'; trusted-types dompurify worker(?:;|$)/);
  const tried = (code: string): Promise<string> =>
    page.evaluate<string>(`(() => { try { ${code}; return 'done'; } catch (error) { return error.name; } })()`);
  t.equal(await tried("document.createElement('p').innerHTML = '<b>x</b>'"), 'TypeError');
  t.equal(await tried("new DOMParser().parseFromString('<b>x</b>', 'text/html')"), 'TypeError');
  for (const name of ['other', 'worker']) {
    t.equal(await tried(`trustedTypes.createPolicy('${name}', { createHTML: (text) => text })`), 'TypeError', name);
  }
});

t.test(
  'WEB11 a change of somebody else is shown at once, and never disturbs what is being typed: the draft stays, and theirs is offered',
  options,
  async (t) => {
    const {
      page,
      dialog,
      ben,
      cardId: card_id,
      card,
    } = await openCard(t, await start(), async (card_id, { client }) => {
      await client.card.update({ card_id }, { description: 'first' });
    });
    const field = descriptionField(page);
    await dialog.getByRole('button', { name: 'Edit' }).click();
    await field.fill('mine');
    await ben.client.card.update({ card_id }, { description: 'theirs', title: 'Renamed' });
    await dialog.getByRole('heading', { name: 'Renamed' }).waitFor();
    const hint = dialog.getByText('Changed by somebody else meanwhile.');
    await hint.waitFor();
    t.equal(await field.inputValue(), 'mine');
    t.ok(await field.evaluate((element) => element === element.ownerDocument.activeElement), 'the focus stays');
    await dialog.getByRole('button', { name: 'Use theirs' }).click();
    t.equal(await field.inputValue(), 'theirs');
    await hint.waitFor({ state: 'detached' });

    await field.fill('mine again');
    await ben.client.card.update({ card_id }, { description: 'theirs again' });
    await hint.waitFor();
    await dialog.getByRole('region', { name: 'Their text' }).getByText('theirs again').waitFor();
    t.ok(await dialog.getByRole('button', { name: 'Save' }).isDisabled(), 'theirs is not saved over by accident');
    await field.press('Control+Enter');
    t.ok(
      await dialog.getByRole('button', { name: 'Keep mine' }).evaluate((element) => element === element.ownerDocument.activeElement),
      'the choice comes first',
    );
    t.equal((await card()).description, 'theirs again');
    await page.keyboard.press('Enter');
    await hint.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.locator('.markdown').getByText('mine again').waitFor();
    await eventually(t, async () => (await card()).description, 'mine again', 'it is saved');

    await dialog.getByRole('heading', { name: 'Renamed' }).getByRole('button').click();
    const title = page.getByLabel('Title of the card');
    await title.fill('My title');
    await ben.client.card.update({ card_id }, { title: 'Their title', description: 'latest' });
    await dialog.locator('.markdown').getByText('latest').waitFor();
    t.equal(await title.inputValue(), 'My title');
    await page.keyboard.press('Enter');
    await page.getByText('Somebody else has changed this to “Their title” meanwhile.').waitFor();
    t.equal((await card()).title, 'Their title', 'theirs is not saved over by accident');
    await page.keyboard.press('Enter');
    await eventually(t, async () => (await card()).title, 'My title', 'the title is saved');
  },
);

t.test('WEB19 whoever writes is seen by those who have the card open', options, async (t) => {
  const world = await start();
  const { dialog, ben, boardId, cardId } = await openCard(t, world);
  const { page } = await world.open(t, ben, `/app/boards/${boardId}/cards/${cardId}`);
  await page.getByRole('button', { name: 'Add a description…' }).click();
  await page.keyboard.type('a thought');
  const hint = dialog.getByText('is writing…');
  await hint.waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await hint.waitFor({ state: 'detached' });
  await page.getByLabel('Write a comment').fill('an answer');
  await dialog.getByLabel('Comments', { exact: true }).getByText('is writing…').waitFor();
  await page.getByRole('heading', { name: 'Comments' }).click();
  await hint.waitFor({ state: 'detached' });
  const { id: checklist_id } = await ben.client.checklist.create({ card_id: cardId }, { title: 'Steps' });
  await ben.client.item.create({ checklist_id }, { content: 'first' });
  await page.getByRole('button', { name: 'first', exact: true }).click();
  await page.keyboard.type('the first');
  await dialog.getByLabel('Checklist Steps').getByText('is writing…').waitFor();
  await page.keyboard.press('Enter');
  await hint.waitFor({ state: 'detached' });
});

t.test('WEB11 what is typed survives Escape, a click beside the dialog and the back button', options, async (t) => {
  const { page, dialog, card } = await openCard(t, await start());
  const field = descriptionField(page);
  await dialog.getByRole('button', { name: 'Add a description…' }).click();
  await field.fill('a long story');
  await page.keyboard.press('Escape');
  await dialog.getByText('You have a draft that is not saved.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await cardOf(page, 'Plan').click();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  t.equal(await field.inputValue(), 'a long story');

  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'detached' });
  await page.goForward();
  await dialog.getByRole('button', { name: 'Continue' }).click();
  t.equal(await field.inputValue(), 'a long story');
  await field.press('Control+Enter');
  await eventually(t, async () => (await card()).description, 'a long story', 'it is saved');
  await dialog.getByText('You have a draft').waitFor({ state: 'detached' });

  await dialog.getByRole('button', { name: 'Add a checklist' }).click();
  await page.getByLabel('Title of the new checklist').fill('Steps');
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  await page.goForward();
  await dialog.waitFor();
  t.equal(await page.getByLabel('Title of the new checklist').inputValue(), 'Steps');

  await dialog.getByRole('heading', { name: 'Plan' }).getByRole('button').click();
  await page.getByLabel('Title of the card').fill('Saved by leaving');
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'detached' });
  await eventually(t, async () => (await card()).title, 'Saved by leaving', 'the title is saved');
  t.equal(await cardDialog(page).count(), 0);
});

t.test('WEB11 what is typed survives a reload, a closed window and the end of the session, and only its author sees it', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, ben, boardId, cardId } = await openCard(t, world);
  const url = `${world.url}/app/boards/${boardId}/cards/${cardId}`;
  await dialog.getByRole('button', { name: 'Add a description…' }).click();
  await page.evaluate(OCCUPY_DRAFTS);
  await descriptionField(page).fill('a long story');
  await dialog.getByLabel('Write a comment').fill('half a comment');
  t.same(await page.evaluate(NOTED_DRAFTS), [], 'nothing is noted while the window is there');
  await page.reload();
  await dialog.getByText('You have a draft that is not saved.').waitFor();
  t.equal(await dialog.getByLabel('Write a comment').inputValue(), 'half a comment');
  await eventually(t, () => page.evaluate(NOTED_DRAFTS), [], 'the database has them');
  t.same(await page.evaluate(KEPT_DRAFTS), ['a long story', 'half a comment']);
  const context = page.context();
  await page.close();

  const next = await context.newPage();
  await next.goto(url);
  await cardDialog(next).getByRole('button', { name: 'Continue' }).click();
  t.equal(await descriptionField(next).inputValue(), 'a long story');
  await next.keyboard.press('Control+Enter');
  await cardDialog(next).locator('.markdown').getByText('a long story').waitFor();
  await ann.client.auth.endOtherSessions();
  await next.getByRole('heading', { name: 'Log in' }).waitFor();
  await logIn(next, ben);
  await next.goto(url);
  t.equal(await cardDialog(next).getByLabel('Write a comment').inputValue(), '', 'another user');
  await context.clearCookies();
  await next.goto(url);
  await logIn(next, ann);
  await cardDialog(next).getByLabel('Write a comment').waitFor();
  t.equal(await cardDialog(next).getByLabel('Write a comment').inputValue(), 'half a comment');
  t.equal(await cardDialog(next).getByText('You have a draft').count(), 0, 'what was saved is no draft any more');

  await next.evaluate(addDrafts(ann.id, ben.id));
  await next.reload();
  await cardDialog(next).getByLabel('Write a comment').fill('a longer comment');
  const kept = (): Promise<string[]> => next.evaluate(KEPT_DRAFTS);
  const newest = Array.from({ length: MAX_DRAFTS - 1 }, (_, index) => `younger ${String(index + 1).padStart(3, '0')}`);
  await eventually(t, kept, ['a longer comment', 'of another user', ...newest], 'the oldest of many are gone, and one of more than 90 days');
});

t.test('WEB11 no window throws away what was typed in another, if there are too many drafts or one is discarded', options, async (t) => {
  const world = await start();
  const { page, dialog, ann, ben, boardId, cardId } = await openCard(t, world);
  const title = page.getByLabel('Title of the new checklist');
  const comment = dialog.getByLabel('Write a comment');
  const kept = (): Promise<string[]> => page.evaluate(KEPT_DRAFTS);
  await dialog.getByRole('button', { name: 'Add a checklist' }).click();
  await title.fill('a title');
  await comment.fill('a comment');
  await eventually(t, kept, ['a comment', 'a title'], 'both are kept');
  await page.evaluate(addDrafts(ann.id, ben.id));
  await page.reload();
  await title.waitFor();
  const other = await page.context().newPage();
  await other.goto(`${world.url}/app/boards/${boardId}/cards/${cardId}`);
  const otherComment = cardDialog(other).getByLabel('Write a comment');
  await other.getByLabel('Title of the new checklist').waitFor();

  await title.fill('a better title');
  await comment.fill('a better comment');
  await eventually(t, async () => (await kept()).slice(0, 2), ['a better comment', 'a better title'], 'the other window does not know it');
  await otherComment.fill('');
  await cardDialog(other).getByRole('button', { name: 'Add a description…' }).click();
  await descriptionField(other).fill('a description');
  await eventually(t, async () => (await kept()).slice(0, 3), ['a better comment', 'a better title', 'a description'], 'the other has too many');
  await page.reload();
  await title.waitFor();
  t.strictSame([await title.inputValue(), await comment.inputValue()], ['a better title', 'a better comment'], 'all is as it was left');

  await other.evaluate(`dispatchEvent(new Event('focus'))`);
  await eventually(t, () => otherComment.inputValue(), 'a better comment', 'who comes back to the other window goes on with it');
});

t.test('WEB11 what is typed survives a browser that is killed', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], { 'To do': ['Plan'] });
  const folder = await temporaryFolder(t);
  const openIn = async (context: BrowserContext): Promise<Page> => {
    t.teardown(() => context.close().catch(() => undefined));
    const page = await context.newPage();
    await page.goto(`${world.url}/app/boards/${board.id}/cards/${cardIn(board, 'Plan').id}`);
    if ((await page.locator('input[name=username]').or(cardDialog(page)).first().getAttribute('name')) === 'username') await logIn(page, ann);
    return page;
  };
  const context = await launchKept(folder);
  const page = await openIn(context);
  await cardDialog(page).getByLabel('Write a comment').fill('half a comment');
  await eventually(t, () => page.evaluate(KEPT_DRAFTS), ['half a comment'], 'it is kept');
  const closed = new Promise((resolve) => context.once('close', resolve));
  // Its answer is the end.
  void (await context.newCDPSession(page)).send('Browser.crash').catch(() => undefined);
  await closed;
  const next = await openIn(await launchKept(folder));
  const field = cardDialog(next).getByLabel('Write a comment');
  await field.waitFor();
  t.equal(await field.inputValue(), 'half a comment');
});

/** Of a user, as the page keeps them. */
const MAX_DRAFTS = 200;

/** As if they had been written on earlier days: one too many, one too old, and one of somebody else. What is there gets older than most. */
const addDrafts = (annId: string, benId: string): string => `(async () => {
  const database = await new Promise((resolve) => { const request = indexedDB.open('switchboard drafts'); request.onsuccess = () => resolve(request.result); });
  const transaction = database.transaction('drafts', 'readwrite');
  const put = (user, name, text, days) => transaction.objectStore('drafts')
    .put({ key: user + ' ' + name, at: Date.now() - days * 86_400_000, draft: { text, base: '', boardId: 'x', cardId: null } });
  transaction.objectStore('drafts').openCursor().onsuccess = ({ target: { result: cursor } }) => {
    if (cursor === null) return;
    if (cursor.value.draft.boardId !== 'x') cursor.update({ ...cursor.value, at: Date.now() - 85 * 86_400_000 });
    cursor.continue();
  };
  for (let index = 0; index < ${MAX_DRAFTS}; index += 1) put('${annId}', index, 'younger ' + String(index).padStart(3, '0'), 80 - index / 10);
  put('${annId}', 'old', 'too old', 91);
  put('${benId}', 'his', 'of another user', 89);
  await new Promise((resolve) => { transaction.oncomplete = resolve; });
  database.close();
})()`;

/** The database has no turn for others until this window is left. */
const OCCUPY_DRAFTS = `(async () => {
  const database = await new Promise((resolve) => { const request = indexedDB.open('switchboard drafts'); request.onsuccess = () => resolve(request.result); });
  const table = database.transaction('drafts', 'readwrite').objectStore('drafts');
  const goOn = () => { table.get('').onsuccess = goOn; };
  goOn();
})()`;
const NOTED_DRAFTS = `Object.keys(localStorage).filter((name) => name.startsWith('draft '))`;
const KEPT_DRAFTS = `(async () => {
  const database = await new Promise((resolve) => { const request = indexedDB.open('switchboard drafts'); request.onsuccess = () => resolve(request.result); });
  const rows = await new Promise((resolve) => { const request = database.transaction('drafts').objectStore('drafts').getAll(); request.onsuccess = () => resolve(request.result); });
  database.close();
  return rows.map(({ draft }) => draft.text).sort();
})()`;

function descriptionField(page: Page): Locator {
  return page.locator('textarea[aria-label="Description"]');
}

/** Only plain elements are shown, without anything on them that acts, names or styles. */
async function checkHarmless(t: Tap, page: Page, message: string): Promise<void> {
  const odd = await page.locator('.markdown').evaluate((root) => {
    const tags = /^(?:a|blockquote|br|code|del|em|h[3-6]|hr|li|ol|p|pre|span|strong|table|tbody|td|th|thead|tr|ul)$/;
    const attributes = /^(?:align|href|start|title|target|rel)$/;
    const addresses = /^(?:https?:\/\/|mailto:|tel:|\/app\/)/i;
    return [...root.querySelectorAll('*')].flatMap((element) => [
      ...(tags.test(element.localName) ? [] : [element.outerHTML]),
      ...element.getAttributeNames().filter((name: string) => !attributes.test(name)),
      ...(element.localName !== 'a' || addresses.test(element.getAttribute('href') ?? 'https://') ? [] : [element.outerHTML]),
    ]);
  });
  t.strictSame(odd, [], message);
  // A link that was robbed of its address does nothing.
  for (const link of await page.locator('.markdown a:not([href])').all()) await link.click();
  t.strictSame(await page.evaluate('window.ran'), [], message);
}

type Tap = Pick<typeof t, 'strictSame'>;
