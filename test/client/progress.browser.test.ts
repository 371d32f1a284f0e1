import t from 'tap';
import { newRegistration } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { openPage, WITH_BROWSER } from '../support/service/browser.js';
import { startClientPage } from './clientPage.js';

/** Prepares a client and a card in the page. */
const PREPARE = `
  const { createClient, ApiError } = await import('/index.js');
  const client = createClient({ baseUrl: url });
  await client.auth.register(registration);
  await client.auth.login({ username: registration.email, password: registration.password });
  const { id: board_id } = await client.board.create({ title: 'Plans' });
  const { id: column_id } = await client.column.create({ board_id }, { title: 'To do' });
  const { id: card_id } = await client.card.create({ board_id, column_id }, { title: 'Card' });
  const seen = [];
  const onProgress = (sent) => seen.push(sent);
`;

function inPage(url: string, code: string): string {
  return `(async () => { const url = ${JSON.stringify(url)}; const registration = ${JSON.stringify(newRegistration())}; ${PREPARE} ${code} })()`;
}

t.test('CLIENT9 in a browser an upload reports the part that is sent while it is sent', WITH_BROWSER, async (t) => {
  const { url } = await startTestApp(t);
  const { page, complaints } = await openPage(t, await startClientPage(t));
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 1_000_000 });
  const { seen, file, size } = await page.evaluate<{ seen: number[]; file: object; size: number }>(
    inPage(
      url,
      `
    const content = new Uint8Array(1_000_000).fill(7);
    const file = await client.attachment.create({ card_id }, new File([content], 'large.bin'), { onProgress });
    return { seen, file, size: (await client.attachment.get({ attachment_id: file.id })).size };
  `,
    ),
  );
  t.match(file, { name: 'large.bin', size: 1_000_000 });
  t.equal(size, 1_000_000, 'it is downloaded as a blob');
  t.equal(seen[0], 0);
  t.equal(seen.at(-1), 1);
  t.ok(
    seen.some((part) => part > 0 && part < 1),
    `parts between: ${seen.join(', ')}`,
  );
  t.strictSame(
    seen,
    [...seen].sort((a, b) => a - b),
  );
  t.strictSame(complaints, []);
});

t.test('CLIENT9 an upload that reports its progress is answered, refused, aborted and repeated as any other', WITH_BROWSER, async (t) => {
  const { url } = await startTestApp(t, { MAX_ATTACHMENT_BYTES: '1000' });
  const { page } = await openPage(t, await startClientPage(t));
  t.match(
    await page.evaluate(
      inPage(
        url,
        `
      return client.attachment.create({ card_id }, new File(['x'.repeat(2000)], 'large.txt'), { onProgress }).catch((error) => ({ isApiError: error instanceof ApiError, detail: error.detail }));
    `,
      ),
    ),
    { isApiError: true, detail: 'The file is larger than the maximum of 1000 bytes' },
    'refused',
  );
  t.equal(
    await page.evaluate(
      inPage(
        url,
        `
      const controller = new AbortController();
      const abort = (sent) => { if (sent === 0) queueMicrotask(() => controller.abort()); };
      return client.attachment.create({ card_id }, new File(['x'], 'x.txt'), { signal: controller.signal, onProgress: abort }).catch((error) => error.name);
    `,
      ),
    ),
    'AbortError',
    'aborted',
  );
  let isCut = false;
  await page.route(/attachments$/, async (route) => {
    if (isCut || route.request().method() !== 'POST') return route.continue();
    isCut = true;
    return route.abort('connectionreset');
  });
  const repeated = await page.evaluate<{ seen: number[]; count: number }>(
    inPage(
      url,
      `
    await client.attachment.create({ card_id }, new File(['x'], 'x.txt'), { onProgress });
    const { columns: [{ cards: [card] }] } = await client.board.get({ board_id });
    return { seen, count: card.attachments.length };
  `,
    ),
  );
  t.equal(repeated.count, 1);
  t.equal(repeated.seen.filter((part) => part === 0).length, 2, 'each attempt begins with 0');
});
