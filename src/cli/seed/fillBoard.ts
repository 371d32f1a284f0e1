/** Boards full of cards, made through the API as a user would. The benchmark fills its contestants with it too. */

/** Sends a change; `post` of any client. */
export type Post = <Body>(path: string, body?: unknown) => Promise<Body>;

export interface BoardSize {
  readonly title?: string;
  readonly columns?: number;
  readonly cards?: number;
}

export interface FilledBoard {
  readonly id: string;
  readonly columns: readonly string[];
  readonly cards: readonly string[];
}

/** Enough to fill a group commit. */
const REQUESTS_AT_ONCE = 32;
/** One card in this many has a label. */
const LABEL_EVERY = 10;
const DESCRIPTION =
  'Customers see the old price for a few seconds after it changed. Find out which cache it comes from, and whether ' +
  'it may be asked to forget it when the price is saved.';

/** `onCard` is called after each card. */
export async function fillBoard(post: Post, size: BoardSize, onCard: () => void = () => undefined): Promise<FilledBoard> {
  const { title = 'A board', columns = 1, cards = 0 } = size;
  const { id } = await post<{ id: string }>('/boards', { title, description: DESCRIPTION });
  const columnIds: string[] = [];
  for (let n = 1; n <= columns; n += 1) {
    const column = await post<{ id: string }>(`/boards/${id}/columns`, { title: `Column ${n}` });
    columnIds.push(column.id);
  }
  const label = cards < LABEL_EVERY ? null : await post<{ id: string }>(`/boards/${id}/labels`, { name: 'urgent', color: '#dc2626' });
  const made = await inParallel(cards, async (n) => {
    const path = `/boards/${id}/columns/${columnIds[n % columnIds.length]}/cards`;
    const card = await post<{ id: string }>(path, { title: `Card ${n}`, description: DESCRIPTION });
    if (label !== null && n % LABEL_EVERY === 0) await post(`/cards/${card.id}/labels/${label.id}`);
    onCard();
    return card.id;
  });
  return { id, columns: columnIds, cards: made };
}

/** Some at a time. The results are in the order of their numbers. */
export async function inParallel<Result>(count: number, work: (n: number) => Promise<Result>, atOnce = REQUESTS_AT_ONCE): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const runLane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) results[n] = await work(n);
  };
  await Promise.all(Array.from({ length: Math.min(count, atOnce) }, runLane));
  return results;
}
