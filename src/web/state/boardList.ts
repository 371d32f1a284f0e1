/** The boards of the user, kept current by the feed while the list is shown. */
import { signal } from '@preact/signals';
import type { BoardSummary } from '../../client/index.js';
import { removeCopy } from '../kept/boardCopies.js';
import { newsBetween } from './boardNews.js';
import { attempt, notify } from './notices.js';
import { client } from './session.js';
import { say } from '../words/catalogue.js';

export interface ListedBoard extends BoardSummary {
  /** What another user changed while the list was shown, such as "renamed"; null for nothing. */
  readonly news: string | null;
}

export type BoardList =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ready'; readonly boards: readonly ListedBoard[] };

export const boardList = signal<BoardList>({ kind: 'loading' });
/** Deleted by this window: a reading that is under way may still have them. */
const deletedHere = new Set<string>();

/** Returns a function that stops. */
export function followBoardList(): () => void {
  const feed = client.feed();
  const reader = new Reader();
  feed.ready.then(reader.read, reader.read);
  feed.on('reconnected', reader.read);
  feed.on('board_added', ({ board_id }) => {
    // A board that was deleted here may be restored.
    deletedHere.delete(board_id);
    reader.read();
  });
  // The message has the title alone; the rest is read.
  feed.on('board_changed', reader.read);
  feed.on('board_removed', ({ board_id }) => {
    reader.leaveOut(board_id);
    void removeCopy(board_id);
    removedByOthers(board_id);
  });
  return () => {
    reader.stop();
    feed.close();
  };
}

/** Shown at once; taken back with a notice if it is refused. */
export async function renameBoard({ id, title: before }: ListedBoard, title: string, isOvertaken: boolean): Promise<void> {
  const show = (shown: string): void => update((boards) => boards.map((board) => (board.id === id ? { ...board, title: shown } : board)));
  // Through the queue: it is sent until it is answered, also by the next window.
  const connection = client.connect(id);
  if (isOvertaken) {
    connection.setAside('board.update', { board_id: id }, { title });
    connection.close();
    return notify('failure', say('common.failed', { what: say('boards.notRenamed'), reason: say('unsaved.overtaken') }));
  }
  show(title);
  const answer = connection.change('board.update', { board_id: id }, { title });
  connection.close();
  if (!(await attempt(say('boards.notRenamed'), () => answer))) show(before);
}

/** As `renameBoard`. */
export async function starBoard({ id, is_starred: before }: ListedBoard): Promise<void> {
  const show = (is_starred: boolean): void => update((boards) => boards.map((board) => (board.id === id ? { ...board, is_starred } : board)));
  show(!before);
  const send = before ? client.board.unstar : client.board.star;
  if (!(await attempt(say('boards.notStarred'), () => send({ board_id: id })))) show(before);
}

/** As `renameBoard`. Answers whether it is deleted. */
export async function deleteBoard(board: ListedBoard): Promise<boolean> {
  const { value: before } = boardList;
  deletedHere.add(board.id);
  update((boards) => boards.filter(({ id }) => id !== board.id));
  if (await attempt(say('boards.notDeleted'), () => client.board.delete({ board_id: board.id }))) return true;
  deletedHere.delete(board.id);
  boardList.value = before;
  return false;
}

/** Reads the list, one reading at a time: what is reported meanwhile needs only one more. */
class Reader {
  #state: 'idle' | 'reading' | 'again' | 'stopped' = 'idle';
  /** Taken away since the reading began, so its answer may still have them. */
  readonly #removed = new Set<string>();

  readonly read = (): void => {
    if (this.#state === 'idle') void this.#run();
    else if (this.#state === 'reading') this.#state = 'again';
  };

  leaveOut(boardId: string): void {
    if (this.#state !== 'reading' && this.#state !== 'again') return;
    this.#removed.add(boardId);
    this.#state = 'again';
  }

  stop(): void {
    this.#state = 'stopped';
  }

  async #run(): Promise<void> {
    this.#state = 'reading';
    this.#removed.clear();
    try {
      const boards = (await readAll()).filter(({ id }) => !deletedHere.has(id) && !this.#removed.has(id));
      if (this.#isStopped()) return;
      boardList.value = { kind: 'ready', boards: withNews(boards, boardList.value) };
    } catch (error) {
      if (!this.#isStopped() && boardList.value.kind !== 'ready') boardList.value = { kind: 'failed', error };
    }
    const isAgain = this.#isAgain();
    this.#state = 'idle';
    if (isAgain) this.read();
  }

  // Methods, because the state changes while one waits, which TypeScript does not see.
  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #isAgain(): boolean {
    return this.#state === 'again';
  }
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

function withNews(boards: readonly BoardSummary[], shown: BoardList): readonly ListedBoard[] {
  if (shown.kind !== 'ready') return boards.map((board) => ({ ...board, news: null }));
  const before = new Map(shown.boards.map((board) => [board.id, board]));
  return boards.map((board) => {
    const known = before.get(board.id);
    return { ...board, news: known === undefined ? say('boardNews.new') : (newsBetween(known, board) ?? known.news) };
  });
}

/** A board that this window deleted is no longer in the list. */
function removedByOthers(boardId: string): void {
  const { value } = boardList;
  const board = value.kind === 'ready' ? value.boards.find(({ id }) => id === boardId) : undefined;
  if (board === undefined) return;
  update((boards) => boards.filter(({ id }) => id !== boardId));
  notify('info', say('boards.goneForYou', { title: board.title }));
}

function update(change: (boards: readonly ListedBoard[]) => readonly ListedBoard[]): void {
  const { value } = boardList;
  if (value.kind === 'ready') boardList.value = { kind: 'ready', boards: change(value.boards) };
}
