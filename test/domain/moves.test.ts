/** The steps of a card's move to another board, and what is refused meanwhile. The other board is a second scenario. */
import t from 'tap';
import { MAX_LEAVING } from '../../src/domain/board/moves/movesOnDisk.js';
import { HOUR_MS } from '../../src/domain/content/time.js';
import type { CardOnItsWay } from '../../src/domain/commands/commands.js';
import type { Uuid } from '../../src/domain/ids.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, Scenario, UNKNOWN_ID, type Result } from './scenario.js';

const NEW_ID = 'b0a2db0a-2d00-4000-8000-e00000000001';
const OTHER_BOARD = 'c0ffee00-2d00-4000-8000-e00000000002';
const REFUSAL = { code: 'forbidden', detail: 'No' } as const;

interface Leaving {
  readonly scenario: Scenario;
  readonly todo: Uuid;
  readonly done: Uuid;
  readonly card: Uuid;
  readonly other: Uuid;
}

/** A card that has everything, on its way. */
function setUp(): Leaving {
  const scenario = Scenario.withBoard();
  const [todo, done] = [scenario.addColumn('To do'), scenario.addColumn('Done')];
  const [card, other] = [scenario.addCard(todo, 'Write'), scenario.addCard(todo, 'Other')];
  // Alike: one of them arrives.
  for (const name of ['urgent', 'urgent']) scenario.must(ann, 'card.addLabel', card, { label_id: scenario.addLabel(name) });
  scenario.must(ann, 'card.assign', card, { user_ids: [ben.id] });
  scenario.must(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: cleo });
  const checklist = scenario.addChecklist(card, 'Steps');
  scenario.must(ann, 'item.assign', scenario.addItem(checklist, 'One'), { user_ids: [cleo.id] });
  scenario.must(ann, 'attachment.link', card, { url: 'https://example.org/', title: 'A page' });
  scenario.must(cleo, 'comment.create', card, { body: 'For @ben and @cleo' });
  return { scenario, todo, done, card, other };
}

function moveOut(scenario: Scenario, card: Uuid, new_id = NEW_ID): Result {
  return scenario.ask(ann, 'move.out', card, { new_id, target_board_id: OTHER_BOARD, column_id: UNKNOWN_ID, position: null });
}

function onItsWay(scenario: Scenario, card: Uuid): CardOnItsWay {
  return scenario.askAs('system', 'move.read', card, {}).body as unknown as CardOnItsWay;
}

