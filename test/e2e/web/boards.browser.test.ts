import t from 'tap';
import type { Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { afterFrames, eventually, overflowOf } from '../../support/web/boardPage.js';
import { violationsIn } from '../../support/web/axe.js';
import { holdRequests } from '../../support/web/heldRequest.js';
import { newBoard } from '../../support/web/people.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';

t.test('WEBLIST1 the list says in words what others changed, while it is shown', options, async (t) => {
  const world = await start();
  const [ann, ben, cat] = [await world.person(), await world.person({ firstname: 'Ben' }), await world.person({ firstname: 'Cat' })];
  const board = await newBoard([ben, ann], {}, 'Plans');
  const path = { board_id: board.id };
  const { page } = await world.open(t, ann, '/');
  await page.getByRole('link', { name: 'Plans' }).waitFor();
  t.equal(await page.locator('.news').count(), 0, 'nothing is news at first');
  const says = (news: string): Promise<void> => page.locator('.news', { hasText: news }).waitFor();

  await ben.client.board.update(path, { title: 'New plans' });
  await says('renamed');
  await page.getByRole('link', { name: 'New plans' }).waitFor();
  await ben.client.member.add(path, { user_id: cat.id });
  await says('Cat joined');
  await page.getByRole('group', { name: '3 members' }).waitFor();
  await ben.client.member.remove({ ...path, user_id: cat.id });
  await says('Cat left');
  await ben.client.board.update(path, { description: 'What for' });
  await says('new description');
  await page.getByText('What for').waitFor();
  await ben.client.member.setRole({ ...path, user_id: ann.id }, { role: 'owner' });
  await says('you are an owner');
  await page.getByRole('button', { name: 'Actions for New plans' }).waitFor();
});

t.test('WEBLIST1 a board that a user is put on appears, and one that is taken away goes with a word about it', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const { page } = await world.open(t, ann, '/');
  await page.getByRole('heading', { name: 'Your first board' }).waitFor();
  const board = await newBoard([ben, ann], {}, 'Shared');
  await page.getByRole('link', { name: 'Shared' }).waitFor();
  await page.locator('.news', { hasText: 'new' }).waitFor();
  await ben.client.member.remove({ board_id: board.id, user_id: ann.id });
  await page.getByRole('link', { name: 'Shared' }).waitFor({ state: 'detached' });
  await page.locator('.notice', { hasText: '“Shared” is no longer yours' }).waitFor();
});

t.test('WEBLIST1 starred and recently opened boards come first, and the list is searched and sorted', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const boards = [];
  for (const title of ['Alpha', 'Über uns', 'Gamma', 'Delta']) boards.push(await newBoard([ann], {}, title));
  const [alpha, , , delta] = boards;
  if (alpha === undefined || delta === undefined) throw new Error('a board is missing');
  await ann.client.board.update({ board_id: alpha.id }, { color: '#2f6feb', icon: '🚀' });
  const { page } = await world.open(t, ann, '/');
  const titles = (): Promise<string[]> => page.locator('.tile-title').allTextContents();
  const shows = (...wanted: string[]): Promise<void> => eventually(t, titles, wanted, `the order is ${wanted.join(', ')}`);
  await shows('Delta', 'Gamma', 'Über uns', 'Alpha');
  const tile = page.locator('.tile', { hasText: 'Alpha' });
  await tile.getByText('🚀').waitFor();

  await page.getByRole('button', { name: 'Star Gamma' }).click();
  await shows('Gamma', 'Delta', 'Über uns', 'Alpha');
  await page.getByRole('link', { name: 'Alpha' }).click();
  await page.locator('.board-header', { hasText: '🚀' }).waitFor();
  await page.goBack();
  await shows('Gamma', 'Alpha', 'Delta', 'Über uns');
  await page.reload();
  await shows('Gamma', 'Alpha', 'Delta', 'Über uns');

  await page.getByRole('button', { name: 'Name' }).click();
  await shows('Gamma', 'Alpha', 'Delta', 'Über uns');
  await page.getByRole('button', { name: 'Remove the star of Gamma' }).click();
  await shows('Alpha', 'Delta', 'Gamma', 'Über uns');
  await ann.client.column.create({ board_id: delta.id }, { title: 'New' });
  await page.getByRole('button', { name: 'Activity' }).click();
  await page.reload();
  await shows('Delta', 'Gamma', 'Über uns', 'Alpha');

  const search = page.getByRole('searchbox', { name: 'Search boards' });
  await search.fill('uber UNS');
  await shows('Über uns');
  await search.fill('nothing');
  await page.getByText('No board has these words in its name.').waitFor();
  await shows();
  t.strictSame(await violationsIn(page), []);
});

