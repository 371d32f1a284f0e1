/** What four accounts can make the service hold in memory. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import t from 'tap';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { SilentClient } from '../support/hostile/silentClient.js';
import { rawRequest } from '../support/http/rawRequest.js';
import { newUser, type TestUser } from '../support/http/users.js';

const options = { skip: WITHOUT_PEAK };
const HEAD = { format: 'switchboard-board', version: 1, title: 'Large' };
/** In all of them together the unread answers are as large as the attackers can make them. */
const BOARDS_EACH = 3;
const ANSWERS_EACH = 12;
const UNREAD_MS = 6_000;
const FILE_BYTES = 8_000_000;
const UPLOADS_EACH = 16;
const BOUNDARY = 'boundary-of-the-file';
const FORM = Buffer.concat([
  Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="file.bin"\r\n\r\n`),
  Buffer.alloc(FILE_BYTES, 'content '),
  Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
]);

async function fourAccounts({ api }: AttackedService): Promise<TestUser[]> {
  return Promise.all(Array.from({ length: 4 }, () => newUser(api)));
}

async function importBoard(attacked: AttackedService, { token }: TestUser, document: object): Promise<string> {
  const response = await attacked.send('POST', '/boards/import', document, token);
  if (response.status !== 201) throw new Error(`an import answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { board: { id: string } }).board.id;
}

t.test('HOSTILE21 four accounts that read nothing of boards and exports of 13 MB stay within the memory bound', options, async (t) => {
  const attacked = await AttackedService.start(t);
  const cards = Array.from({ length: 1_300 }, (_, n) => ({ title: `Card ${n}`, description: 'x'.repeat(10_000) }));
  const document = { ...HEAD, columns: [{ id: 'c', title: 'All', cards }] };
  const requests: string[] = [];
  for (const user of await fourAccounts(attacked)) {
    const boards: string[] = [];
    for (let n = 0; n < BOARDS_EACH; n += 1) boards.push(await importBoard(attacked, user, document));
    for (let n = 0; n < ANSWERS_EACH; n += 1) {
      const path = `/boards/${boards[n % BOARDS_EACH]}${n % 2 === 0 ? '' : '/export'}`;
      requests.push(rawRequest(`GET ${path}`, [`Authorization: Bearer ${user.token}`]));
    }
  }
  const clients = await SilentClient.openAll(attacked.url, requests.length);
  t.teardown(() => clients.forEach((client) => client.close()));
  const damage = await attacked.suffer(t, async () => {
    await Promise.all(clients.map((client, n) => client.send(requests[n] ?? '')));
    await new Promise((resolve) => setTimeout(resolve, UNREAD_MS));
  });
  await expectUnharmed(t, attacked, damage);
});

t.test('HOSTILE30 uploads and imports of four accounts stay within the memory bound', options, async (t) => {
  const attacked = await AttackedService.start(t);
  const users = await fourAccounts(attacked);
  const cardOf = async (user: TestUser): Promise<string> => {
    const columns = [{ id: 'c', title: 'All', cards: [{ title: 'With files' }] }];
    const id = await importBoard(attacked, user, { ...HEAD, columns });
    const board = (await (await attacked.send('GET', `/boards/${id}`, undefined, user.token)).json()) as {
      columns: { cards: { id: string }[] }[];
    };
    return board.columns[0]?.cards[0]?.id ?? '';
  };
  const cards = await Promise.all(users.map(cardOf));
  const upload = async (user: TestUser, card: string): Promise<number> => {
    const headers = { authorization: `Bearer ${user.token}`, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const sent = request(`${attacked.url}/cards/${card}/attachments`, { method: 'POST', agent: false, headers });
    // One buffer for all: the sender must not take the processor from the service.
    sent.end(FORM);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await once(response.resume(), 'end');
    return response.statusCode ?? 0;
  };
  const uploads = await attacked.suffer(t, async () => {
    const all = users.flatMap((user, n) => Array.from({ length: UPLOADS_EACH }, () => upload(user, cards[n] ?? '')));
    t.strictSame(new Set(await Promise.all(all)), new Set([201]));
  });
  await expectUnharmed(t, attacked, uploads);

  const many = Array.from({ length: 49_000 }, (_, n) => ({ title: `Card ${n}`, labels: ['a'] }));
  const document = { ...HEAD, labels: [{ id: 'a', name: 'Label' }], columns: [{ id: 'c', title: 'All', cards: many }] };
  const text = JSON.stringify(document);
  const imports = await attacked.suffer(t, async () => {
    const all = [...users, ...users].map((user) => attacked.send('POST', '/boards/import', text, user.token));
    t.strictSame(new Set((await Promise.all(all)).map(({ status }) => status)), new Set([201]));
  });
  await expectUnharmed(t, attacked, imports);
});
