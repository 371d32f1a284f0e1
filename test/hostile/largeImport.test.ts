import t from 'tap';
import { AttackedService, expectUnharmed } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';

/** While the rows of a deleted board are swept. */
const SWEEPING_MS = 3_000;

t.test('HOSTILE3 importing and deleting a board of 49,000 cards does not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const cards = Array.from({ length: 49_000 }, (_, n) => ({ title: `Card ${n}`, labels: ['a'] }));
  const labels = [{ id: 'a', name: 'Label' }];
  const columns = [{ id: 'c', title: 'All', cards }];
  const body = JSON.stringify({ format: 'switchboard-board', version: 1, title: 'Large', labels, columns });
  let board = { id: '' };
  const damage = await attacked.suffer(t, async () => {
    const imported = await attacked.do<{ board: { id: string }; imported: { cards: number } }>('POST', '/boards/import', body);
    t.equal(imported.imported.cards, 49_000);
    board = imported.board;
  });
  await expectUnharmed(t, attacked, damage);
  t.match(await attacked.do('GET', `/boards/${board.id}/labels/stats`), [{ card_count: 49_000 }], 'it is all there');

  const deletion = await attacked.suffer(t, async () => {
    await attacked.do('DELETE', `/boards/${board.id}`);
    await new Promise((resolve) => setTimeout(resolve, SWEEPING_MS));
  });
  await expectUnharmed(t, attacked, deletion);
  t.equal((await attacked.send('GET', `/boards/${board.id}`)).status, 404);
});