t.test('WEBLIST1 a star that is refused goes back', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  await newBoard([ann], {}, 'Plans');
  const { page } = await world.open(t, ann, '/');
  await page.route('**/star', (route) => route.fulfill({ status: 403, json: { detail: 'You are not a member of the board' } }));
  await page.getByRole('button', { name: 'Star Plans' }).click();
  await page.locator('.notice', { hasText: 'The star was not saved: You are not a member of the board' }).waitFor();
  await page.getByRole('button', { name: 'Star Plans', pressed: false }).waitFor();
});

t.test('WEBLIST1 a list that was read before a board was taken away does not bring it back', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const [shared, other] = [await newBoard([ben, ann], {}, 'Shared'), await newBoard([ben, ann], {}, 'Other')];
  const { page } = await world.open(t, ann, '/');
  const link = page.getByRole('link', { name: 'Shared' });
  await link.waitFor();
  let [noteAnswer, release] = [(): void => undefined, (): void => undefined];
  const answered = new Promise<void>((resolve) => (noteAnswer = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/boards\?/, async (route) => {
    const response = await route.fetch();
    noteAnswer();
    await released;
    await route.fulfill({ response });
  });
  await ben.client.board.update({ board_id: other.id }, { description: 'Read again' });
  await answered;
  await ben.client.member.remove({ board_id: shared.id, user_id: ann.id });
  await link.waitFor({ state: 'detached' });
  release();
  await page.getByText('Read again').waitFor();
  t.equal(await link.count(), 0);
  await page.unrouteAll({ behavior: 'wait' });
});

t.test('WEB3 renaming and deleting show at once, are no news to who did it, and go back if they are refused', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  const board = await newBoard([ann, ben], {}, 'Plans');
  const board_id = board.id;
  const { page } = await world.open(t, ann, '/');
  const rename = async (from: string, to: string): Promise<void> => {
    await choose(page, from, 'Rename');
    await page.getByLabel('Title of the board').fill(to);
    await page.keyboard.press('Enter');
  };
  const held = await holdRequests(page, 'PATCH', `/boards/${board_id}`);
  await rename('Plans', 'Better plans');
  await held.arrived;
  await page.getByRole('link', { name: 'Better plans' }).waitFor();
  const changed = page.waitForResponse((response) => new URL(response.url()).pathname === '/boards');
  held.release();
  await changed;
  await afterFrames(page);
  t.equal(await page.locator('.news').count(), 0, 'the own change is no news');

  await page.route(`**/boards/${board_id}`, (route) => route.fulfill({ status: 403, json: { detail: 'You are not an owner' } }));
  await rename('Better plans', 'Worse plans');
  await page.locator('.notice', { hasText: 'The board was not renamed: You are not an owner' }).waitFor();
  await page.getByRole('link', { name: 'Better plans' }).waitFor();
  await choose(page, 'Better plans', 'Delete');
  const question = page.getByRole('dialog', { name: 'Delete the board?' });
  await question.getByText('gone for all 2 members').waitFor();
  await question.getByRole('button', { name: 'Delete Better plans' }).click();
  await page.locator('.notice', { hasText: 'The board was not deleted: You are not an owner' }).waitFor();
  await page.getByRole('link', { name: 'Better plans' }).waitFor();

  await page.unroute(`**/boards/${board_id}`);
  await choose(page, 'Better plans', 'Delete');
  await question.getByRole('button', { name: 'Delete Better plans' }).click();
  await page.getByRole('heading', { name: 'Your first board' }).waitFor();
  await eventually(t, async () => (await ben.client.board.list()).length, 0, 'it is gone');
  t.equal(await page.locator('.notice', { hasText: 'no longer yours' }).count(), 0);
});

t.test('WEBLIST9 a deleted board comes back from the notice of its deletion, and later from the trash', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const board = await newBoard([ann], {}, 'Plans');
  const { page } = await world.open(t, ann, '/');
  const link = page.getByRole('link', { name: 'Plans' });
  const remove = async (): Promise<void> => {
    await choose(page, 'Plans', 'Delete');
    await page.getByRole('button', { name: 'Delete Plans' }).click();
    await link.waitFor({ state: 'detached' });
  };
  await remove();
  const notice = page.locator('.notice', { hasText: 'Deleted: Plans.' });
  await notice.getByRole('button', { name: 'Restore' }).click();
  await link.waitFor();
  await remove();
  await page.getByRole('button', { name: 'Trash' }).click();
  const trash = page.getByRole('dialog', { name: 'Deleted boards' });
  await trash.getByText('Kept for 30 more days').waitFor();
  t.strictSame(await violationsIn(page), []);
  await trash.getByRole('button', { name: 'Restore Plans' }).click();
  await trash.getByText('No deleted boards').waitFor();
  await page.keyboard.press('Escape');
  await link.waitFor();
  t.equal((await ann.client.board.get({ board_id: board.id })).title, 'Plans');
});

