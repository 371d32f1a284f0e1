import t, { type Test } from 'tap';
import type { BoardCommands, StagedCopy } from '../../src/domain/commands/commands.js';
import type { Uuid } from '../../src/domain/ids.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { crowdedBoard } from './fullBoard.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, Scenario, UNKNOWN_ID, type Result } from './scenario.js';

const FILE = 'b0a2db0a-2d00-4000-8000-f00000000001';
const STAGED: StagedCopy = { from: FILE, to: 'b0a2db0a-2d00-4000-8000-f00000000002' };

interface Full {
  readonly scenario: Scenario;
  readonly todo: Uuid;
  readonly done: Uuid;
  readonly card: Uuid;
}

/** A column with a card that has everything. */
function setUp(): Full {
  const scenario = Scenario.withBoard();
  const [todo, done] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  scenario.must(ann, 'column.update', done, { is_done_column: true });
  const card = scenario.addCard(todo, 'Write');
  scenario.must(ann, 'card.update', card, { description: 'A text', due_at: '2030-02-01', reminder_minutes: 60 });
  scenario.must(ann, 'card.addLabel', card, { label_id: scenario.addLabel('urgent') });
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  const checklist = scenario.addChecklist(card, 'Steps');
  const item = scenario.addItem(checklist, 'One');
  scenario.addItem(checklist, 'Two');
  scenario.must(ann, 'item.update', item, { is_done: true });
  scenario.must(ann, 'item.assign', item, { user_ids: [ann.id] });
  scenario.must(ann, 'attachment.create', card, { id: FILE, name: 'plan.png', mime_type: 'image/png', size: 3 });
  scenario.must(ann, 'attachment.link', card, { url: 'https://example.org/', title: 'A page' });
  scenario.must(ann, 'card.update', card, { cover: { attachment_id: FILE } });
  scenario.must(ben, 'comment.create', card, { body: 'First' });
  scenario.must(ann, 'comment.create', card, { body: 'Second' });
  return { scenario, todo, done, card };
}

const BARE: BoardCommands['card.copy'] = { column_id: null, position: null, comments: false, files: null };

function copyCard(scenario: Scenario, card: Uuid, wanted: Partial<BoardCommands['card.copy']> = {}, user = ben): Result {
  return scenario.ask(user, 'card.copy', card, { ...BARE, ...wanted });
}

t.test('COPY1 the copy of a card has what is on it, with fresh ids and a number, and one event shows all of it', async (t) => {
  const { scenario, card } = setUp();
  const original = scenario.must(ann, 'card.get', card, {}) as unknown as { number: number };
  const { body, eventTypes, events, decision } = copyCard(scenario, card);
  like(t, body, {
    title: 'Write',
    description: 'A text',
    due_at: '2030-02-01',
    reminder_minutes: 60,
    cover: null,
    comment_count: 0,
    number: original.number + 1,
    created_by: ben.id,
    labels: [{ name: 'urgent' }],
    assignees: [{ id: ben.id }],
    checklists: [
      {
        title: 'Steps',
        items: [
          { content: 'One', is_done: true, assignees: [{ id: ann.id }] },
          { content: 'Two', is_done: false },
        ],
      },
    ],
    attachments: [],
  });
  t.strictSame(eventTypes, ['card.created']);
  t.strictSame(events[0]?.data, body);
  t.notOk(JSON.stringify(body).includes(card), 'nothing refers to the original');
  t.match(decision.notifications, [{ kind: 'assigned', user_id: ann.id }], 'who is assigned by someone else is told');
  t.equal(decision.notifications.length, 1);
  t.strictSame(scenario.must(ann, 'card.get', card, {}), original, 'the original is as it was');
});

t.test('COPY1 comments stay their authors’, and files come with the cover', async (t) => {
  const { scenario, card } = setUp();
  like(t, scenario.must(ben, 'card.beginCopy', card, {}), [{ id: FILE, size: 3 }]);
  const copy = copyCard(scenario, card, { comments: true, files: [STAGED, { from: UNKNOWN_ID, to: 'b0a2db0a-2d00-4000-8000-f00000000003' }] });
  like(t, copy.body, {
    comment_count: 2,
    cover: { attachment_id: STAGED.to },
    attachments: [
      { id: STAGED.to, name: 'plan.png', size: 3 },
      { name: 'A page', url: 'https://example.org/' },
    ],
  });
  like(t, scenario.must(ann, 'comment.list', copy.body?.id ?? '', { before: null, limit: 50 }), {
    comments: [
      { body: 'Second', author: { id: ann.id } },
      { body: 'First', author: { id: ben.id } },
    ],
  });
  t.match(copyCard(scenario, card, { files: [STAGED] }).error, { code: 'unavailable' }, 'an id that something has is no new file');
});

