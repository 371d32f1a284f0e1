import t from 'tap';
import type { ArchiveJson, BoardJson, CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const CARDS = 5_000;
/** Of one batch. */
const AT_ONCE = 100;

interface BatchAnswer {
  readonly answers: ReadonlyArray<{ readonly body: CardJson }>;
}

t.test('ARCHIVE1 a board with 5,000 archived cards is read as if it had none, and its archive page by page', async (t) => {
  const world = await enterWorld();
  const { board, todo } = await populate(world);
  const before = await board.do<BoardJson>(world.owner, `GET /boards/${board.id}`);
  const create = {
    method: 'POST',
    path: `/boards/${board.id}/columns/${todo.id}/cards`,
    body: { title: 'One of many', description: 'x'.repeat(500) },
  };
  for (let made = 0; made < CARDS; made += AT_ONCE) {
    const { answers } = await board.do<BatchAnswer>(world.owner, `POST /boards/${board.id}/batch`, {
      operations: Array.from({ length: AT_ONCE }, () => create),
    });
    await board.do(world.owner, `POST /boards/${board.id}/batch`, {
      operations: answers.map(({ body }) => ({ method: 'POST', path: `/cards/${body.id}/archive` })),
    });
  }
  const startedAt = performance.now();
  t.strictSame(await board.do<BoardJson>(world.owner, `GET /boards/${board.id}`), before);
  t.comment(`the board was read in ${Math.round(performance.now() - startedAt)} ms`);

  const seen = new Set<string>();
  let next: string | null = null;
  let [pages, slowest] = [0, 0];
  do {
    const from = performance.now();
    const page: ArchiveJson = await board.do<ArchiveJson>(
      world.owner,
      `GET /boards/${board.id}/archive?limit=200${next === null ? '' : `&before=${next}`}`,
    );
    slowest = Math.max(slowest, performance.now() - from);
    t.ok(page.cards.length + page.columns.length <= 200);
    for (const { id } of page.cards) seen.add(id);
    next = page.next;
    pages += 1;
  } while (next !== null);
  t.comment(`${pages} pages, the slowest in ${Math.round(slowest)} ms`);
  t.equal(seen.size, CARDS + 1, 'each once, with that of the populated board');
  const document = await board.do<{ columns: Array<{ cards: unknown[] }> }>(world.owner, `GET /boards/${board.id}/export`);
  t.equal(
    document.columns.reduce((sum, { cards }) => sum + cards.length, 0),
    CARDS + 3,
    'and all of them are exported',
  );
});