t.test(
  'WEB11 a board that somebody else renames meanwhile is not renamed by who leaves the field: the title stands in *Not saved*',
  options,
  async (t) => {
    const world = await start();
    const [ann, ben] = [await world.person(), await world.person()];
    const board = await newBoard([ann, ben], {}, 'Plans');
    await ann.client.member.setRole({ board_id: board.id, user_id: ben.id }, { role: 'owner' });
    const { page } = await world.open(t, ann, '/');
    await choose(page, 'Plans', 'Rename');
    await page.getByLabel('Title of the board').fill('My plans');
    await ben.client.board.update({ board_id: board.id }, { title: 'Their plans' });
    await page.locator('.news', { hasText: 'renamed' }).waitFor();
    await page.getByRole('heading', { name: 'Boards' }).click();
    await page.getByRole('link', { name: 'Their plans' }).waitFor();
    await page.getByRole('button', { name: /^Not saved/ }).click();
    t.equal(await page.getByRole('dialog', { name: 'Not saved' }).getByLabel('Your text').inputValue(), 'My plans');
    t.equal((await ann.client.board.get({ board_id: board.id })).title, 'Their plans');
  },
);

t.test('WEBPANEL10 a board is exported from the list, and the file can be imported; only owners rename and delete it there', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person()];
  await newBoard([ann, ben], { 'To do': ['a'] }, '../..\\Plans?');
  const { page } = await world.open(t, ann, '/');
  await page.getByRole('button', { name: 'Actions for' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Export' }).click()]);
  t.equal(download.suggestedFilename(), 'Plans.json');
  t.match(JSON.parse(await readFile(await download.path(), 'utf8')), { format: 'switchboard-board', columns: [{ cards: [{ title: 'a' }] }] });
  const { page: bens } = await world.open(t, ben, '/');
  await bens.getByRole('link', { name: 'Plans' }).waitFor();
  await bens.getByRole('button', { name: 'Actions for' }).click();
  await bens.getByRole('button', { name: 'Export' }).waitFor();
  t.equal(await bens.getByRole('button', { name: /Rename|Delete/ }).count(), 0, 'the service lets owners alone do it');
});

t.test('WEBLIST1 two hundred boards are all listed, each with its description and the time of its last change', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  for (let count = 0; count < 200; count += 1) await ann.client.board.create({ title: `Board ${count}`, description: `About ${count}` });
  const { page } = await world.open(t, ann, '/');
  await page.getByRole('link', { name: 'Board 199' }).waitFor();
  t.equal(await page.locator('a.tile-title').count(), 200);
  t.equal(await page.locator('.tile-text').first().innerText(), 'About 199', 'the latest is first');
  t.match(await page.locator('time').last().innerText(), /^(just now|\d+ minutes? ago)$/);
  t.equal(await overflowOf(page), 0);
});

t.test('WEB12 hostile titles, descriptions and names are text', options, async (t) => {
  const world = await start();
  const [ann, ben] = [await world.person(), await world.person({ firstname: HOSTILE })];
  const board = await newBoard([ann], {}, HOSTILE);
  await ann.client.board.update({ board_id: board.id }, { description: HOSTILE });
  const { page } = await world.open(t, ann, '/');
  page.on('dialog', () => t.fail('a script ran'));
  await page.getByRole('link', { name: HOSTILE }).waitFor();
  await ann.client.member.add({ board_id: board.id }, { user_id: ben.id });
  await page.locator('.news', { hasText: `${HOSTILE} joined` }).waitFor();
  await choose(page, HOSTILE, 'Delete');
  await page.getByRole('button', { name: `Delete ${HOSTILE}` }).waitFor();
  t.equal(await page.locator('img, script:not([src])').count(), 0);
});

t.test('WEB13 the list has no axe violation and fits a phone, with boards and without', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { page } = await world.open(t, ann, '/', { width: 390 });
  await page.getByRole('heading', { name: 'Your first board' }).waitFor();
  t.strictSame(await violationsIn(page), []);
  t.equal(await overflowOf(page), 0);
  await newBoard([ann], {}, 'A'.repeat(255));
  await page.locator('.news').waitFor();
  t.strictSame(await violationsIn(page), []);
  t.equal(await overflowOf(page), 0);
  await choose(page, 'A'.repeat(255), 'Delete');
  t.equal(await overflowOf(page), 0);
});

async function choose(page: Page, board: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${board}`, exact: true }).click();
  await page.getByRole('button', { name: action, exact: true }).click();
}