/** Everything that would change the card or something on it. */
function changesOf({ scenario, todo, done, card }: Leaving): ReadonlyArray<readonly [name: string, ask: () => Result]> {
  const { checklists, attachments, labels } = scenario.must(ann, 'card.get', card, {}) as unknown as {
    readonly checklists: ReadonlyArray<{ readonly id: Uuid; readonly items: ReadonlyArray<{ readonly id: Uuid }> }>;
    readonly attachments: ReadonlyArray<{ readonly id: Uuid }>;
    readonly labels: ReadonlyArray<{ readonly id: Uuid }>;
  };
  const [checklist = '', item = '', file = '', label = ''] = [checklists[0]?.id, checklists[0]?.items[0]?.id, attachments[0]?.id, labels[0]?.id];
  const { comments } = scenario.must(ann, 'comment.list', card, { before: null, limit: 1 }) as unknown as { comments: [{ id: Uuid }] };
  const [{ id: comment }] = comments;
  const step = { op: 'card.update', target: card, input: { title: 'New' }, status: 200, id: null } as const;
  return [
    ['card.update', () => scenario.ask(ann, 'card.update', card, { title: 'New' })],
    ['card.move', () => scenario.ask(ann, 'card.move', card, { column_id: done, position: null })],
    ['card.move in its column', () => scenario.ask(ann, 'card.move', card, { column_id: null, position: 1 })],
    ['card.delete', () => scenario.ask(ann, 'card.delete', card, {})],
    ['card.archive', () => scenario.ask(ann, 'card.archive', card, {})],
    ['card.assign', () => scenario.ask(ann, 'card.assign', card, { user_ids: [ann.id] })],
    ['card.removeLabel', () => scenario.ask(ann, 'card.removeLabel', card, { label_id: label })],
    ['checklist.create', () => scenario.ask(ann, 'checklist.create', card, { title: 'More' })],
    ['checklist.update', () => scenario.ask(ann, 'checklist.update', checklist, { title: 'New' })],
    ['checklist.delete', () => scenario.ask(ann, 'checklist.delete', checklist, {})],
    ['item.create', () => scenario.ask(ann, 'item.create', checklist, { content: 'More', due_at: null })],
    ['item.update', () => scenario.ask(ann, 'item.update', item, { is_done: true })],
    ['item.unassign', () => scenario.ask(ann, 'item.unassign', item, { user_id: cleo.id })],
    ['item.delete', () => scenario.ask(ann, 'item.delete', item, {})],
    ['attachment.link', () => scenario.ask(ann, 'attachment.link', card, { url: 'https://example.org/2', title: null })],
    ['attachment.delete', () => scenario.ask(ann, 'attachment.delete', file, {})],
    ['comment.create', () => scenario.ask(ann, 'comment.create', card, { body: 'More' })],
    ['comment.update', () => scenario.ask(cleo, 'comment.update', comment, { body: 'New' })],
    ['comment.delete', () => scenario.ask(cleo, 'comment.delete', comment, {})],
    ['column.delete', () => scenario.ask(ann, 'column.delete', todo, {})],
    ['column.archive', () => scenario.ask(ann, 'column.archive', todo, {})],
    ['board.undo', () => scenario.ask(cleo, 'board.undo', BOARD_ID, { seq: null })],
    ['board.batch', () => scenario.ask(ann, 'board.batch', BOARD_ID, { operations: [step] })],
    ['move.beginOut', () => scenario.ask(ann, 'move.beginOut', card, {})],
    ['move.out', () => moveOut(scenario, card)],
  ];
}

t.test('MOVE2 nothing changes a card that is on its way, or what is on it, by whatever command', async (t) => {
  const leaving = setUp();
  const { scenario, todo, card, other } = leaving;
  const changes = changesOf(leaving);
  const before = scenario.must(ann, 'card.get', card, {});
  like(t, moveOut(scenario, card).body, { new_id: NEW_ID });
  for (const [name, ask] of changes) t.match(ask().error, { code: 'conflict', detail: 'The card is being moved to another board' }, name);
  t.strictSame(scenario.must(ann, 'card.get', card, {}), before, 'it can be read');
  for (const position of [0, 1, 0]) scenario.must(ann, 'card.move', other, { column_id: null, position });
  scenario.must(ann, 'card.update', other, { title: 'Others go on' });
  scenario.must(ann, 'column.update', todo, { title: 'Next' });
  scenario.must(ann, 'watch.card', card, {});
  scenario.must(ann, 'card.copy', card, { column_id: null, position: null, comments: false, files: null });
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: cleo.id });
  const labels = scenario.must(ann, 'label.list', BOARD_ID, {}) as unknown as Array<{ id: Uuid }>;
  for (const { id } of labels) scenario.must(ann, 'label.delete', id, {});
  t.match(scenario.must(ann, 'card.get', card, {}), { labels: [] }, 'labels and members can go');
});

t.test('MOVE2 the lock of a card stands when its large column goes at once, and ends with the board', async (t) => {
  const { scenario, todo, card } = setUp();
  for (let index = 0; index < 300; index += 1) scenario.addCard(todo, `Card ${index}`);
  moveOut(scenario, card);
  t.match(scenario.ask(ann, 'column.delete', todo, {}).error, { code: 'conflict' });
  t.equal(scenario.ask(ann, 'board.delete', BOARD_ID, {}).error, null);
});

t.test('MOVE2 few cards of a board are on their way at once', async (t) => {
  const { scenario, todo } = setUp();
  const cards = Array.from({ length: MAX_LEAVING + 1 }, (_, index) => scenario.addCard(todo, String(index)));
  const errors = cards.map((card, index) => moveOut(scenario, card, `${NEW_ID.slice(0, -2)}${index + 10}`).error?.code ?? null);
  t.strictSame(errors, [...Array.from({ length: MAX_LEAVING }, () => null), 'limit']);
});

