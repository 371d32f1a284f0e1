import t from 'tap';
import { NO_ACTIVITY } from '../../src/domain/board/activity/activityOnDisk.js';
import { NO_ARCHIVE } from '../../src/domain/board/archive/archiveOnDisk.js';
import { BoardState, type BoardOnDisk } from '../../src/domain/board/board.js';
import { NO_COMMENTS } from '../../src/domain/board/comments/commentsOnDisk.js';
import { NO_TRASH } from '../../src/domain/board/trash/trashOnDisk.js';
import { NO_VERSIONS } from '../../src/domain/board/versions/versionsOnDisk.js';
import { NO_MOVES } from '../../src/domain/board/moves/movesOnDisk.js';
import { MAX_WATCHES_OF_BOARD, MAX_WATCHES_OF_USER, NO_WATCHES, type WatchesOnDisk } from '../../src/domain/board/watching/watchesOnDisk.js';
import { decide, type Decision } from '../../src/domain/commands/decide.js';
import type { BoardOperation } from '../../src/domain/commands/commands.js';
import type { PublicUser } from '../../src/domain/account/user.js';
import { DEFAULT_LIMITS } from '../support/board/boardLimits.js';
import { ann, ben, BOARD_ID, cleo, Scenario, type Result } from './scenario.js';

const NOTHING: BoardOnDisk = {
  comments: NO_COMMENTS,
  archive: NO_ARCHIVE,
  activity: NO_ACTIVITY,
  trash: NO_TRASH,
  versions: NO_VERSIONS,
  watches: NO_WATCHES,
  moves: NO_MOVES,
};

/** Ann's card on a board with Ben and Cleo. */
function setUp() {
  const scenario = Scenario.withBoard();
  scenario.must(ann, 'member.addAs', BOARD_ID, { user_id: cleo.id, user: cleo, role: 'viewer' });
  const [todo, doing, done] = [scenario.addColumn('To do'), scenario.addColumn('Doing'), scenario.addColumn('Done')];
  const card = scenario.addCard(todo, 'A card');
  const told = ({ decision }: Result): Array<readonly [string, string]> =>
    decision.notifications.map(({ kind, user_id }) => [kind, [ann, ben, cleo].find(({ id }) => id === user_id)?.username ?? '']);
  return {
    scenario,
    ...{ todo, doing, done, card },
    told,
    move: (as: PublicUser, column: string) => told(scenario.ask(as, 'card.move', card, { column_id: column, position: null })),
    comment: (as: PublicUser, body = 'Hm.') => told(scenario.ask(as, 'comment.create', card, { body })),
    choose: (as: PublicUser, op: Extract<BoardOperation, `watch.${string}`>, target: string) => scenario.must(as, op as 'watch.card', target, {}),
  };
}

t.test('WATCH1 who made a card, is on it or wrote on it hears of comments and of moves to another column, unless they did it', (t) => {
  const { scenario, todo, doing, card, told, move, comment } = setUp();
  t.strictSame(comment(ben), [['commented', 'ann']]);
  t.strictSame(comment(ann), [['commented', 'ben']], 'who wrote on it');
  t.strictSame(comment(ann, '@ben'), [['mentioned', 'ben']], 'a mention says it already');
  t.strictSame(move(ben, doing), [['moved', 'ann']]);
  t.strictSame(told(scenario.ask(ben, 'card.move', card, { column_id: doing, position: 0 })), [], 'its place in a column is no news');
  const other = scenario.addCard(todo, 'Another');
  scenario.must(ann, 'card.assign', other, { user_ids: [ben.id] });
  t.match(told(scenario.ask(ann, 'card.move', other, { column_id: doing, position: null })), [['moved', 'ben']], 'who is on it');
  t.end();
});

t.test('WATCH1 a rule that moves a card tells everyone but who set it off', (t) => {
  const { scenario, doing, done, move } = setUp();
  const rule = { name: 'on', trigger_type: 'CARD_MOVED', trigger_column_id: doing, trigger_label_id: null, action_type: 'MOVE_TO_COLUMN' } as const;
  scenario.must(ann, 'rule.create', BOARD_ID, { ...rule, action_column_id: done, action_user_id: null, is_enabled: true });
  t.strictSame(move(ann, doing), []);
  t.strictSame(move(ben, doing), [['moved', 'ann']]);
  t.end();
});

t.test('WATCH1 a choice about a card counts more than what is so without one, that more than its column, and that more than the board', (t) => {
  const { todo, doing, done, card, move, comment, choose } = setUp();
  t.strictSame(choose(ann, 'watch.endCard', card), { watching: false });
  t.strictSame(comment(ben), [], 'although she made it');
  t.strictSame(comment(ann), [['commented', 'ben']]);
  t.strictSame(comment(ben), [], 'although she wrote on it since');
  t.strictSame(choose(cleo, 'watch.board', BOARD_ID), { watching: true });
  t.strictSame(choose(cleo, 'watch.getCard', card), { watching: true }, 'viewers watch too');
  t.strictSame(comment(ben), [['commented', 'cleo']]);
  t.strictSame(choose(cleo, 'watch.endColumn', todo), { watching: false });
  t.strictSame(comment(ben), []);
  t.strictSame(move(ben, doing), [], 'of a move its columns count');
  t.strictSame(comment(ben), [['commented', 'cleo']]);
  t.strictSame(choose(cleo, 'watch.column', done), { watching: true });
  choose(cleo, 'watch.endBoard', BOARD_ID);
  t.strictSame(choose(cleo, 'watch.getBoard', BOARD_ID), { watching: false });
  t.strictSame(comment(ben), []);
  t.strictSame(move(ben, done), [['moved', 'cleo']], 'into a column');
  t.strictSame(move(ben, todo), [['moved', 'cleo']], 'and out of it');
  t.strictSame(choose(ann, 'watch.card', card), { watching: true });
  t.strictSame(comment(ben), [['commented', 'ann']]);
  t.end();
});

