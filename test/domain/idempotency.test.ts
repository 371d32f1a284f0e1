import t, { type Test } from 'tap';
import { MAX_KEPT_CHARACTERS, type Idempotency } from '../../src/domain/idempotency.js';
import type { BoardCommands, BoardOperation } from '../../src/domain/commands/commands.js';
import { boardIdFrom, boardKeyOf, idFromUuid, idInBatch, parseUuid, type Uuid } from '../../src/domain/ids.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, idleRule, Scenario, UNKNOWN_ID, type Result } from './scenario.js';

const KEY: Idempotency = { key: 'first', fingerprint: 'a' };
const REUSED = { code: 'invalid', detail: 'Idempotency-Key: was already used for another request' };

function withCard(): { scenario: Scenario; column: Uuid; card: Uuid } {
  const scenario = Scenario.withBoard();
  const column = scenario.addColumn('To do');
  return { scenario, column, card: scenario.addCard(column, 'Work') };
}

function sameAnswer(t: Test, first: Result, second: Result): void {
  t.equal(first.error, null);
  const { outcome } = first.decision;
  t.strictSame(second.decision.outcome, { ...outcome, replayed: true });
  t.strictSame([second.decision.changes, second.decision.events, second.decision.keep], [[], [], null], 'and nothing else');
}

t.test('IDEM1 a command with a key is carried out once, and its repetition gets the same answer', async (t) => {
  const { scenario, column, card } = withCard();
  const fields = { column_id: column, title: 'Once', description: null, position: null };
  const created = scenario.askOnce(ben, KEY, 'card.create', BOARD_ID, fields);
  scenario.must(ann, 'card.update', created.body?.id ?? '', { title: 'Renamed since' });
  sameAnswer(t, created, scenario.askOnce(ben, KEY, 'card.create', BOARD_ID, fields));
  const moved = scenario.askOnce(ben, { key: 'move', fingerprint: 'm' }, 'card.move', card, { column_id: null, position: 9 });
  sameAnswer(t, moved, scenario.askOnce(ben, { key: 'move', fingerprint: 'm' }, 'card.move', card, { column_id: null, position: 9 }));
  const unchanged = scenario.askOnce(ben, { key: 'nothing', fingerprint: 'n' }, 'card.update', card, {});
  t.not(unchanged.decision.keep, null, 'the answer to a request that changes nothing is kept too');
  t.equal(scenario.full.columns[0]?.cards.length, 2);
});

t.test('IDEM2 a key belongs to its user, and its second use must be the same request', async (t) => {
  const { scenario, card } = withCard();
  const first = scenario.askOnce(ann, KEY, 'card.update', card, { title: 'by ann' });
  like(t, scenario.askOnce(ann, { ...KEY, fingerprint: 'b' }, 'card.update', card, { title: 'other' }), { error: REUSED });
  const refused = { refused: { code: 'invalid' as const, detail: 'title: too long' }, path: {} };
  like(t, scenario.askOnce(ann, { ...KEY, fingerprint: 'b' }, 'card.update', card, refused), { error: REUSED }, 'before the body');
  const bens = scenario.askOnce(ben, KEY, 'card.update', card, { title: 'by ben' });
  like(t, bens, { error: null, body: { title: 'by ben' } });
  t.equal(bens.decision.outcome.ok && bens.decision.outcome.replayed, undefined);
  sameAnswer(t, first, scenario.askOnce(ann, KEY, 'card.update', card, { title: 'by ann' }));
});

t.test('IDEM3 access is checked before an answer is given again', async (t) => {
  const { scenario, card } = withCard();
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' });
  scenario.askOnce(ben, KEY, 'card.update', card, { title: 'by ben' });
  const rename: Idempotency = { key: 'rename', fingerprint: 'r' };
  scenario.askOnce(ben, rename, 'board.update', BOARD_ID, { title: 'Ours' });
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'member' });
  like(t, scenario.askOnce(ben, rename, 'board.update', BOARD_ID, { title: 'Ours' }), { error: { code: 'forbidden', detail: /owner/ } });
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  like(t, scenario.askOnce(ben, KEY, 'card.update', card, { title: 'by ben' }), { error: { code: 'forbidden', detail: /not a member/ } });
  scenario.must(ann, 'card.delete', card, {});
  like(t, scenario.askOnce(ben, KEY, 'card.update', card, { title: 'by ben' }), { error: { code: 'not_found' } });
});