t.test('MOVE2 a refused card is free again, and can go later', async (t) => {
  const { scenario, card } = setUp();
  moveOut(scenario, card);
  const end = (new_id: Uuid, refusal: typeof REFUSAL | null): Result => scenario.askAs('system', 'move.end', card, { new_id, refusal });
  end(UNKNOWN_ID, null);
  t.equal(scenario.ask(ann, 'card.update', card, { title: 'x' }).error?.code, 'conflict', 'the end of another move is not its own');
  end(NEW_ID, REFUSAL);
  scenario.must(ann, 'card.update', card, { title: 'Free' });
  like(t, scenario.must(ann, 'move.state', card, { awaited: null }), { state: 'refused', refusal: REFUSAL });
  t.equal(onItsWay(scenario, card), null);
  end(NEW_ID, null);
  scenario.must(ann, 'card.get', card, {});
  const second = `${NEW_ID.slice(0, -1)}2`;
  t.equal(moveOut(scenario, card, second).error, null);
  const { eventTypes, events } = end(second, null);
  t.strictSame([eventTypes, events[0]?.user_id], [['card.deleted'], ann.id]);
  t.strictSame(end(second, null).eventTypes, [], 'once');
  like(t, scenario.must(ben, 'move.state', card, { awaited: null }), { state: 'gone', new_id: second });
  t.match(scenario.ask(ann, 'card.get', card, {}).error, { code: 'not_found' });
});

function arrive(scenario: Scenario, way: CardOnItsWay, column_id: Uuid, user = ann): Result {
  return scenario.ask(user, 'move.in', BOARD_ID, { id: NEW_ID, column_id, position: null, content: way.content, files: [] });
}

function twoBoards(): { readonly way: CardOnItsWay; readonly scenario: Scenario; readonly column: Uuid } {
  const { scenario: source, card } = setUp();
  moveOut(source, card);
  // The ids of the two boards differ in a service.
  const scenario = Scenario.withBoard();
  scenario.disorder({ pace: 1_000 });
  return { way: onItsWay(source, card), scenario, column: scenario.addColumn('Inbox') };
}

t.test('MOVE1 a card arrives once, whatever happens to it or to the one who moved it', async (t) => {
  const { way, scenario, column } = twoBoards();
  const { body, eventTypes, decision } = arrive(scenario, way, column, ben);
  like(t, body, {
    id: NEW_ID,
    assignees: [{ id: ben.id }],
    checklists: [{ items: [{ content: 'One', assignees: [] }] }],
    attachments: [{ url: 'https://example.org/' }],
    comment_count: 1,
    dropped_people: [{ id: cleo.id, username: cleo.username }],
  });
  t.strictSame(eventTypes, ['label.created', 'card.created']);
  t.equal((body as unknown as { labels: unknown[] }).labels.length, 1);
  t.strictSame(
    decision.memberships.map(({ user_id, change }) => [user_id, change]),
    [[cleo.id, 'left']],
    'the deletion of an author who is not on the board reaches it',
  );
  t.strictSame(decision.removedUsers, [], 'and nobody loses access');
  like(t, scenario.must(ann, 'comment.list', NEW_ID, { before: null, limit: 5 }), {
    comments: [{ author: null, author_name: cleo.username, mentions: [{ id: ben.id }] }],
  });
  const repeat = (): boolean => t.strictSame([arrive(scenario, way, column, ben).eventTypes, arrive(scenario, way, column, ben).error], [[], null]);
  repeat();
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  repeat();
  scenario.must(ann, 'card.delete', NEW_ID, {});
  repeat();
  scenario.must(ann, 'column.delete', column, {});
  repeat();
  like(t, scenario.askAs('system', 'move.refuse', BOARD_ID, { move: way.move, refusal: REFUSAL }).json, 'false');
  t.equal(scenario.ask(ann, 'move.beginIn', BOARD_ID, { id: NEW_ID, column_id: column, files: [] }).json, 'true');
});

