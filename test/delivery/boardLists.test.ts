import { mock } from 'node:test';
import t, { type Test } from 'tap';
import { BoardLists } from '../../src/delivery/boardLists.js';
import type { FeedMessage } from '../../src/domain/feed.js';

interface Listed {
  readonly lists: BoardLists;
  readonly published: FeedMessage[];
  list(board_id: string, title: string, user_ids?: readonly string[]): void;
}

/** With a manual clock. */
function startLists(t: Test): Listed {
  mock.timers.enable({ apis: ['setTimeout'] });
  const published: FeedMessage[] = [];
  const lists = new BoardLists((message) => published.push(message));
  t.teardown(() => {
    lists.stop();
    mock.timers.reset();
  });
  return { lists, published, list: (board_id, title, user_ids = ['ann']) => lists.listed({ kind: 'board.listed', board_id, title, user_ids }) };
}

function titles(published: readonly FeedMessage[]): string[] {
  return published.map(({ event }) => (event.type === 'user.board_changed' ? event.title : event.type));
}

t.test('FEED2 the first change of a board is told at once, the last one of each second at its end', async (t) => {
  const { published, list } = startLists(t);
  list('a', '1');
  list('b', 'of another board');
  list('a', '2');
  list('a', '3', ['bob']);
  t.strictSame(titles(published), ['1', 'of another board']);
  mock.timers.tick(999);
  t.equal(published.length, 2);
  mock.timers.tick(1);
  t.strictSame(titles(published), ['1', 'of another board', '3']);
  t.strictSame(published.at(-1)?.user_ids, ['bob'], 'to those who were members then');
  list('a', '4');
  t.equal(published.length, 3, 'and not more than one in the next second');
  mock.timers.tick(1_000);
  mock.timers.tick(1_000);
  list('a', '5');
  t.strictSame(titles(published).slice(3), ['4', '5']);
});

t.test('FEED1 nothing is told of a board after its removal', async (t) => {
  const { lists, published, list } = startLists(t);
  list('a', '1');
  list('a', '2');
  lists.gone('a');
  lists.changed([{ user_id: 'ann', board_id: 'a', change: 'removed' }]);
  mock.timers.tick(5_000);
  t.strictSame(titles(published), ['1', 'user.board_removed']);
});

t.test('one change of many lists is one message for each board and kind', async (t) => {
  const { lists, published } = startLists(t);
  lists.changed([
    { user_id: 'ann', board_id: 'a', change: 'added' },
    { user_id: 'bob', board_id: 'a', change: 'added' },
    { user_id: 'bob', board_id: 'b', change: 'added' },
    { user_id: 'cy', board_id: 'a', change: 'removed' },
  ]);
  t.strictSame(published, [
    { user_ids: ['ann', 'bob'], event: { type: 'user.board_added', board_id: 'a' } },
    { user_ids: ['bob'], event: { type: 'user.board_added', board_id: 'b' } },
    { user_ids: ['cy'], event: { type: 'user.board_removed', board_id: 'a' } },
  ]);
});