t.test('IDEM3 a repeated removal gets its answer although the thing, or its board, is gone', async (t) => {
  const { scenario, column, card } = withCard();
  const label = scenario.addLabel('urgent');
  scenario.must(ann, 'card.addLabel', card, { label_id: label });
  const rule = scenario.must(ann, 'rule.create', BOARD_ID, idleRule).id;
  const removals = [
    ['card.removeLabel', card, { label_id: label }],
    ['label.delete', label, {}],
    ['card.delete', card, {}],
    ['rule.delete', rule, {}],
    ['column.delete', column, {}],
    ['member.remove', BOARD_ID, { user_id: ben.id }],
    ['board.delete', BOARD_ID, {}],
  ] as const;
  const once = (op: (typeof removals)[number][0], target: Uuid, input: object, fingerprint = op as string): Result =>
    scenario.askOnce(ann, { key: op, fingerprint }, op, target, input as never);
  for (const [op, target, input] of removals) {
    const first = once(op, target, input);
    sameAnswer(t, first, once(op, target, input));
    if (op === 'card.removeLabel') continue;
    t.equal(once(op, target, input, 'another request').error?.code, 'not_found', 'what is gone is not found');
  }
  t.equal(scenario.board, null);
  for (const [op, target, input] of removals) like(t, once(op, target, input), { error: null, json: null });
  like(t, scenario.askOnce(cleo, { key: 'board.delete', fingerprint: 'board.delete' }, 'board.delete', BOARD_ID, {}), {
    error: { code: 'not_found' },
  });
});

t.test('IDEM3 a user who has left a board gets the answer to leaving again', async (t) => {
  const scenario = Scenario.withBoard();
  const leave = (): Result => scenario.askOnce(ben, KEY, 'member.remove', BOARD_ID, { user_id: ben.id });
  sameAnswer(t, leave(), leave());
  like(t, scenario.askOnce(ben, { key: 'another', fingerprint: 'a' }, 'member.remove', BOARD_ID, { user_id: ben.id }), {
    error: { code: 'not_found' },
  });
});

t.test('IDEM3 a refusal is not kept', async (t) => {
  const { scenario, card } = withCard();
  const invite = (): Result => scenario.askOnce(ann, KEY, 'member.add', BOARD_ID, { user_id: ben.id, user: ben });
  like(t, invite(), { error: { code: 'conflict' } });
  t.equal(invite().decision.keep, null);
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
  like(t, invite(), { error: null });
  const refused = { refused: { code: 'invalid' as const, detail: 'title: too long' }, path: {} };
  const invalid: Idempotency = { key: 'invalid', fingerprint: 'i' };
  like(t, scenario.askOnce(ann, invalid, 'card.update', card, refused), { error: refused.refused });
  like(t, scenario.askOnce(ann, invalid, 'card.update', card, { title: 'valid' }), { error: null });
});

t.test('IDEM1 a read that prepares a change finds its answer, also before the body has arrived', async (t) => {
  const { scenario, card } = withCard();
  const upload = { id: UNKNOWN_ID.replace(/^.{13}/, BOARD_ID.slice(0, 13)), name: 'a', mime_type: 'text/plain', size: 1 };
  const begin = (): Result => scenario.askOnce(ben, { ...KEY, fingerprint: null }, 'attachment.begin', card, {});
  t.equal(begin().decision.keep, null, 'a read is not kept');
  const created = scenario.askOnce(ben, KEY, 'attachment.create', card, upload);
  const { outcome } = created.decision;
  like(t, begin().decision.outcome, { ok: true, json: null, replayed: true }, 'there is one');
  sameAnswer(t, created, scenario.askOnce(ben, KEY, 'attachment.create', card, { ...upload, id: UNKNOWN_ID }));
  const invited = scenario.askOnce(ann, KEY, 'member.add', BOARD_ID, { user_id: cleo.id, user: cleo });
  sameAnswer(t, invited, scenario.askOnce(ann, KEY, 'member.begin', BOARD_ID, {}));
  like(t, scenario.askOnce(ann, { ...KEY, fingerprint: 'b' }, 'member.begin', BOARD_ID, {}), { error: REUSED });
  t.ok(outcome.ok);
});

