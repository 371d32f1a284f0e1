import t from 'tap';
import { readFile } from 'node:fs/promises';
import { packagePath } from '../../src/paths.js';
import { serveFiles } from '../support/http/fileServer.js';
import { newKey } from '../support/http/keys.js';
import { newUser } from '../support/http/users.js';
import { startTestApp } from '../support/service/app.js';
import { openPage, WITH_BROWSER } from '../support/service/browser.js';

t.test('CLIENT7 the wall display follows a board with a key that can only read it', WITH_BROWSER, async (t) => {
  const { api, url } = await startTestApp(t);
  const user = await newUser(api);
  const { token } = user;
  const create = async (path: string, json: object): Promise<string> => (await api.request<{ id: string }>('POST', path, { token, json })).body.id;
  const board = await create('/boards', { title: 'Plans' });
  const column = await create(`/boards/${board}/columns`, { title: 'To do', color: '#ff0000' });
  await create(`/boards/${board}/columns/${column}/cards`, { title: '<b>Call Ann</b>' });
  const { key } = await newKey(api, user, { scopes: ['read'], board_ids: [board] });

  const address = await serveFiles(t, { 'wall.html': await readFile(packagePath('deploy', 'examples', 'wall.html')) });
  const hash = new URLSearchParams({ service: url, board, key });
  const watched = await openPage(t, `${address}wall.html#${hash}`);
  const { page, requests, complaints } = watched;
  await page.getByText('<b>Call Ann</b>').waitFor();
  t.equal(await page.title(), 'Plans');
  t.equal(await page.getByRole('heading', { level: 2 }).innerText(), 'To do\n1');
  await create(`/boards/${board}/columns/${column}/cards`, { title: 'Paint the wall' });
  await page.getByText('Paint the wall').waitFor();
  await watched.screenshot('wall');
  t.notOk(
    requests.some((each) => each.includes(key) && !each.startsWith(address) && !each.startsWith(url)),
    'the key goes to the service alone',
  );
  t.strictSame(complaints, []);

  await page.goto('about:blank');
  await page.goto(`${address}wall.html#service=${encodeURIComponent(url)}`);
  t.match(await page.getByRole('alert').innerText(), /lacks board, key/);
});
