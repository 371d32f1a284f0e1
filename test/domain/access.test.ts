import t from 'tap';
import type { BoardCommand, BoardCommands, BoardOperation, RefusedInput } from '../../src/domain/commands/commands.js';
import { decide } from '../../src/domain/commands/decide.js';
import type { ErrorData } from '../../src/domain/errors.js';
import type { Uuid } from '../../src/domain/ids.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { like } from './like.js';
import { ann, ben, BOARD_ID, cleo, UNKNOWN_ID, Scenario } from './scenario.js';

const refused: RefusedInput = { refused: { code: 'invalid', detail: 'title: too long' }, path: {} };

/** Asks with invalid input, to find out which refusal comes first. */
function refusal(op: BoardOperation, target: Uuid, user: PublicUser): ErrorData | null {
  return Scenario.withBoard().askAs({ user_id: user.id }, op, target, refused).error;
}

t.test('ACCESS1 "not found" comes before "not allowed"', async (t) => {
  like(t, refusal('card.update', UNKNOWN_ID, cleo), { code: 'not_found', detail: 'Card not found' });
});

t.test('ACCESS2 a caller who is not a member gets 403 for every input', async (t) => {
  like(t, refusal('board.update', BOARD_ID, cleo), { code: 'forbidden', detail: /not a member/ });
});

t.test('ACCESS2 a member gets 403 for an operation of owners, for every input', async (t) => {
  like(t, refusal('board.update', BOARD_ID, ben), { code: 'forbidden', detail: /owner/ });
});

t.test('ACCESS1 invalid input is reported last, to callers with access', async (t) => {
  t.strictSame(refusal('board.update', BOARD_ID, ann), refused.refused);
});

t.test('ACCESS5 an id of another kind is not found', async (t) => {
  const scenario = Scenario.withBoard();
  const empty: { [Op in BoardOperation]?: [string, BoardCommands[Op]] } = {
    'column.update': ['Column not found', {}],
    'column.delete': ['Column not found', {}],
    'card.get': ['Card not found', {}],
    'card.delete': ['Card not found', {}],
    'label.delete': ['Label not found', {}],
    'checklist.delete': ['Checklist not found', {}],
    'item.delete': ['Checklist item not found', {}],
    'attachment.get': ['Attachment not found', {}],
    'attachment.begin': ['Card not found', {}],
    'rule.delete': ['Automation rule not found', {}],
    'comment.delete': ['Comment not found', {}],
  };
  for (const [op, [detail, input]] of Object.entries(empty)) {
    const caller = { user_id: ann.id };
    const { error } = scenario.askAs(caller, op as BoardOperation, BOARD_ID, input);
    t.strictSame(error, { code: 'not_found', detail }, op);
  }
  t.equal(scenario.ask(ann, 'board.get', scenario.addColumn('A'), {}).error?.detail, 'Board not found');
  t.equal(scenario.ask(ann, 'label.list', ann.id, {}).error?.detail, 'Board not found', 'a member is not a board');
});

t.test('ACCESS1 every id of the path is looked up before the role of the caller and the body are checked', async (t) => {
  const scenario = Scenario.withBoard();
  const missing: ReadonlyArray<[BoardOperation, Uuid, string, string]> = [
    ['card.create', BOARD_ID, 'column_id', 'Column not found'],
    ['member.setRole', BOARD_ID, 'user_id', 'Member not found'],
    ['card.addLabel', scenario.addCard(scenario.addColumn('A'), 'A card'), 'label_id', 'Label not found'],
  ];
  for (const [op, target, name, detail] of missing) {
    for (const { id } of [ann, cleo]) {
      const input = { ...refused, path: { [name]: UNKNOWN_ID } };
      const { error } = scenario.askAs({ user_id: id }, op, target, input);
      t.strictSame(error, { code: 'not_found', detail }, `${op} by ${id}`);
    }
  }
});

t.test('the service itself needs no membership', async (t) => {
  const scenario = Scenario.withBoard();
  const { error, events } = scenario.askAs('system', 'board.update', BOARD_ID, { title: 'By itself' });
  t.equal(error, null);
  t.equal(events[0]?.user_id, null);
});

t.test('ACCESS53 a message cannot lower the role that the handler of the board requires', async (t) => {
  const { state } = Scenario.withBoard();
  const forged = { op: 'board.delete', caller: { user_id: ben.id, role: 'anyone' }, target: BOARD_ID, input: {} };
  const context = { now: '2030-01-01T00:00:00.000Z', limits: DEFAULT_LIMITS, newId: () => UNKNOWN_ID };
  const { outcome, changes } = decide(state, forged as BoardCommand, context);
  like(t, outcome, { ok: false, error: { code: 'forbidden', detail: /owner/ } });
  t.strictSame(changes, []);
});

t.test('ACCESS53 an operation of the service itself is refused to the owner too', async (t) => {
  const { error } = Scenario.withBoard().ask(ann, 'member.refresh', BOARD_ID, { user: { ...ben, username: 'benny' } });
  like(t, error, { code: 'forbidden', detail: /service/ });
});

t.test('HTTP6 a fault inside a handler is not reported as a refusal', async (t) => {
  const { state } = Scenario.withBoard();
  const caller = { user_id: ann.id };
  const command = { op: 'label.create', caller, target: BOARD_ID, input: { name: 'a', color: 'red' } } as const;
  const newId = (): never => {
    throw new Error('out of ids');
  };
  t.throws(() => decide(state, command, { now: '2030-01-01T00:00:00.000Z', limits: DEFAULT_LIMITS, newId }), { message: 'out of ids' });
});