t.test('REMIND2 a reminder is left to the other board exactly if this one has not given it, by whatever clock', async (t) => {
  const due = Date.UTC(2030, 0, 2);
  /** By how much their clocks differ from the date; `isPending`: the source has not reminded. */
  const timersThere = (source: number, target: number, isPending: boolean): ReadonlyArray<number | null> => {
    const { scenario, card } = setUp();
    scenario.must(ann, 'card.update', card, { due_at: new Date(due).toISOString(), reminder_minutes: 0 });
    moveOut(scenario, card);
    scenario.wait(due + source - scenario.time);
    if (!isPending) scenario.dropReminders();
    const there = Scenario.withBoard();
    const column = there.addColumn('Inbox');
    there.wait(due + target - there.time);
    return arrive(there, onItsWay(scenario, card), column).decision.timers.map((timer) => timer.due);
  };
  const [early, late] = [-HOUR_MS, HOUR_MS];
  for (const source of [early, late]) {
    for (const target of [early, late]) t.strictSame(timersThere(source, target, true), [due], `pending, ${source}, ${target}`);
  }
  for (const target of [early, late]) t.strictSame(timersThere(late, target, false), [], `given, ${target}`);
  t.strictSame(timersThere(early, late, false), [due], 'not set yet on a board that was restored a moment before');
});

t.test('REMIND1 who wants to be reminded earlier on the other board alone is', async (t) => {
  const { scenario, card } = setUp();
  const due = scenario.time + 72 * HOUR_MS;
  scenario.must(ann, 'card.update', card, { due_at: new Date(due).toISOString() });
  moveOut(scenario, card);
  const there = Scenario.withBoard();
  there.askAs('system', 'member.refresh', BOARD_ID, { user: ben, reminder_minutes: 48 * 60 });
  const { decision } = arrive(there, onItsWay(scenario, card), there.addColumn('Inbox'));
  t.match(decision.timers, [{ due: due - 48 * HOUR_MS }]);
});

t.test('REMIND1 what an older program sends has the reminders that are still to come', async (t) => {
  const { scenario, card } = setUp();
  const due = scenario.time + HOUR_MS;
  scenario.must(ann, 'card.update', card, { due_at: new Date(due).toISOString(), reminder_minutes: 0 });
  moveOut(scenario, card);
  const { move, content } = onItsWay(scenario, card);
  const { reminded_until: _absent, ...known } = content;
  for (const [waited, timers] of [
    [0, [due]],
    [2 * HOUR_MS, []],
  ] as const) {
    const there = Scenario.withBoard();
    const column = there.addColumn('Inbox');
    there.wait(waited);
    const { decision } = arrive(there, { move, content: known }, column);
    t.strictSame(
      decision.timers.map((timer) => timer.due),
      timers,
    );
  }
});

t.test('MOVE2 what the other board has refused for good never arrives there', async (t) => {
  const { way, scenario, column } = twoBoards();
  const refuse = (): Result => scenario.askAs('system', 'move.refuse', BOARD_ID, { move: way.move, refusal: REFUSAL });
  t.equal(refuse().json, 'true');
  t.strictSame([refuse().json, refuse().decision.changes.length], ['true', 0], 'once');
  t.match(arrive(scenario, way, column).error, REFUSAL);
  t.match(scenario.ask(ann, 'move.beginIn', BOARD_ID, { id: NEW_ID, column_id: column, files: [] }).error, REFUSAL);
  t.match(scenario.ask(ann, 'card.get', NEW_ID, {}).error, { code: 'not_found' });
});

t.test('MOVE2 the other board asks for the rights of the one who moves the card', async (t) => {
  const { way, scenario, column } = twoBoards();
  t.match(arrive(scenario, way, column, cleo).error, { code: 'forbidden' });
  t.match(arrive(scenario, way, UNKNOWN_ID).error, { code: 'not_found' });
  scenario.must(ann, 'member.addAs', BOARD_ID, { user_id: cleo.id, user: cleo, role: 'viewer' });
  t.match(arrive(scenario, way, column, cleo).error, { code: 'forbidden' });
});
