import t from 'tap';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';

/** With the items below they fill an import. */
const CARDS = IS_LONG_FORM ? 39_000 : 12_000;
const CHECKLISTS = 20;
const ITEMS = 500;

interface Board {
  readonly labels: ReadonlyArray<{ readonly id: string }>;
  readonly columns: ReadonlyArray<{ readonly id: string; readonly cards: ReadonlyArray<{ readonly id: string; readonly labels: object[] }> }>;
}

t.test('HOSTILE3 deleting a label, a card and a column that fill a board does not delay a bystander', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const items = Array.from({ length: ITEMS }, () => ({ content: 'Do it' }));
  const checklists = Array.from({ length: CHECKLISTS }, () => ({ title: 'Steps', items }));
  const document = {
    format: 'switchboard-board',
    version: 1,
    title: 'Full',
    labels: [{ id: 'a', name: 'Everywhere' }],
    columns: [
      { id: 'c', title: 'All', cards: Array.from({ length: CARDS }, (_, n) => ({ title: `Card ${n}`, labels: ['a'] })) },
      { id: 'd', title: 'One', cards: [{ title: 'With everything', checklists }] },
    ],
  };
  const {
    board: { id },
  } = await attacked.do<{ board: { id: string } }>('POST', '/boards/import', document);
  const before = await attacked.do<Board>('GET', `/boards/${id}`);
  const [label, all, one] = [before.labels[0]?.id, before.columns[0]?.id, before.columns[1]?.cards[0]?.id];

  for (const path of [`/labels/${label}`, `/cards/${one}`, `/columns/${all}`]) {
    const damage = await attacked.suffer(t, async () => {
      t.equal((await attacked.send('DELETE', path)).status, 204, path);
      // The rest of the deletion is removed before the board answers again.
      await attacked.do('GET', `/boards/${id}/labels`);
    });
    await expectUnharmed(t, attacked, damage);
  }
  const after = await attacked.do<Board>('GET', `/boards/${id}`);
  t.strictSame(after.labels, []);
  t.strictSame(
    after.columns.map(({ cards }) => cards.length),
    [0],
  );
});
