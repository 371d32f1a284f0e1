/** Changes that make large answers and large events. */
import t from 'tap';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { importLargeBoard } from '../support/hostile/largeBoard.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { SilentClient } from '../support/hostile/silentClient.js';
import { rawJsonRequest } from '../support/http/rawRequest.js';
import { until } from '../support/until.js';

const CHANGES = 20;
/** How long answers stay unread. */
const UNREAD_MS = 3_000;

t.test('HOSTILE3 twenty parallel changes of a column of 10 MB do not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { columnId, id } = await importLargeBoard(attacked);
  const read = await attacked.suffer(t, async () => {
    const sizes = await Promise.all(
      Array.from({ length: CHANGES }, async (_, n) => {
        const response = await attacked.send('PATCH', `/columns/${columnId}`, { title: `Title ${n}` });
        return (await response.arrayBuffer()).byteLength;
      }),
    );
    t.ok(
      sizes.every((size) => size > 10_000_000),
      'each answer is the whole column',
    );
  });
  await expectUnharmed(t, attacked, read);

  const authorization = `Authorization: Bearer ${attacked.attacker.token}`;
  const clients = await SilentClient.openAll(attacked.url, CHANGES);
  t.teardown(() => clients.forEach((client) => client.close()));
  const unread = await attacked.suffer(t, async () => {
    const request = (n: number): string => rawJsonRequest(`PATCH /columns/${columnId}`, { title: `Unread ${n}` }, [authorization]);
    await Promise.all(clients.map((client, n) => client.send(request(n))));
    await new Promise((resolve) => setTimeout(resolve, UNREAD_MS));
  });
  await expectUnharmed(t, attacked, unread);
  // Some changes still wait until earlier answers are read or their clients disconnect.
  clients.forEach((client) => client.close());
  const kept = (): Promise<{ resync: boolean; seq: number }> => attacked.do('GET', `/boards/${id}/events?since=0`);
  const events = await until(async () => {
    const page = await kept();
    return page.seq >= 2 * CHANGES && page;
  }, kept);
  t.match(events, { resync: true, seq: 2 * CHANGES }, 'every change was made, and the log kept none of the large texts');
});
