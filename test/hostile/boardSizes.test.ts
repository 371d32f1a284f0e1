import t from 'tap';
import { AttackedService, expectUnharmed, IS_LONG_FORM } from '../support/hostile/attackedService.js';
import { DOCUMENT, labels, readAllPages, readPage } from '../support/hostile/fullBoards.js';
import { WITHOUT_PEAK } from '../support/hostile/processMemory.js';
import { newUser } from '../support/http/users.js';

/** More than fit into a page. */
const FULL_BOARDS = IS_LONG_FORM ? 20 : 9;
/** Each takes six bytes of JSON. */
const CONTROL_CHARACTERS = '\u0001'.repeat(255);

// Creating boards of this size is slow on a slow machine.

t.test('QUOTA16 boards full of labels do not prevent a user who was invited to them from listing boards', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const victim = await newUser(attacked.api);
  const members = [{ email: victim.email, role: 'member' }];
  const huge = await attacked.send('POST', '/boards/import', { ...DOCUMENT, members, labels: labels(30_000, 'x'.repeat(250)) });
  t.equal(huge.status, 409);
  t.strictSame(await huge.json(), { detail: 'A board can have at most 1000 labels (MAX_BOARD_LABELS)' });
  t.strictSame(await readAllPages(t, attacked, victim), [], 'the victim is on no board of the attacker');

  const most = JSON.stringify({ ...DOCUMENT, members, labels: labels(1_000, CONTROL_CHARACTERS) });
  const planted: string[] = [];
  for (let n = 0; n < FULL_BOARDS; n += 1) {
    planted.push((await attacked.do<{ board: { id: string } }>('POST', '/boards/import', most)).board.id);
  }
  const damage = await attacked.suffer(t, () => Promise.all(Array.from({ length: 4 }, () => readPage(t, attacked, victim, ''))));
  t.strictSame(await readAllPages(t, attacked, victim), planted, 'page by page all of them are listed');
  await expectUnharmed(t, attacked, damage);
});

t.test('MEMBER4 a member assigned to every card of a large board can leave without delaying others', { skip: WITHOUT_PEAK }, async (t) => {
  const attacked = await AttackedService.start(t);
  const { attacker, bystander } = attacked;
  const cards = Array.from({ length: 5_000 }, () => ({ title: 'x', assignees: [attacker.email] }));
  const document = {
    ...DOCUMENT,
    members: [attacker, bystander].map(({ email }) => ({ email, role: 'owner' })),
    columns: [{ id: 'c', title: 'To do', cards }],
  };
  const {
    board: { id },
  } = await attacked.do<{ board: { id: string } }>('POST', '/boards/import', document);
  const damage = await attacked.suffer(t, async () => {
    t.equal((await attacked.send('DELETE', `/boards/${id}/members/${attacker.id}`)).status, 204);
  });
  const response = await attacked.send('GET', `/boards/${id}`, undefined, bystander.token);
  const board = (await response.json()) as { members: object[]; columns: { cards: { assignees: object[] }[] }[] };
  t.equal(board.members.length, 1);
  t.ok(
    board.columns[0]?.cards.every(({ assignees }) => assignees.length === 0),
    'the assignments of the member are removed',
  );
  await expectUnharmed(t, attacked, damage);
});