t.test('IDEM8 a large answer is not kept as text, and shows the record as it is now', async (t) => {
  const { scenario, card } = withCard();
  const checklist = scenario.addChecklist(card, 'Steps');
  const text = 'x'.repeat(10_000);
  for (let n = 0; n < MAX_KEPT_CHARACTERS / text.length; n += 1) scenario.addItem(checklist, text);
  const rename = (): Result => scenario.askOnce(ben, KEY, 'card.update', card, { title: 'Large' });
  const first = rename();
  like(t, first.decision.keep, { body: null, shows: { kind: 'card', id: card } });
  const { keep } = scenario.askOnce(ben, { key: 'small', fingerprint: 's' }, 'checklist.update', scenario.addChecklist(card, 'A'), {
    title: 'B',
  }).decision;
  like(t, keep, { shows: null });
  scenario.must(ann, 'card.update', card, { title: 'Renamed since' });
  const again = rename();
  like(t, again, { error: null, body: { title: 'Renamed since' }, events: [] });
  like(t, again.decision.outcome, { replayed: true, position: first.decision.outcome.ok ? first.decision.outcome.position : '' });
  scenario.must(ann, 'card.delete', card, {});
  like(t, rename(), { error: { code: 'not_found', detail: 'Card not found' } });
});

t.test('IDEM1 a change answers with the position of the board after it', async (t) => {
  const { scenario, card } = withCard();
  const seq = scenario.state.seq;
  like(t, scenario.ask(ben, 'card.update', card, { title: 'New' }).decision.outcome, { position: String(seq + 1) });
  like(t, scenario.ask(ben, 'card.update', card, {}).decision.outcome, { position: String(seq + 1) });
  like(t, scenario.ask(ben, 'rule.list', BOARD_ID, {}).decision.outcome, { ok: true }, 'a read has none');
  t.notOk('position' in scenario.ask(ben, 'rule.list', BOARD_ID, {}).decision.outcome);
  like(t, scenario.ask(ann, 'board.delete', BOARD_ID, {}).decision.outcome, { position: String(seq + 2) });
});

t.test('IDEM10 the first thing that a command with a UUID as its key creates has an id that follows from it', async (t) => {
  const { scenario, column, card } = withCard();
  const uuid = 'A1B2C3D4-E5F6-4789-ABCD-0123456789AB';
  const wished = idFromUuid(boardKeyOf(BOARD_ID), uuid) ?? '';
  t.equal(wished, 'b0a2db0a-2d00-4789-abcd-0123456789ab');
  const creations = [
    ['column.create', BOARD_ID, { title: 'A', color: '#fff', is_done_column: false, position: null }],
    ['card.create', BOARD_ID, { column_id: column, title: 'A', description: null, position: null }],
    ['label.create', BOARD_ID, { name: 'A', color: 'red' }],
    ['checklist.create', card, { title: 'A' }],
    ['rule.create', BOARD_ID, idleRule],
  ] as const;
  for (const [n, [op, target, input]] of creations.entries()) {
    const key = uuid.replace(/AB$/, String(10 + n));
    const { body } = scenario.askOnce(ann, { key, fingerprint: op }, op, target, input as never);
    t.equal(body?.id, idFromUuid(boardKeyOf(BOARD_ID), key), op);
  }
  const begun = scenario.askOnce(ann, { key: uuid, fingerprint: null }, 'attachment.begin', card, {});
  t.equal(begun.json, JSON.stringify(wished), 'an attachment');
  const item = (user: typeof ann, key: string): Uuid =>
    scenario.askOnce(user, { key, fingerprint: 'item' }, 'item.create', scenario.addChecklist(card, 'A'), { content: 'a' }).body?.id ?? '';
  t.equal(item(ann, uuid), wished);
  const taken = scenario.askOnce(ben, { key: uuid, fingerprint: 'item' }, 'item.create', scenario.addChecklist(card, 'B'), { content: 'a' });
  like(t, taken, { error: { code: 'invalid' } }, 'something on the board has it');
  t.equal(idFromUuid(boardKeyOf(BOARD_ID), uuid.replace('4789', '1789')), null, 'a UUID of another version is any text');
  t.not(item(ann, 'any text'), 'any text');
});

