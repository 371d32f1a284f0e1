import t, { type Test } from 'tap';
import { Api } from '../support/http/api.js';
import { temporaryFolder } from '../support/store/folder.js';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { newUser, type TestUser } from '../support/http/users.js';

const DOCUMENT = { format: 'switchboard-board', version: 1, title: 'Large' };
const MIB = 1024 * 1024;
/** The bytes of a page, and the one summary that exceeds them. */
const MAX_ANSWER_BYTES = 24 * MIB;
/** The maximum wait of the victim for one page; before the limits it was 11 seconds and then a failure. */
const MAX_ANSWER_MS = IS_LONG_FORM ? 2_000 : 8_000;
/** More than fit into a page. */
const FULL_BOARDS = IS_LONG_FORM ? 20 : 9;
/** From before the limits. */
const OLD_BOARDS = IS_LONG_FORM ? 8 : 3;
/** Each takes six bytes of JSON. */
const CONTROL_CHARACTERS = '\u0001'.repeat(255);

// Creating boards of this size is slow on a slow machine.
t.setTimeout(180_000);

function labels(count: number, name: string): object[] {
  return Array.from({ length: count }, (_, n) => ({ id: `${n}`, name }));
}

interface Page {
  readonly boards: ReadonlyArray<{ readonly id: string }>;
  readonly next: string | undefined;
}

async function readPage(t: Test, attacked: AttackedService, victim: TestUser, query: string): Promise<Page> {
  const startedAt = performance.now();
  const response = await attacked.send('GET', `/boards${query}`, undefined, victim.token);
  const text = await response.text();
  t.equal(response.status, 200, `the victim's GET /boards${query}: ${text.slice(0, 100)}`);
  t.ok(text.length <= MAX_ANSWER_BYTES, `has ${text.length} bytes`);
  const waited = Math.round(performance.now() - startedAt);
  t.ok(waited <= MAX_ANSWER_MS, `and takes ${waited} ms`);
  const next = /^<(\?.*)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1];
  return { boards: JSON.parse(text) as Page['boards'], next };
}

async function readAll(t: Test, attacked: AttackedService, victim: TestUser): Promise<string[]> {
  const ids: string[] = [];
  for (let query: string | undefined = ''; query !== undefined; ) {
    const { boards, next } = await readPage(t, attacked, victim, query);
    ids.push(...boards.map(({ id }) => id));
    query = next;
  }
  return ids;
}

t.test('QUOTA18 boards full of labels do not prevent a user who was invited to them from listing boards', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const victim = await newUser(attacked.api);
  const members = [{ email: victim.email, role: 'member' }];
  const huge = await attacked.send('POST', '/boards/import', { ...DOCUMENT, members, labels: labels(30_000, 'x'.repeat(250)) });
  t.equal(huge.status, 409);
  t.strictSame(await huge.json(), { detail: 'A board can have at most 1000 labels (MAX_BOARD_LABELS)' });
  t.strictSame(await readAll(t, attacked, victim), [], 'the victim is on no board of the attacker');

  const most = JSON.stringify({ ...DOCUMENT, members, labels: labels(1_000, CONTROL_CHARACTERS) });
  const planted: string[] = [];
  for (let n = 0; n < FULL_BOARDS; n += 1) {
    planted.push((await attacked.do<{ board: { id: string } }>('POST', '/boards/import', most)).board.id);
  }
  const damage = await attacked.suffer(t, () => Promise.all(Array.from({ length: 4 }, () => readPage(t, attacked, victim, ''))));
  t.strictSame(await readAll(t, attacked, victim), planted, 'page by page all of them are listed');
  await expectUnharmed(t, attacked, damage);
});

t.test('QUOTA19 boards from before the limits can be listed, left and deleted', { skip: WITHOUT_PEAK }, async (t) => {
  const dataDir = await temporaryFolder(t);
  const earlier = await ServiceProcess.start({ DATA_DIR: dataDir, MAX_BOARD_LABELS: '30000' });
  t.teardown(() => earlier.kill());
  const api = await Api.connect(earlier.url);
  const [attacker, victim] = await Promise.all([newUser(api), newUser(api)]);
  const members = [{ email: victim.email, role: 'member' }];
  const json = { ...DOCUMENT, members, labels: labels(30_000, 'x'.repeat(250)) };
  const planted: string[] = [];
  for (let n = 0; n < OLD_BOARDS; n += 1) {
    const { status, body } = await api.request<{ board: { id: string } }>('POST', '/boards/import', { token: attacker.token, json });
    t.equal(status, 201);
    planted.push(body.board.id);
  }
  await earlier.stop();

  const attacked = await AttackedService.start(t, { DATA_DIR: dataDir });
  const send = (method: string, path: string, user: TestUser) => attacked.send(method, path, undefined, user.token);
  const damage = await attacked.suffer(t, () => readPage(t, attacked, victim, ''));
  await expectUnharmed(t, attacked, damage);
  t.strictSame(await readAll(t, attacked, victim), planted);
  for (const id of planted.slice(1)) t.equal((await send('DELETE', `/boards/${id}/members/${victim.id}`, victim)).status, 204);
  t.strictSame(await readAll(t, attacked, victim), planted.slice(0, 1));
  const label = await attacked.send('POST', `/boards/${planted[0]}/labels`, { name: 'one more' }, victim.token);
  t.equal(label.status, 409);
  for (const id of planted) t.equal((await send('DELETE', `/boards/${id}`, attacker)).status, 204);
  t.strictSame(await readAll(t, attacked, victim), []);
});

t.test('QUOTA20 a member assigned to every card of a large board can leave without delaying others', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { attacker, bystander } = attacked;
  const cards = Array.from({ length: 5_000 }, () => ({ title: 'x', assignees: [attacker.email] }));
  const document = {
    ...DOCUMENT,
    members: [attacker, bystander].map(({ email }) => ({ email, role: 'owner' })),
    columns: [{ id: 'c', title: 'To do', cards }],
  };
  const { board: { id } } = await attacked.do<{ board: { id: string } }>('POST', '/boards/import', document);
  const damage = await attacked.suffer(t, async () => {
    t.equal((await attacked.send('DELETE', `/boards/${id}/members/${attacker.id}`)).status, 204);
  });
  const response = await attacked.send('GET', `/boards/${id}`, undefined, bystander.token);
  const board = (await response.json()) as { members: object[]; columns: { cards: { assignees: object[] }[] }[] };
  t.equal(board.members.length, 1);
  t.ok(board.columns[0]?.cards.every(({ assignees }) => assignees.length === 0), 'the assignments of the member are removed');
  await expectUnharmed(t, attacked, damage);
});
