import t from 'tap';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { DOCUMENT, labels, readAllPages, readPage } from '../support/hostile/fullBoards.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { Api } from '../support/http/api.js';
import { newUser, type TestUser } from '../support/http/users.js';
import { ServiceProcess } from '../support/service/serviceProcess.js';
import { temporaryFolder } from '../support/store/folder.js';

/** From before the limits. */
const OLD_BOARDS = IS_LONG_FORM ? 8 : 3;

// Creating boards of this size is slow on a slow machine.

t.test('QUOTA6 boards from before the limits can be listed, left and deleted', { skip: WITHOUT_PEAK }, async (t) => {
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
  t.strictSame(await readAllPages(t, attacked, victim), planted);
  for (const id of planted.slice(1)) t.equal((await send('DELETE', `/boards/${id}/members/${victim.id}`, victim)).status, 204);
  t.strictSame(await readAllPages(t, attacked, victim), planted.slice(0, 1));
  const label = await attacked.send('POST', `/boards/${planted[0]}/labels`, { name: 'one more' }, victim.token);
  t.equal(label.status, 409);
  for (const id of planted) t.equal((await send('DELETE', `/boards/${id}`, attacker)).status, 204);
  t.strictSame(await readAllPages(t, attacked, victim), []);
});
