/** Undo of what left the board or came onto it, also together with other changes by the same command. */
import fc from 'fast-check';
import { deepStrictEqual } from 'node:assert/strict';
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

t.test('UNDO1 what is deleted or archived by the same command as other changes of it comes back, and goes again', async (t) => {
  const { scenario, todo, done, card, other, label, more, checklist } = setUp();
  const changes: ReadonlyArray<readonly Change[]> = [
    [
      ['card.move', card, { column_id: done, position: 0 }],
      ['column.delete', done, {}],
    ],
    [
      ['card.update', card, { title: 'Print' }],
      ['column.delete', todo, {}],
    ],
    [
      ['item.create', checklist, { content: 'Two' }],
      ['checklist.delete', checklist, {}],
    ],
    [
      ['card.assign', card, { user_ids: [ben.id] }],
      ['card.update', card, { title: 'Print' }],
      ['column.archive', todo, {}],
    ],
    [
      ['label.delete', label, {}],
      ['card.archive', card, {}],
    ],
    [
      ['card.archive', card, {}],
      ['label.delete', label, {}],
    ],
    [
      ['label.delete', label, {}],
      ['column.archive', todo, {}],
    ],
    [
      ['label.delete', label, {}],
      ['card.update', card, { title: 'Print' }],
      ['card.move', other, { column_id: done, position: 0 }],
      ['card.removeLabel', card, { label_id: more }],
    ],
    [
      ['card.archive', card, {}],
      ['card.delete', card, {}],
    ],
    [
      ['column.archive', todo, {}],
      ['column.delete', todo, {}],
    ],
    [
      ['card.archive', card, {}],
      ['card.restore', card, HOME],
    ],
    [
      ['card.archive', card, {}],
      ['label.delete', label, {}],
      ['card.restore', card, HOME],
    ],
    [
      ['card.archive', card, {}],
      ['card.restore', card, { column_id: done, position: 0 }],
      ['card.update', card, { title: 'Print' }],
    ],
    [
      ['column.archive', todo, {}],
      ['column.restore', todo, { position: 1 }],
      ['card.update', card, { title: 'Print' }],
    ],
  ];
  for (const change of changes) thereAndBackAgain(t, scenario, () => mustBatch(scenario, change));
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

/** Operations on what is on the board, in its archive, or was there before an earlier one of the same batch. */
function changesOf({ todo, done, card, other, label, more, checklist, item }: ReturnType<typeof setUp>): readonly Change[] {
  const everywhere = [todo, done].flatMap((column): Change[] => [
    ['column.archive', column, {}],
    ['column.restore', column, { position: null }],
    ['column.restore', column, { position: 0 }],
    ['column.delete', column, {}],
    ['column.update', column, { title: 'Renamed' }],
    ['column.move', column, { position: 1 }],
    ...[card, other].flatMap((id): Change[] => [
      ['card.move', id, { column_id: column, position: 0 }],
      ['card.restore', id, { column_id: column, position: 0 }],
    ]),
  ]);
  const onCards = [card, other].flatMap((id): Change[] => [
    ['card.archive', id, {}],
    ['card.archive', id, {}],
    ['card.restore', id, HOME],
    ['card.restore', id, HOME],
    ['card.delete', id, {}],
    ['card.update', id, { title: 'Changed', description: 'New' }],
    ['card.addLabel', id, { label_id: more }],
    ['card.removeLabel', id, { label_id: label }],
    ['card.assign', id, { user_ids: [ann.id, ben.id] }],
    ['card.unassign', id, { user_id: ben.id }],
  ]);
  return [
    ...everywhere,
    ...onCards,
    ['label.delete', label, {}],
    ['label.delete', more, {}],
    ['label.update', label, { name: 'later' }],
    ['checklist.delete', checklist, {}],
    ['checklist.update', checklist, { title: 'Stages' }],
    ['item.update', item, { content: 'First', is_done: true }],
    ['item.assign', item, { user_ids: [ann.id] }],
    ['item.delete', item, {}],
  ];
}

const picks = fc.array(fc.nat(), { minLength: 0, maxLength: 6 });

t.test('UNDO1 for random batches over the board, its archive and its trash: undone, redone and undone again', (t) => {
  let undone = 0;
  const property = fc.property(picks, picks, fc.boolean(), (first, second, isFromTrash) => {
    const made = setUp();
    const { scenario, card } = made;
    const changes = changesOf(made);
    // Those that are refused where they would come are left out.
    const play = (chosen: readonly number[]): readonly Change[] => {
      const accepted: Change[] = [];
      for (const pick of chosen) {
        const change = changes[pick % changes.length];
        if (change !== undefined && batch(scenario.copy('0'), [...accepted, change]).error === null) accepted.push(change);
      }
      return accepted;
    };
    const earlier = play(first);
    if (earlier.length > 0) mustBatch(scenario, earlier);
    const before = wholeOf(scenario);
    const isInTrash = scenario.state.trash.find(card) !== undefined;
    const later = isFromTrash && isInTrash ? [] : play(second);
    const { decision } =
      isFromTrash && isInTrash ? scenario.ask(ann, 'trash.restore', BOARD_ID, { entry_id: card, column_id: null }) : batch(scenario, later);
    if ((decision.activity?.facts ?? []).length === 0) return;
    const after = wholeOf(scenario);
    let seq = decision.activity?.first ?? 0;
    for (const expected of [before, after, before]) {
      const { error, body } = undo(scenario, ann, seq);
      deepStrictEqual(error, null, JSON.stringify([earlier, later]));
      deepStrictEqual(wholeOf(scenario), expected, JSON.stringify([earlier, later]));
      seq = (body as unknown as { seq: number }).seq;
      undone += 1;
    }
  });
  t.doesNotThrow(() => fc.assert(property, { numRuns: 200, seed: 1 }));
  t.ok(undone > 300, `${undone} were undone`);
  t.end();
});