t.test('WATCH1 watches end with the membership, and who left and comes back watches nothing', (t) => {
  const { scenario, comment, choose } = setUp();
  choose(cleo, 'watch.board', BOARD_ID);
  scenario.must(cleo, 'member.remove', BOARD_ID, { user_id: cleo.id });
  t.strictSame(comment(ben), [['commented', 'ann']]);
  scenario.must(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: cleo });
  t.strictSame(comment(ben), [['commented', 'ann']]);
  t.strictSame(choose(cleo, 'watch.getBoard', BOARD_ID), { watching: false });
  scenario.must(ann, 'member.setRole', BOARD_ID, { user_id: ben.id, role: 'owner' });
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: ann.id });
  t.strictSame(comment(ben), [], 'nor who made the card');
  t.end();
});

t.test('WATCH2 what a user watched goes with the user', (t) => {
  const { scenario, card, choose } = setUp();
  choose(cleo, 'watch.board', BOARD_ID);
  choose(cleo, 'watch.card', card);
  t.equal(scenario.state.watches.idsOf(cleo.id).length, 2);
  t.match(scenario.askAs('system', 'member.erase', BOARD_ID, { user_id: cleo.id, heir: null }).json, /gone/);
  t.strictSame(scenario.state.watches.idsOf(cleo.id), []);
  t.end();
});

t.test('WATCH3 a user watches a bounded number of things on a board, and so do all together; comments count without room', (t) => {
  const { scenario, card } = setUp();
  const { seq } = scenario.state;
  const full = (watches: Partial<WatchesOnDisk>): BoardState =>
    BoardState.load({ epoch: '0', seq, entities: scenario.state.entities() }, { ...NOTHING, watches: { ...NO_WATCHES, ...watches } });
  const boards = [
    full({ idsOf: () => Array.from({ length: MAX_WATCHES_OF_USER }, (_each, index) => `${index}`) }),
    full({ count: () => MAX_WATCHES_OF_BOARD }),
  ];
  const ask = (board: BoardState, op: BoardOperation, input: object): Decision => {
    const context = { now: '2031-01-01T00:00:00.000Z', limits: DEFAULT_LIMITS, newId: () => `${BOARD_ID.slice(0, -4)}beef` };
    return decide(board, { op, caller: { user_id: ben.id }, target: card, input: input as never }, context);
  };
  for (const board of boards) {
    t.match(ask(board, 'watch.card', {}).outcome, { ok: false, error: { code: 'limit', detail: /at most (500|5000)/i } });
    const { outcome, changes } = ask(board, 'comment.create', { body: 'Hm.' });
    t.equal(outcome.ok, true);
    t.notOk(changes.some(({ kind }) => kind === 'watch'));
  }
  t.match(ask(full({}), 'watch.card', {}).changes, [{ kind: 'watch', put: { is_on: true } }]);
  t.end();
});

t.test('WATCH3 a board that told too many watchers lately tells nobody', (t) => {
  const { scenario, card } = setUp();
  const { seq } = scenario.state;
  const board = BoardState.load({ epoch: '0', seq, entities: scenario.state.entities() }, NOTHING);
  const command = { op: 'comment.create', caller: { user_id: ben.id }, target: card, input: { body: 'Hm.' } } as const;
  const context = { now: '2031-01-01T00:00:00.000Z', limits: DEFAULT_LIMITS, newId: () => `${BOARD_ID.slice(0, -4)}beef` };
  t.equal(decide(board, command, context).notifications.length, 1);
  t.strictSame(decide(board, command, { ...context, mayTellWatchers: () => false }).notifications, []);
  t.end();
});

t.test('WATCH1 the invited hear of it, unless they came by a link', (t) => {
  const scenario = Scenario.withBoard();
  const added = scenario.ask(ann, 'member.addAs', BOARD_ID, { user_id: cleo.id, user: cleo, role: 'viewer' });
  t.match(added.decision.notifications, [{ kind: 'invited', user_id: cleo.id, actor_id: ann.id, card_id: '', title: 'Plans' }]);
  scenario.must(ann, 'member.remove', BOARD_ID, { user_id: cleo.id });
  const accepted = scenario.ask(ann, 'member.add', BOARD_ID, { user_id: cleo.id, user: cleo, is_accepted: true });
  t.strictSame(accepted.decision.notifications, []);
  t.end();
});

t.test('WATCH1 while an older program runs nothing is watched, and comments are written', (t) => {
  const { scenario, card, comment } = setUp();
  scenario.schema = 24;
  t.match(scenario.ask(ben, 'watch.card', card, {}).error, { code: 'unavailable' });
  t.strictSame(comment(ben), []);
  scenario.schema = null;
  t.strictSame(comment(ann), [], 'that comment chose nothing');
  t.end();
});
