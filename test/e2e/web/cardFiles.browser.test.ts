import t from 'tap';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { eventually } from '../../support/web/boardPage.js';
import { openCard } from '../../support/web/cardDialog.js';
import { holdRequests } from '../../support/web/heldRequest.js';
import { sharedWorld } from '../../support/web/world.js';

const MAX_BYTES = 1_000_000;
/** One red pixel. */
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==', 'base64');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="hostile()"><script>hostile()</script></svg>');

const { options, start } = sharedWorld(t, { MAX_ATTACHMENT_BYTES: String(MAX_BYTES) });

t.test(
  'WEBCARD12 files are attached by button and by dropping, several at once, with the progress of each; one can be cancelled',
  options,
  async (t) => {
    const { page, dialog, cardId, card } = await openCard(t, await start());
    const names = async (): Promise<string[]> => (await card()).attachments.map(({ name }) => name).sort();

    await t.test('by button', async (t) => {
      const chooser = page.waitForEvent('filechooser');
      await dialog.getByRole('button', { name: 'Attach files' }).click();
      await (await chooser).setFiles(['a.txt', 'b.txt'].map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })));
      await eventually(t, names, ['a.txt', 'b.txt'], 'both are attached');
      await dialog.getByText('b.txt', { exact: true }).waitFor();
    });

    await t.test('by dropping', async (t) => {
      await drop(page, 'dragover', 'c.txt');
      await dialog.getByText('Drop to attach').waitFor();
      await drop(page, 'drop', 'c.txt');
      await dialog.getByText('Drop to attach').waitFor({ state: 'detached' });
      await eventually(t, names, ['a.txt', 'b.txt', 'c.txt'], 'it is attached');
    });

    await t.test('with progress', async (t) => {
      await page.evaluate(`window.seen = []; new MutationObserver(() => {
      const bar = document.querySelector('progress[aria-label="Sending d.bin"]');
      if (bar !== null) window.seen.push(bar.value);
    }).observe(document.body, { subtree: true, childList: true, attributes: true })`);
      const session = await page.context().newCDPSession(page);
      await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 500_000 });
      await page.getByLabel('Files to attach').setInputFiles({ name: 'd.bin', mimeType: 'application/octet-stream', buffer: Buffer.alloc(900_000) });
      await dialog.getByRole('progressbar', { name: 'Sending d.bin' }).waitFor();
      await eventually(t, names, ['a.txt', 'b.txt', 'c.txt', 'd.bin'], 'it is attached');
      await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 });
      const seen = await page.evaluate<number[]>('window.seen');
      t.ok(
        seen.some((part) => part > 0 && part < 1),
        `parts were shown: ${seen.slice(0, 5).join(', ')}`,
      );
      t.strictSame(
        seen,
        [...seen].sort((a, b) => a - b),
        'growing',
      );
    });

    await t.test('cancelled', async (t) => {
      const held = await holdRequests(page, 'POST', `/cards/${cardId}/attachments`);
      await page.getByLabel('Files to attach').setInputFiles({ name: 'e.txt', mimeType: 'text/plain', buffer: Buffer.from('e') });
      await held.arrived;
      const cancel = dialog.getByRole('button', { name: 'Cancel e.txt' });
      await cancel.click();
      await cancel.waitFor({ state: 'detached' });
      held.release();
      t.strictSame(await names(), ['a.txt', 'b.txt', 'c.txt', 'd.bin']);
    });
  },
);

t.test('WEBCARD12 a file that is refused says why', options, async (t) => {
  const { page, dialog, card } = await openCard(t, await start());
  const files = [
    ['large.bin', MAX_BYTES + 1],
    ['small.bin', 5],
  ] as const;
  await page
    .getByLabel('Files to attach')
    .setInputFiles(files.map(([name, size]) => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.alloc(size) })));
  await dialog.getByText(`The file is larger than the maximum of ${MAX_BYTES} bytes`, { exact: true }).waitFor();
  await eventually(t, async () => (await card()).attachments.map(({ name }) => name), ['small.bin'], 'the other one is attached');
  await dialog.getByRole('button', { name: 'Dismiss large.bin' }).click();
  await dialog.getByText('large.bin', { exact: true }).waitFor({ state: 'detached' });
});

t.test(
  'WEBCARD14 raster pictures are shown from memory, other files never; a file is downloaded unchanged and deleted after a question',
  options,
  async (t) => {
    const { page, dialog, ben, cardId: card_id, card } = await openCard(t, await start());
    const bytes = (buffer: Buffer): Uint8Array<ArrayBuffer> => new Uint8Array(buffer);
    await ben.client.attachment.create({ card_id }, { name: 'red.png', content: bytes(PNG), type: 'image/png' });
    await ben.client.attachment.create({ card_id }, { name: 'evil.svg', content: bytes(SVG), type: 'image/svg+xml' });
    await ben.client.attachment.create({ card_id }, { name: 'false.png', content: bytes(SVG), type: 'image/png' });
    await ben.client.attachment.create({ card_id }, { name: 'page.html', content: '<script>hostile()</script>', type: 'text/html' });
    const show = dialog.getByRole('button', { name: 'Show red.png' });
    await show.and(page.locator(':enabled')).waitFor();
    await show.click();
    const picture = page.getByRole('dialog', { name: 'red.png' }).getByRole('img', { name: 'red.png' });
    await picture.waitFor();
    t.match(await picture.getAttribute('src'), /^blob:/);
    await eventually(t, () => page.evaluate<number>(`document.querySelector('.picture img').naturalWidth`), 1, 'it is the picture');
    await page.keyboard.press('Escape');
    await picture.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Show false.png' }).and(page.locator(':disabled')).waitFor();
    const pictured = (): Promise<string[]> =>
      dialog
        .locator('li.file', { has: page.locator('img') })
        .locator('.file-name')
        .allInnerTexts();
    await eventually(t, pictured, ['red.png'], 'only the picture is shown');

    for (const [name, content] of [
      ['red.png', PNG],
      ['evil.svg', SVG],
    ] as const) {
      const downloading = page.waitForEvent('download');
      await dialog.getByRole('button', { name: `Download ${name}` }).click();
      const download = await downloading;
      t.equal(download.suggestedFilename(), name);
      t.ok((await readFile(await download.path())).equals(content), `${name} is unchanged`);
    }

    await dialog.getByRole('button', { name: 'Delete page.html' }).click();
    const question = page.getByRole('dialog', { name: 'Delete the file?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    t.equal((await card()).attachments.length, 4);
    await dialog.getByRole('button', { name: 'Delete page.html' }).click();
    await question.getByRole('button', { name: 'Delete the file' }).click();
    await eventually(t, async () => (await card()).attachments.map(({ name }) => name), ['red.png', 'evil.svg', 'false.png'], 'it is deleted');
  },
);

/** A file over the dialog. A real one cannot be dragged by a test. */
async function drop(page: Page, type: 'dragover' | 'drop', name: string): Promise<void> {
  await page.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['content'], ${JSON.stringify(name)}, { type: 'text/plain' }));
    document.querySelector('.card-parts').dispatchEvent(new DragEvent(${JSON.stringify(type)}, { bubbles: true, cancelable: true, dataTransfer }));
  })()`);
}
