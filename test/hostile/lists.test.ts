/** Answers that are assembled in the I/O thread: lists of boards, and cards as large as a board. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import t from 'tap';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { DOCUMENT } from '../support/hostile/fullBoards.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { SilentClient } from '../support/hostile/silentClient.js';
import { rawRequest } from '../support/http/rawRequest.js';

const options = { skip: WITHOUT_PEAK };
/** Six bytes of JSON each: 150 boards fill a page of 8 MiB. */
const DESCRIPTION = '\u0001'.repeat(10_000);
const BOARDS = 150;
/** Boards created in parallel. */
const AT_ONCE = 10;
const CLIENTS = IS_LONG_FORM ? 400 : 150;
/** Clients that read. Without a bound each list took 25 MB. */
const READERS = IS_LONG_FORM ? 200 : 40;
/** How long the answers stay unread. */
const UNREAD_MS = 1_500;
const CARD_BYTES = 10_000_000;

/** The tests run one after another and share it. */
let shared: Promise<AttackedService> | null = null;

function attackedOfThisFile(): Promise<AttackedService> {
  shared ??= AttackedService.start(t);
  return shared;
}

async function askAndNotRead(attacked: AttackedService, path: string): Promise<void> {
  const request = rawRequest(`GET ${path}`, [`Authorization: Bearer ${attacked.attacker.token}`]);
  const clients = await SilentClient.openAll(attacked.url, CLIENTS);
  await Promise.all(clients.map((client) => client.send(request)));
  await new Promise((resolve) => setTimeout(resolve, UNREAD_MS));
  for (const client of clients) client.close();
}

/** Keeps nothing of the answer: the memory of the test is not in question. */
async function readAndDrop({ url, attacker }: AttackedService, path: string): Promise<number> {
  const sent = get(url + path, { agent: false, headers: { authorization: `Bearer ${attacker.token}` } });
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response.resume(), 'end');
  return response.statusCode ?? 0;
}

t.test('HOSTILE24 parallel lists of boards with the longest descriptions stay within the memory bound, read or unread', options, async (t) => {
  const attacked = await attackedOfThisFile();
  const create = (): Promise<unknown> => attacked.do('POST', '/boards', { title: 'Long', description: DESCRIPTION });
  for (let n = 0; n < BOARDS; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, create));
  const statuses = new Set<number>();
  const read = await attacked.suffer(t, async () => {
    await Promise.all(Array.from({ length: READERS }, async () => statuses.add(await readAndDrop(attacked, '/boards'))));
  });
  t.strictSame([...statuses], [200], 'all are answered');
  await expectUnharmed(t, attacked, read);
  await expectUnharmed(t, attacked, await attacked.suffer(t, () => askAndNotRead(attacked, '/boards')));
});

t.test('HOSTILE21 unread answers of one card of 10 MB stay within the memory bound', options, async (t) => {
  const attacked = await attackedOfThisFile();
  const items = Array.from({ length: CARD_BYTES / 10_000 }, () => ({ content: 'x'.repeat(10_000) }));
  const cards = [{ title: 'Large', checklists: [{ title: 'All', items }] }];
  const document = { ...DOCUMENT, columns: [{ id: 'c', title: 'To do', cards }] };
  const { board } = await attacked.do<{ board: { id: string } }>('POST', '/boards/import', document);
  const { columns } = await attacked.do<{ columns: Array<{ cards: Array<{ id: string }> }> }>('GET', `/boards/${board.id}`);
  const path = `/cards/${columns[0]?.cards[0]?.id ?? ''}`;
  const damage = await attacked.suffer(t, () => askAndNotRead(attacked, path));
  const body = await (await attacked.send('GET', path)).text();
  t.ok(body.length > CARD_BYTES, `the card has ${body.length} bytes`);
  await expectUnharmed(t, attacked, damage);
});