const LATE_KEY = 'a1b2c3d4-e5f6-4789-abcd-0123456789ab';
const LATE_ID = idFromUuid(boardKeyOf(BOARD_ID), LATE_KEY) ?? '';

/** Two of each thing in which others are made. */
interface World {
  readonly scenario: Scenario;
  readonly columns: readonly [Uuid, Uuid];
  readonly cards: readonly [Uuid, Uuid];
  readonly checklists: readonly [Uuid, Uuid];
}

function twoOfEach(): World {
  const scenario = Scenario.withBoard();
  // For rules.
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' });
  const columns = [scenario.addColumn('To do'), scenario.addColumn('Done')] as const;
  const cards = [scenario.addCard(columns[0], 'One'), scenario.addCard(columns[0], 'Two')] as const;
  const checklists = [scenario.addChecklist(cards[0], 'A'), scenario.addChecklist(cards[0], 'B')] as const;
  return { scenario, columns, cards, checklists };
}

/** Creates as a request with the key; `in`: in the first or the second of its parents. */
type Make = (world: World, user: typeof ann, parent?: 0 | 1) => Result;

function maker<Op extends BoardOperation>(op: Op, command: (world: World, parent: 0 | 1) => [target: Uuid, input: BoardCommands[Op]]): Make {
  return (world, user, parent = 0) => world.scenario.askOnce(user, { key: LATE_KEY, fingerprint: `${op} ${parent}` }, op, ...command(world, parent));
}

interface Created {
  readonly make: Make;
  /** Null of what is in the board itself: it has no second parent. */
  readonly hasParents: boolean;
  readonly remove:
    | 'column.delete'
    | 'card.delete'
    | 'label.delete'
    | 'checklist.delete'
    | 'item.delete'
    | 'attachment.delete'
    | 'rule.delete'
    | 'comment.delete';
  /** Puts it or what it is on into the archive. Absent: it cannot be there. */
  readonly archive?: (world: World) => void;
  readonly move?: (world: World) => void;
}

const file = { id: LATE_ID, name: 'a.txt', mime_type: 'text/plain', size: 3 };
const archiveCard = ({ scenario, cards }: World): void => void scenario.must(ann, 'card.archive', cards[0], {});

