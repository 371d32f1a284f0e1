import t from 'tap';
import type { Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { packagePath } from '../../../src/paths.js';
import { violationsIn } from '../../support/web/axe.js';
import { eventually, overflowOf, shows } from '../../support/web/boardPage.js';
import { holdRequests } from '../../support/web/heldRequest.js';
import { sharedWorld } from '../../support/web/world.js';

const { options, start } = sharedWorld(t);
const TRELLO = packagePath('test', 'fixtures', 'trello.json');

t.test('WEBLIST8 a file of Trello that is dropped on the page becomes a board, and the report says what did not fit', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { page } = await world.open(t, ann, '/');
  await page.getByRole('heading', { name: 'Your first board' }).waitFor();
  const { left_out } = await (await world.person()).client.importFile(new Blob([await readFile(TRELLO)]));

  await drag(page, 'dragenter', 'trello.json', await readFile(TRELLO, 'utf8'));
  await page.getByText('Drop the file to import it as a board').waitFor();
  await drag(page, 'drop', 'trello.json', await readFile(TRELLO, 'utf8'));
  const report = page.getByRole('dialog', { name: 'Imported' });
  await report.getByText('“Harvest festival” came from Trello with:').waitFor();
  t.strictSame(await report.getByRole('list', { name: 'Imported' }).getByRole('listitem').allInnerTexts(), [
    '3 columns',
    '5 cards',
    '2 checklists',
    '2 items',
    '4 labels',
    '1 file',
  ]);
  t.strictSame(await report.getByRole('list', { name: 'What did not fit' }).getByRole('listitem').allInnerTexts(), left_out);
  t.strictSame(await violationsIn(page), []);
  t.equal(await page.getByText('Drop the file').count(), 0);
  await report.getByRole('button', { name: 'Open the board' }).click();
  await page.getByRole('heading', { level: 1, name: 'Harvest festival' }).waitFor();
});

t.test('WEBLIST8 an export is chosen, its progress is shown, and the import can be given up', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const document = { format: 'switchboard-board', version: 1, title: 'Again', columns: [{ id: 'x', title: 'To do', cards: [{ title: 'a' }] }] };
  const file = { name: 'again.json', mimeType: 'application/json', buffer: Buffer.from(JSON.stringify(document)) };
  const { page } = await world.open(t, ann, '/', { width: 390 });
  const held = await holdRequests(page, 'POST', '/boards/import');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import a board' });
  await dialog.getByText('or drop it here').waitFor();
  t.strictSame(await violationsIn(page), []);
  t.equal(await overflowOf(page), 0);
  await dialog.getByLabel('Choose a file').setInputFiles(file);
  await held.arrived;
  await dialog.getByRole('progressbar', { name: 'Import' }).waitFor();
  await dialog.getByText('again.json').waitFor();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  held.release();

  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await dialog.getByLabel('Choose a file').setInputFiles(file);
  const report = page.getByRole('dialog', { name: 'Imported' });
  await report.getByText('Nothing was left out').waitFor();
  await report.getByRole('button', { name: 'Open the board' }).click();
  await shows(t, page, { 'To do': ['a'] });
});

t.test('WEBLIST8 a file without a board is explained, and nothing is made of it', options, async (t) => {
  const world = await start();
  const ann = await world.person();
  const { page } = await world.open(t, ann, '/');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Import a board' });
  const refused = async (content: string, reason: RegExp): Promise<void> => {
    await dialog.getByLabel('Choose a file').setInputFiles({ name: 'strange.json', mimeType: 'application/json', buffer: Buffer.from(content) });
    await dialog.getByRole('alert').filter({ hasText: reason }).waitFor();
  };
  await refused('', /strange\.json: The file is empty/);
  await refused('Name;Card\n', /The file is not JSON/);
  await refused('[1, 2]', /The file has no board in it/);
  await refused('{"name": "x"}', /neither an export of Switchboard nor one of Trello/);
  await refused('{"format": "switchboard-board", "version": 1}', /strange\.json: title/);
  await eventually(t, async () => (await ann.client.board.list()).length, 0, 'there is no board');
});

/** As a hand does it with a file of the desktop. */
async function drag(page: Page, type: 'dragenter' | 'drop', name: string, content: string): Promise<void> {
  const transfer = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}, { type: 'application/json' }));
    return transfer;
  })()`);
  await page.dispatchEvent('main', type, { dataTransfer: transfer });
}
