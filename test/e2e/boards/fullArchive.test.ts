import t, { type Test } from 'tap';
import { SEARCHED_ROWS } from '../../../src/domain/board/archive/searching.js';
import type { ArchiveJson, BoardJson, CardJson } from '../../support/board/boardSnapshot.js';
import { enterWorld } from '../../support/board/boardWorld.js';
import { populate } from '../../support/board/populatedBoard.js';

const CARDS = 5_000;
/** Of one batch. */
const AT_ONCE = 100;

interface BatchAnswer {
  readonly answers: ReadonlyArray<{ readonly body: CardJson }>;
}

/** The oldest of all: a search for it examines the whole archive. */
async function findOne(t: Test, search: (query: string) => Promise<ArchiveJson>): Promise<void> {
  let next: string | null = null;
  let [requests, slowest, sum, found] = [0, 0, 0, 0];
  do {
    const from = performance.now();
    const before: string = next === null ? '' : `&before=${next}`;
    const page: ArchiveJson = await search(`kind=card&q=ARCHIVED${before}`);
    const tookMs = performance.now() - from;
    [slowest, sum] = [Math.max(slowest, tookMs), sum + tookMs];
    found += page.cards.length;
    if (page.next !== null) t.equal(page.cards.length, 0, 'a part in which there is nothing has a next one');
    next = page.next;
    requests += 1;
  } while (next !== null);
  t.equal(found, 1);
  t.ok(requests > CARDS / SEARCHED_ROWS, 'each request examines a part');
  t.comment(`${requests} requests searched the archive, ${Math.round(sum / requests)} ms each, the slowest in ${Math.round(slowest)} ms`);
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
  await findOne(t, (query) => board.do<ArchiveJson>(world.owner, `GET /boards/${board.id}/archive?${query}`));
  const document = await board.do<{ columns: Array<{ cards: unknown[] }> }>(world.owner, `GET /boards/${board.id}/export`);
  t.equal(
    document.columns.reduce((sum, { cards }) => sum + cards.length, 0),
    CARDS + 3,
    'and all of them are exported',
  );
});