const CREATED: Readonly<Record<string, Created>> = {
  'a column': {
    make: maker('column.create', () => [BOARD_ID, { title: 'A', color: '#fff', is_done_column: false, position: null }]),
    hasParents: false,
    remove: 'column.delete',
    archive: ({ scenario }) => scenario.must(ann, 'column.archive', LATE_ID, {}),
    move: ({ scenario }) => scenario.must(ann, 'column.move', LATE_ID, { position: 0 }),
  },
  'a card': {
    make: maker('card.create', ({ columns }, n) => [BOARD_ID, { column_id: columns[n], title: 'A', description: null, position: null }]),
    hasParents: true,
    remove: 'card.delete',
    archive: ({ scenario, columns }) => scenario.must(ann, 'column.archive', columns[0], {}),
    move: ({ scenario, columns }) => {
      scenario.must(ann, 'card.move', LATE_ID, { column_id: columns[1], position: 0 });
      scenario.must(ann, 'column.delete', columns[0], {});
    },
  },
  'the copy of a column': {
    make: maker('column.copy', ({ columns }, n) => [columns[n], { position: null }]),
    hasParents: true,
    remove: 'column.delete',
    archive: ({ scenario }) => scenario.must(ann, 'column.archive', LATE_ID, {}),
    move: ({ scenario, columns }) => scenario.must(ann, 'column.delete', columns[0], {}),
  },
  'the copy of a card': {
    make: maker('card.copy', ({ cards }, n) => [cards[n], { column_id: null, position: null, comments: false, files: [] }]),
    hasParents: true,
    remove: 'card.delete',
    archive: ({ scenario, columns }) => scenario.must(ann, 'column.archive', columns[0], {}),
    move: ({ scenario, cards }) => scenario.must(ann, 'card.delete', cards[0], {}),
  },
  'a label': { make: maker('label.create', () => [BOARD_ID, { name: 'A', color: 'red' }]), hasParents: false, remove: 'label.delete' },
  'a rule': { make: maker('rule.create', () => [BOARD_ID, idleRule]), hasParents: false, remove: 'rule.delete' },
  'a checklist': {
    make: maker('checklist.create', ({ cards }, n) => [cards[n], { title: 'A' }]),
    hasParents: true,
    remove: 'checklist.delete',
    archive: archiveCard,
    move: ({ scenario }) => scenario.must(ann, 'checklist.move', LATE_ID, { position: 0 }),
  },
  'an item': {
    make: maker('item.create', ({ checklists }, n) => [checklists[n], { content: 'A' }]),
    hasParents: true,
    remove: 'item.delete',
    archive: archiveCard,
    move: ({ scenario, checklists }) => {
      scenario.must(ann, 'item.move', LATE_ID, { checklist_id: checklists[1], position: 0 });
      scenario.must(ann, 'checklist.delete', checklists[0], {});
    },
  },
  'a file': {
    make: maker('attachment.create', ({ cards }, n) => [cards[n], file]),
    hasParents: true,
    remove: 'attachment.delete',
    archive: archiveCard,
  },
  'a link': {
    make: maker('attachment.link', ({ cards }, n) => [cards[n], { url: 'https://example.org/', title: null }]),
    hasParents: true,
    remove: 'attachment.delete',
    archive: archiveCard,
  },
  'a comment': {
    make: maker('comment.create', ({ cards }, n) => [cards[n], { body: 'A' }]),
    hasParents: true,
    remove: 'comment.delete',
    archive: archiveCard,
  },
};

const DELETED = { code: 'conflict', detail: /something that was deleted had the id/ };
const TAKEN = { code: 'invalid', detail: /something else on this board has the id/ };

/** Ben has made it and the day is over. */
function madeYesterday({ make }: Created): World & { readonly first: Result } {
  const world = twoOfEach();
  const first = make(world, ben);
  world.scenario.forgetAnswers();
  return { ...world, first };
}

function shownLate(t: Test, world: World, { make }: Created, name: string): Result {
  const seq = world.scenario.state.seq;
  const late = make(world, ben);
  like(t, late, { error: null, body: { id: LATE_ID } }, name);
  like(t, late.decision, { outcome: { replayed: true }, changes: [], events: [], keep: null, creates: [] }, `${name}: nothing happened`);
  t.notOk('position' in late.decision.outcome, `${name}: of its change no position is known`);
  t.equal(world.scenario.state.seq, seq);
  return late;
}

t.test('IDEM20 a create that is repeated after its answer was forgotten shows what it made, of every kind', async (t) => {
  for (const [name, created] of Object.entries(CREATED)) {
    const world = madeYesterday(created);
    t.equal(world.first.body?.id, LATE_ID, name);
    t.equal(shownLate(t, world, created, name).json, world.first.json);
    if (created.archive !== undefined) {
      const archived = madeYesterday(created);
      created.archive(archived);
      shownLate(t, archived, created, `${name} in the archive`);
    }
    if (created.move !== undefined) {
      const moved = madeYesterday(created);
      created.move(moved);
      shownLate(t, moved, created, `${name} that was moved`);
    }
  }
  const begun = madeYesterday(CREATED['a file'] as Created);
  const begin = begun.scenario.askOnce(ben, { key: LATE_KEY, fingerprint: null }, 'attachment.begin', begun.cards[0], {});
  like(t, begin.decision.outcome, { ok: true, replayed: true }, 'an upload need not be stored again');
  const copied = madeYesterday(CREATED['the copy of a card'] as Created);
  const again = copied.scenario.askOnce(ben, { key: LATE_KEY, fingerprint: 'card.copy 0' }, 'card.beginCopy', copied.cards[0], {});
  like(t, again.decision.outcome, { ok: true, replayed: true }, 'nor the files of a copy');
});

