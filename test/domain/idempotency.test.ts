import t, { type Test } from 'tap';
import { MAX_KEPT_CHARACTERS, type Idempotency } from '../../src/domain/idempotency.js';
import { boardIdFrom, boardKeyOf, idFromUuid, parseUuid, type Uuid } from '../../src/domain/ids.js';
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

t.test('IDEM20 a create that is repeated after its answer was forgotten shows what it made, to its creator alone', async (t) => {
  const { scenario, column } = withCard();
  const key = 'a1b2c3d4-e5f6-4789-abcd-0123456789ab';
  const input = { column_id: column, title: 'A', description: null, position: null };
  const create = (user: typeof ann, fingerprint: string | null = 'card') =>
    scenario.askOnce(user, { key, fingerprint }, 'card.create', BOARD_ID, input);
  const first = create(ann);
  scenario.forgetAnswers();
  const seq = scenario.state.seq;
  const late = create(ann);
  like(t, late, { json: first.json });
  like(t, late.decision, { outcome: { ok: true, replayed: true }, changes: [], events: [], keep: null });
  t.notOk('position' in late.decision.outcome);
  t.equal(scenario.state.seq, seq, 'nothing happened');
  like(t, create(ben), { error: { code: 'invalid' } });
  const asColumn = scenario.askOnce(ann, { key, fingerprint: 'x' }, 'column.create', BOARD_ID, {
    title: 'A',
    color: '#fff',
    is_done_column: false,
    position: null,
  });
  like(t, asColumn, { error: { code: 'invalid' } }, 'another kind');
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
