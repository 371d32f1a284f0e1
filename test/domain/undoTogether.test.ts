/** Undo of what left the board or came onto it, also together with other changes by the same command. */
import t, { type Test } from 'tap';
import type { BatchOperation, BatchStep, BoardCommands } from '../../src/domain/commands/commands.js';
import type { FactDetails } from '../../src/domain/board/activity/facts.js';
import type { EventType } from '../../src/domain/events.js';
import type { Uuid } from '../../src/domain/ids.js';
import type { MemoryActivity } from '../support/board/memoryActivity.js';
import { ann, ben, BOARD_ID, idleRule, Scenario, type Result } from './scenario.js';
import { thereAndBack, undo, wholeOf } from './undoing.js';

type Change = { [Op in BatchOperation]: readonly [op: Op, target: Uuid, input: BoardCommands[Op]] }[BatchOperation];

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

function batch(scenario: Scenario, changes: readonly Change[], user = ann): Result {
  const operations = changes.map(([op, target, input]) => ({ op, target, input, status: 200, id: null }) as BatchStep);
  return scenario.ask(user, 'board.batch', BOARD_ID, { operations });
}

function mustBatch(scenario: Scenario, changes: readonly Change[]): void {
  const { error } = batch(scenario, changes);
  if (error !== null) throw new Error(error.detail);
}

/** Undone, redone and undone again: the archive and the trash are as before, too. */
function thereAndBackAgain(t: Test, scenario: Scenario, change: () => unknown): void {
  const before = wholeOf(scenario);
  thereAndBack(t, scenario, ann, change);
  t.equal(undo(scenario, ann, scenario.state.seq).error, null);
  t.strictSame(wholeOf(scenario), before, 'undone again');
}

function restoreFromTrash(scenario: Scenario, id: Uuid, user = ann): void {
  scenario.must(user, 'trash.restore', BOARD_ID, { entry_id: id, column_id: null });
}

t.test('UNDO1 what came onto the board with a command is taken back with all that the command did to it', async (t) => {
  const { scenario, todo, done, card, other, label, item } = setUp();
  const third = scenario.addColumn('Third');
  const whenMoved = { ...idleRule, trigger_type: 'CARD_MOVED', trigger_column_id: third } as const;
  scenario.must(ann, 'rule.create', BOARD_ID, whenMoved);
  scenario.must(ann, 'column.archive', todo, {});
  const changes: ReadonlyArray<readonly Change[]> = [
    [['card.update', card, { description: 'New', title: 'Print' }]],
    [['card.move', card, { column_id: done, position: 0 }]],
    [['card.move', card, { column_id: third, position: 0 }]],
    [['card.removeLabel', other, { label_id: label }]],
    [['card.assign', card, { user_ids: [ann.id, ben.id] }]],
    [['item.update', item, { content: 'First', is_done: true }]],
    [['card.delete', card, {}]],
    [
      ['card.update', card, { title: 'Print' }],
      ['card.move', card, { column_id: done, position: 0 }],
      ['card.archive', card, {}],
    ],
  ];
  for (const further of changes)
    thereAndBackAgain(t, scenario, () => mustBatch(scenario, [['column.restore', todo, { position: null }], ...further]));
  scenario.must(ann, 'column.restore', todo, { position: null });
  scenario.must(ann, 'card.archive', card, {});
  thereAndBackAgain(t, scenario, () =>
    mustBatch(scenario, [
      ['card.restore', card, HOME],
      ['item.update', item, { content: 'First' }],
      ['card.update', card, { title: 'Print' }],
    ]),
  );
  const { facts } = batch(scenario, [
    ['card.restore', card, HOME],
    ['card.update', card, { title: 'Print' }],
  ]).decision.activity ?? { facts: [] };
  t.match(JSON.parse(facts[1]?.json ?? ''), { before: { title: 'Write' }, after: { title: 'Print' } });
});

t.test('UNDO1 a restore from the trash to the archive goes back to the trash', async (t) => {
  const { scenario, todo, card } = setUp();
  for (const [kind, id] of [
    ['card', card],
    ['column', todo],
  ] as const) {
    const onBoard = wholeOf(scenario);
    scenario.must(ann, `${kind}.archive`, id, {});
    thereAndBack(t, scenario, ann, () => scenario.must(ann, `${kind}.delete`, id, {}));
    thereAndBack(t, scenario, ann, () => restoreFromTrash(scenario, id));
    t.equal(scenario.ask(ann, `${kind}.restore`, id, kind === 'card' ? HOME : ({ position: null } as never)).error, null);
    t.strictSame(wholeOf(scenario), onBoard);
  }
});

t.test('UNDO1 a restore to another place is taken back with the place and the completion that were in the archive', async (t) => {
  const { scenario, todo, done, card } = setUp();
  const onBoard = wholeOf(scenario);
  scenario.must(ann, 'card.archive', card, {});
  thereAndBack(t, scenario, ann, () => scenario.must(ann, 'card.restore', card, { column_id: done, position: null }));
  t.equal(undo(scenario, ann, scenario.state.seq).error, null);
  t.match(scenario.state.archive.find(card), { column_id: todo, content: { card: { column_id: todo, completed_at: null } } });
  scenario.must(ann, 'card.restore', card, HOME);
  t.strictSame(wholeOf(scenario), onBoard);
  scenario.must(ann, 'column.archive', todo, {});
  thereAndBack(t, scenario, ann, () => scenario.must(ann, 'column.restore', todo, { position: 1 }));
  t.equal(undo(scenario, ann, scenario.state.seq).error, null);
  scenario.must(ann, 'column.restore', todo, { position: null });
  t.strictSame(wholeOf(scenario), onBoard);
});

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

t.test('UNDO1 what an older program did not say of a change is no reason to take back a part of it', async (t) => {
  const { scenario, todo, done, card, label } = setUp();
  const activity = scenario.state.activity as MemoryActivity;
  const created = ({ id, name = '' }: FactDetails): FactDetails => ({ id, name, after: { title: name, column_id: todo } });
  const refused = (kind: EventType, change: () => unknown): void => {
    change();
    activity.rewrite(kind, created);
    const after = wholeOf(scenario);
    t.match(undo(scenario, ann).error, { code: 'conflict', detail: /^It is not known/ });
    t.strictSame(wholeOf(scenario), after);
  };
  refused('card.updated', () => scenario.must(ann, 'card.update', card, { title: 'Print' }));
  refused('card.moved', () => scenario.must(ann, 'card.move', card, { column_id: done, position: 0 }));
  refused('card.unlabeled', () => scenario.must(ann, 'card.removeLabel', card, { label_id: label }));
  scenario.must(ann, 'card.archive', card, {});
  refused('card.restored', () => scenario.must(ann, 'card.restore', card, { column_id: todo, position: 0 }));

  const bare = ({ id, name = '' }: FactDetails): FactDetails => ({ id, name });
  const before = wholeOf(scenario);
  scenario.must(ann, 'card.archive', card, {});
  activity.rewrite('card.archived', bare);
  t.equal(undo(scenario, ann).error, null, 'it was archived then');
  t.strictSame(wholeOf(scenario), before);
  scenario.must(ann, 'card.archive', card, {});
  scenario.must(ann, 'card.delete', card, {});
  restoreFromTrash(scenario, card);
  activity.rewrite('card.archived', bare);
  t.match(undo(scenario, ann).error, { code: 'conflict', detail: /^It is not known/ }, 'it came from the trash');
});
