/** Undo of what left the board or came onto it, also together with other changes by the same command. */
import t from 'tap';
import type { Uuid } from '../../src/domain/ids.js';
import { ann, ben, BOARD_ID, Scenario } from './scenario.js';
import { thereAndBack, undo } from './undoing.js';

const HOME = { column_id: null, position: null };

function setUp() {
  const scenario = Scenario.withBoard();
  const todo = scenario.addColumn('To do');
  const done = scenario.must(ann, 'column.create', BOARD_ID, { title: 'Done', color: '#fff', is_done_column: true, position: null }).id;
  const [card, other] = [scenario.addCard(todo, 'Write'), scenario.addCard(todo, 'Read')];
  const [label, more] = [scenario.addLabel('urgent'), scenario.addLabel('soon')];
  const checklist = scenario.addChecklist(card, 'Steps');
  const item = scenario.addItem(checklist, 'One');
  for (const id of [card, other]) scenario.must(ann, 'card.addLabel', id, { label_id: label });
  scenario.must(ann, 'card.addLabel', card, { label_id: more });
  return { scenario, todo, done, card, other, label, more, checklist, item };
}

function restoreFromTrash(scenario: Scenario, id: Uuid, user = ann): void {
  scenario.must(user, 'trash.restore', BOARD_ID, { entry_id: id, column_id: null });
}

t.test('UNDO1 what others did since with a new thing is not taken away with it', async (t) => {
  const { scenario, todo, card } = setUp();
  const file = 'b0a2db0a-2d00-4000-8000-f00000000001';
  scenario.must(ben, 'attachment.create', card, { id: file, name: 'file', mime_type: 'image/png', size: 3 });
  scenario.must(ann, 'card.update', card, { cover: { attachment_id: file } });
  t.match(undo(scenario, ben).error, { code: 'conflict', detail: /used since/ });
  scenario.must(ann, 'card.update', card, { cover: null });
  t.equal(undo(scenario, ben).error, null, 'used no longer');

  const { id: label } = scenario.must(ben, 'label.create', BOARD_ID, { name: 'new', color: 'red' });
  scenario.must(ann, 'card.addLabel', card, { label_id: label });
  scenario.must(ann, 'card.archive', card, {});
  t.match(undo(scenario, ben).error, { code: 'conflict', detail: 'It has been used since: ann changed "Write"' });
  scenario.must(ann, 'card.restore', card, HOME);
  scenario.must(ann, 'card.removeLabel', card, { label_id: label });
  scenario.must(ann, 'card.archive', card, {});
  t.equal(undo(scenario, ben).error, null);

  const { id: column } = scenario.must(ben, 'column.create', BOARD_ID, { title: 'New', color: '#fff', is_done_column: false, position: null });
  const there = scenario.addCard(column, 'By Ann');
  t.match(undo(scenario, ben).error, { code: 'conflict', detail: 'It has been used since: ann changed "By Ann"' });
  scenario.must(ann, 'card.archive', there, {});
  t.match(undo(scenario, ben).error, { code: 'conflict', detail: /used since/ });
  scenario.must(ann, 'card.restore', there, { column_id: todo, position: null });
  t.equal(undo(scenario, ben).error, null);
});

t.test('UNDO1 a restore from the trash is taken back with everything that came, unless it was used since', async (t) => {
  const { scenario, todo, card, other, label, checklist, item } = setUp();
  for (const [kind, id] of [
    ['column', todo],
    ['card', card],
    ['checklist', checklist],
    ['label', label],
  ] as const) {
    scenario.must(ann, `${kind}.delete`, id, {});
    thereAndBack(t, scenario, ann, () => restoreFromTrash(scenario, id));
  }
  const uses: ReadonlyArray<readonly [Uuid, () => unknown]> = [
    [todo, () => scenario.must(ben, 'card.update', other, { title: 'By Ben' })],
    [todo, () => scenario.must(ben, 'item.update', item, { is_done: true })],
    [checklist, () => scenario.must(ben, 'item.update', item, { content: 'By Ben' })],
  ];
  for (const [id, use] of uses) {
    scenario.must(ann, id === todo ? 'column.delete' : 'checklist.delete', id, {});
    restoreFromTrash(scenario, id);
    use();
    t.match(undo(scenario, ann).error, { code: 'conflict', detail: /ben changed/ });
    t.equal(undo(scenario, ben).error, null);
    t.equal(undo(scenario, ann).error, null, 'and that was taken back');
    restoreFromTrash(scenario, id);
  }
});