t.test('IDEM20 it is shown to its creator alone, for the same kind and parent, and while they may make it', async (t) => {
  for (const [name, created] of Object.entries(CREATED)) {
    const { make, hasParents } = created;
    const world = madeYesterday(created);
    // Of a running upload the sender learns it when the file is there.
    const refusal = name === 'a file' ? { code: 'unavailable' } : TAKEN;
    like(t, make(world, ann), { error: refusal }, `${name} of another user`);
    if (hasParents) like(t, make(world, ben, 1), { error: refusal }, `${name} in another parent`);
    const other = CREATED[name === 'a label' ? 'a rule' : 'a label'] as Created;
    like(t, other.make(world, ben), { error: TAKEN }, `${name}: another kind`);
    world.scenario.must(ann, 'member.restrict', BOARD_ID, { user_id: ben.id, role: 'viewer' });
    like(t, make(world, ben), { error: { code: 'forbidden' } }, `${name}: rights come first`);
    world.scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ben.id });
    like(t, make(world, ben), { error: { code: 'forbidden' } }, `${name}: for those who left too`);
  }
});

t.test('IDEM37 what was made with a key and deleted is never made again, in the trash or gone', async (t) => {
  for (const [name, created] of Object.entries(CREATED)) {
    for (const trashDays of [30, 0]) {
      const world = madeYesterday(created);
      world.scenario.trashDays = trashDays;
      world.scenario.must(ben, created.remove, LATE_ID, {});
      const refusal = name === 'a file' ? { code: 'unavailable' } : DELETED;
      for (const user of [ben, ann]) like(t, created.make(world, user), { error: refusal }, `${name}, ${trashDays} days of trash`);
      if (created.hasParents) like(t, created.make(world, ben, 1), { error: refusal }, `${name} in another parent`);
    }
  }
  const begun = madeYesterday(CREATED['a file'] as Created);
  begun.scenario.must(ben, 'attachment.delete', LATE_ID, {});
  const begin = begun.scenario.askOnce(ben, { key: LATE_KEY, fingerprint: null }, 'attachment.begin', begun.cards[0], {});
  like(t, begin, { error: DELETED }, 'no byte of a file is read');
});

t.test('IDEM37 the id of a comment stays its own while its card is in the archive or in the trash', async (t) => {
  const comment = CREATED['a comment'] as Created;
  for (const op of ['card.archive', 'card.delete'] as const) {
    const world = madeYesterday(comment);
    world.scenario.must(ann, op, world.cards[0], {});
    like(t, comment.make(world, ben, 1), { error: op === 'card.archive' ? TAKEN : DELETED }, op);
  }
});

t.test('IDEM20 of what an older program made the creator is known of columns, cards and comments alone', async (t) => {
  for (const [name, created] of Object.entries(CREATED)) {
    const world = twoOfEach();
    world.scenario.schema = 21;
    like(t, created.make(world, ben).decision, { outcome: { ok: true }, creates: [] }, 'an older program could not read it');
    world.scenario.schema = null;
    world.scenario.forgetAnswers();
    if (['a column', 'a card', 'a comment', 'the copy of a column', 'the copy of a card'].includes(name)) shownLate(t, world, created, name);
    else like(t, created.make(world, ben), { error: { code: name === 'a file' ? 'unavailable' : 'invalid' } }, name);
    t.not(created.make(world, ann).error, null, `${name} of another user`);
  }
});