t.test('COPY1 a copy goes to the given column and place, and is completed by a done column', async (t) => {
  const { scenario, todo, done, card } = setUp();
  scenario.addCard(todo, 'Last');
  const first = copyCard(scenario, card, { position: 0 }).body;
  const cards = (): readonly Uuid[] => scenario.full.columns[0]?.cards.map(({ id }) => id) ?? [];
  t.equal(cards()[0], first?.id);
  t.equal(copyCard(scenario, card).body?.id, cards().at(-1), 'without a place it goes last');
  like(t, copyCard(scenario, card, { column_id: done }).body, { column_id: done, completed_at: /Z$/ });
  t.match(copyCard(scenario, card, { column_id: UNKNOWN_ID }).error, { code: 'not_found' });
});

t.test('COPY1 a column is copied with its cards in order, without their comments and files', async (t) => {
  const { scenario, todo } = setUp();
  scenario.addCard(todo, 'Last');
  const { body, eventTypes, events } = scenario.ask(ben, 'column.copy', todo, { position: 1 });
  like(t, body, {
    title: 'To do',
    cards: [
      { title: 'Write', number: 3, comment_count: 0, attachments: [], checklists: [{}] },
      { title: 'Last', number: 4 },
    ],
  });
  t.strictSame(eventTypes, ['column.created']);
  t.strictSame(events[0]?.data, body);
  t.strictSame(
    scenario.full.columns.map(({ title }) => title),
    ['To do', 'To do', 'Done'],
  );
});

t.test('COPY1 undo takes a copy away, unless somebody has worked on it since', async (t) => {
  const { scenario, todo, card } = setUp();
  const undo = (): Result => scenario.ask(ben, 'board.undo', BOARD_ID, { seq: null });
  for (const make of [() => copyCard(scenario, card), () => scenario.ask(ben, 'column.copy', todo, { position: null })]) {
    const before = scenario.full.columns;
    t.equal(make().error, null);
    t.equal(undo().error, null);
    t.strictSame(scenario.full.columns, before);
  }
  const used = scenario.ask(ben, 'column.copy', todo, { position: null });
  const [first] = (used.body as unknown as { cards: Array<{ id: Uuid }> }).cards;
  scenario.must(ann, 'comment.create', first?.id ?? '', { body: 'Mine' });
  t.match(undo().error, { code: 'conflict' });
});

t.test('COPY1 what is too much at once is refused with the bound, and so is what the board has no room for', async (t) => {
  const refused = (t: Test, { error, decision }: Result, detail: RegExp): void => {
    like(t, error, { code: 'limit', detail });
    t.strictSame(decision.changes, []);
  };
  const { scenario, card } = setUp();
  scenario.limits = { ...DEFAULT_LIMITS, attachmentBytes: 5 };
  refused(t, scenario.ask(ben, 'card.beginCopy', card, {}), /MAX_BOARD_ATTACHMENT_BYTES/);
  refused(t, copyCard(scenario, card, { files: [STAGED] }), /MAX_BOARD_ATTACHMENT_BYTES/);
  t.equal(copyCard(scenario, card).error, null);
  scenario.limits = { ...DEFAULT_LIMITS, cards: scenario.full.columns.flatMap(({ cards }) => cards).length };
  refused(t, copyCard(scenario, card), /MAX_BOARD_CARDS/);
});

t.test('COPY1 records and texts of one copy are bounded', async (t) => {
  for (const [cards, description, bound] of [
    // With the checklist of the first card.
    [249, null, null],
    [250, null, /250 cards/],
    [9, 'x'.repeat(65_536), /524288 bytes/],
  ] as const) {
    const board = crowdedBoard({ columns: 1, cards, items: 0 });
    const card = board.entities.card.map((each) => ({ ...each, description }));
    const scenario = Scenario.loaded({ ...board, entities: { ...board.entities, card } });
    const [column] = scenario.full.columns;
    const { error } = scenario.ask(ann, 'column.copy', column?.id ?? '', { position: null });
    if (bound === null) t.equal(error, null);
    else like(t, error, { code: 'limit', detail: bound });
  }
});

t.test('COPY1 what is in the archive is not copied, and people who cannot be assigned any more are left out', async (t) => {
  const { scenario, card } = setUp();
  scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role: 'viewer' });
  like(t, copyCard(scenario, card, {}, ann).body, { assignees: [], checklists: [{ items: [{ assignees: [{ id: ann.id }] }, {}] }] });
  t.match(copyCard(scenario, card).error, { code: 'forbidden' });
  t.match(scenario.ask(cleo, 'card.copy', card, BARE).error, { code: 'forbidden' });
  scenario.must(ann, 'card.archive', card, {});
  for (const op of ['card.copy', 'card.beginCopy'] as const)
    t.match(scenario.ask(ann, op, card, op === 'card.copy' ? BARE : {}).error, { code: 'conflict' });
});
