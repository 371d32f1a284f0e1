/** Clients that ask for much and read nothing. */
import t from 'tap';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { importLargeBoard } from '../support/hostile/largeBoard.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { SilentClient } from '../support/hostile/silentClient.js';
import { rawRequest } from '../support/rawRequest.js';

/** How long the unread answers are left to do harm: every one of them is asked for and made by then. */
const UNREAD_MS = 2_000;

t.test('HOSTILE20 four hundred unread answers of a large board leave from one buffer', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const board = await importLargeBoard(attacked);
  const whole = Buffer.from(await (await attacked.send('GET', `/boards/${board.id}`)).arrayBuffer());
  t.ok(whole.length > 10_000_000, `the board has ${whole.length} bytes`);
  const request = rawRequest(`GET /boards/${board.id}`, [`Authorization: Bearer ${attacked.attacker.token}`]);
  let clients: SilentClient[] = [];
  t.teardown(() => clients.forEach((client) => client.close()));
  const damage = await attacked.suffer(t, async () => {
    clients = await SilentClient.openAll(attacked.url, 400);
    await Promise.all(clients.map((client) => client.send(request)));
    await new Promise((resolve) => setTimeout(resolve, UNREAD_MS));
  });
  await expectUnharmed(t, attacked, damage);
  const late = await Promise.all(clients.slice(0, 10).map((client) => client.read(whole.length)));
  for (const body of late) t.ok(body.equals(whole), 'whoever reads after all gets all of it');
});