t.test('IDEM20 a batch is shown again with what is in the archive, and not if one of its parents was another', async (t) => {
  const { scenario, columns, cards } = twoOfEach();
  const ids = [0, 1, 2].map((n) => idInBatch(boardKeyOf(BOARD_ID), LATE_KEY, n));
  const [label = '', card = '', checklist = ''] = ids;
  const batch = (user: typeof ann, column: Uuid): Result =>
    scenario.askOnce(user, { key: LATE_KEY, fingerprint: column }, 'board.batch', BOARD_ID, {
      operations: [
        { op: 'label.create', target: BOARD_ID, input: { name: 'A', color: 'red' }, status: 201, id: label },
        { op: 'card.create', target: BOARD_ID, input: { column_id: column, title: 'A', description: null, position: null }, status: 201, id: card },
        { op: 'checklist.create', target: card, input: { title: 'A' }, status: 201, id: checklist },
        { op: 'card.update', target: cards[0], input: { title: 'Renamed' }, status: 200, id: null },
      ],
    });
  like(t, batch(ben, columns[0]), { error: null });
  scenario.forgetAnswers();
  scenario.must(ann, 'card.archive', card, {});
  const late = batch(ben, columns[0]);
  like(t, late, { error: null, body: { answers: [{ body: { id: label } }, { body: { id: card } }, { body: { id: checklist } }, { status: 200 }] } });
  like(t, late.decision, { outcome: { replayed: true }, changes: [], creates: [] });
  like(t, batch(ben, columns[1]), { error: TAKEN }, 'in another column');
  like(t, batch(ann, columns[0]), { error: TAKEN }, 'of another user');
  scenario.must(ann, 'label.delete', label, {});
  like(t, batch(ben, columns[0]), { error: DELETED });
});

t.test('IDEM20 a board that is created again after its answer was forgotten is shown to its creator while they are on it', async (t) => {
  const scenario = Scenario.withoutBoard();
  const create = (): Result =>
    scenario.askOnce(ann, { key: 'board', fingerprint: 'b' }, 'board.create', BOARD_ID, { title: 'Plans', description: null, creator: ann });
  const first = create();
  scenario.forgetAnswers();
  const late = create();
  t.equal(late.json, first.json);
  like(t, late.decision, { outcome: { replayed: true }, changes: [] });
  scenario.must(ann, 'member.addAs', BOARD_ID, { user_id: ben.id, user: ben, role: 'owner' });
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ann.id });
  scenario.forgetAnswers();
  like(t, create(), { error: { code: 'forbidden' } });
});

t.test('IDEM20 the id of a board follows from the user, the key and the attempt', async (t) => {
  const ids = [boardIdFrom(ann.id, 'a', 1), boardIdFrom(ann.id, 'a', 2), boardIdFrom(ann.id, 'b', 1), boardIdFrom(ben.id, 'a', 1)];
  t.equal(new Set(ids.map(boardKeyOf)).size, ids.length);
  for (const id of ids) t.match(parseUuid(id), /^.{14}4.{4}[89ab]/);
  t.equal(boardIdFrom(ann.id, 'a', 1), ids[0]);
});

t.test('IDEM37 a file whose upload has the id of something that came meanwhile is not attached', async (t) => {
  const { scenario, column, card } = withCard();
  const key = 'a1b2c3d4-e5f6-4789-abcd-0123456789ab';
  const begun = scenario.askOnce(ben, { key, fingerprint: null }, 'attachment.begin', card, {});
  const id = JSON.parse(begun.json ?? '') as Uuid;
  const other = { column_id: column, title: 'A', description: null, position: null };
  t.equal(scenario.askOnce(ann, { key, fingerprint: 'card' }, 'card.create', BOARD_ID, other).body?.id, id);
  const file = { id, name: 'a.txt', mime_type: 'text/plain', size: 3 };
  like(t, scenario.askOnce(ben, { key, fingerprint: 'file' }, 'attachment.create', card, file), { error: { code: 'unavailable' } });
});
