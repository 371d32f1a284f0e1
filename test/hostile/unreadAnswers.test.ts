/** Clients that ask for much and read nothing. */
import t, { type Test } from 'tap';
import { AttackedService, expectUnharmed, type Damage } from '../support/hostile/attackedService.js';
import { importLargeBoard, type LargeBoard } from '../support/hostile/largeBoard.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { SilentClient } from '../support/hostile/silentClient.js';
import { rawRequest } from '../support/http/rawRequest.js';

const options = { skip: WITHOUT_PEAK };
/** How long answers stay unread. */
const UNREAD_MS = 2_000;

interface Siege {
  readonly attacked: AttackedService;
  readonly board: LargeBoard;
  readonly authorization: string;
}

/** The tests run one after another and share it: making the board takes longer than most attacks. */
let shared: Promise<Siege> | null = null;

function siegeOfThisFile(): Promise<Siege> {
  shared ??= startSiege();
  return shared;
}

async function startSiege(): Promise<Siege> {
  const attacked = await AttackedService.start(t);
  const board = await importLargeBoard(attacked);
  return { attacked, board, authorization: `Authorization: Bearer ${attacked.attacker.token}` };
}

/** All clients ask at once, and none reads. */
async function askAndNotRead(
  t: Test,
  { attacked }: Siege,
  count: number,
  request: (n: number) => string,
): Promise<{ clients: SilentClient[]; damage: Damage }> {
  let clients: SilentClient[] = [];
  t.teardown(() => clients.forEach((client) => client.close()));
  const damage = await attacked.suffer(t, async () => {
    clients = await SilentClient.openAll(attacked.url, count);
    await Promise.all(clients.map((client, n) => client.send(request(n))));
    await new Promise((resolve) => setTimeout(resolve, UNREAD_MS));
  });
  return { clients, damage };
}

async function bodyOf({ attacked }: Siege, path: string): Promise<Buffer> {
  return Buffer.from(await (await attacked.send('GET', path)).arrayBuffer());
}

t.test('HOSTILE21 four hundred unread answers of a large board are sent from one buffer', options, async (t) => {
  const siege = await siegeOfThisFile();
  const path = `/boards/${siege.board.id}`;
  const whole = await bodyOf(siege, path);
  t.ok(whole.length > 10_000_000, `the board has ${whole.length} bytes`);
  const { clients, damage } = await askAndNotRead(t, siege, 400, () => rawRequest(`GET ${path}`, [siege.authorization]));
  await expectUnharmed(t, siege.attacked, damage);
  const late = await Promise.all(clients.slice(0, 10).map((client) => client.read(whole.length)));
  for (const body of late) t.ok(body.equals(whole), 'a client that reads later gets all of it');
});

t.test('HOSTILE21 four hundred unread downloads of a file stay within the memory bound and delay no bystander', options, async (t) => {
  const siege = await siegeOfThisFile();
  const { attacked, board, authorization } = siege;
  const card = await attacked.do('POST', `/boards/${board.id}/columns/${board.columnId}/cards`, { title: 'With a file' });
  const content = Buffer.alloc(8_000_000, 'content ');
  const form = new FormData();
  form.set('file', new Blob([content]), 'file.bin');
  const uploaded = await fetch(`${attacked.url}/cards/${card.id}/attachments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${attacked.attacker.token}` },
    body: form,
  });
  const { id } = (await uploaded.json()) as { id: string };
  const request = rawRequest(`GET /attachments/${id}`, [authorization]);
  const { clients, damage } = await askAndNotRead(t, siege, 400, () => request);
  await expectUnharmed(t, attacked, damage);
  const late = await Promise.all(clients.slice(0, 3).map((client) => client.read(content.length)));
  for (const body of late) t.ok(body.equals(content), 'a client that reads later gets all of it');
});

t.test('HOSTILE21 unread exports, event pages and board lists stay within the memory bound and delay no bystander', options, async (t) => {
  const siege = await siegeOfThisFile();
  const { attacked, board, authorization } = siege;
  for (let n = 0; n < 40; n += 1) {
    await attacked.do('PATCH', `/boards/${board.id}`, { description: `${n} ${'x'.repeat(9_000)}` });
  }
  const paths = [`/boards/${board.id}/export`, `/boards/${board.id}/events?since=0`, '/boards'];
  const encoding = (n: number): string => `Accept-Encoding: ${n % 2 === 0 ? 'identity' : 'gzip'}`;
  const request = (n: number): string => rawRequest(`GET ${paths[n % paths.length]}`, [authorization, encoding(n)]);
  const { damage } = await askAndNotRead(t, siege, 150, request);
  await expectUnharmed(t, attacked, damage);
});
