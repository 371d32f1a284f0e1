/** The boards of the user, kept current by the feed while the list is shown. */
import { signal } from '@preact/signals';
import type { BoardSummary } from '../../client/index.js';
import { client } from './session.js';

export interface ListedBoard extends BoardSummary {
  /** It changed while the list was shown. */
  readonly hasNews: boolean;
}

export type BoardList =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ready'; readonly boards: readonly ListedBoard[] };

export const boardList = signal<BoardList>({ kind: 'loading' });

/** Returns a function that stops. */
export function followBoardList(): () => void {
  const feed = client.feed();
  let isStopped = false;
  const read = async (): Promise<void> => {
    try {
      const boards = await readAll();
      if (isStopped) return;
      const news = newsIn(boardList.value);
      boardList.value = { kind: 'ready', boards: boards.map((board) => ({ ...board, hasNews: news.has(board.id) })) };
    } catch (error) {
      if (!isStopped && boardList.value.kind !== 'ready') boardList.value = { kind: 'failed', error };
    }
  };
  feed.ready.then(read, read);
  feed.on('reconnected', () => void read());
  feed.on('board_added', ({ board_id }) => void read().then(() => mark(board_id)));
  feed.on('board_removed', ({ board_id }) => change((boards) => boards.filter(({ id }) => id !== board_id)));
  feed.on('board_changed', ({ board_id, title }) =>
    change((boards) => boards.map((board) => (board.id === board_id ? { ...board, title, hasNews: true } : board))),
  );
  return () => {
    isStopped = true;
    feed.close();
  };
}

export function change(update: (boards: readonly ListedBoard[]) => readonly ListedBoard[]): void {
  const { value } = boardList;
  if (value.kind === 'ready') boardList.value = { kind: 'ready', boards: update(value.boards) };
}

/** The service decides how many boards a page has, so the list is complete when a page brings nothing new. */
async function readAll(): Promise<BoardSummary[]> {
  const boards = new Map<string, BoardSummary>();
  for (;;) {
    const known = boards.size;
    for (const board of await client.board.list({ offset: known })) boards.set(board.id, board);
    if (boards.size === known) return [...boards.values()];
  }
}

function mark(boardId: string): void {
  change((boards) => boards.map((board) => (board.id === boardId ? { ...board, hasNews: true } : board)));
}

function newsIn(list: BoardList): Set<string> {
  return new Set(list.kind === 'ready' ? list.boards.flatMap(({ id, hasNews }) => (hasNews ? [id] : [])) : []);
}
