/**
 * Copies of the boards that the user saw in the last days, in the browser's database, to be read while the service is away.
 * They belong to a session: when it ends, or another user comes, they go.
 */
import type { FullBoard, PublicUser } from '../../client/index.js';
import { answered, inTime, PageTable } from './pageTable.js';
import { DAY_MS } from '../dates/dates.js';

const table = new PageTable('switchboard boards', 'copies', (database) => database.createObjectStore('copies', { keyPath: ['userId', 'boardId'] }));

/** Older ones are not shown, and go. */
const MAX_AGE_MS = 7 * DAY_MS;
/** Of a user; the oldest go. */
const MAX_COPIES = 20;
/** A larger board is not kept: writing it would take long. */
const MAX_CARDS = 5_000;

export interface BoardCopy {
  readonly userId: string;
  readonly boardId: string;
  /** When the board was so, in milliseconds. */
  readonly at: number;
  readonly user: PublicUser;
  readonly board: FullBoard;
}

/** Replaces an earlier one. */
export function keepCopy(user: PublicUser, board: FullBoard): Promise<void> {
  const cards = board.columns.reduce((sum, column) => sum + column.cards.length, 0);
  if (cards > MAX_CARDS) return removeCopy(board.id);
  return attempt(() =>
    table.transact('readwrite', async (copies) => {
      const row: BoardCopy = { userId: user.id, boardId: board.id, at: Date.now(), user, board };
      await answered(copies.put(row));
      const rows = (await allRows(copies)).sort((one, other) => other.at - one.at);
      for (const old of rows.filter(({ at }, index) => index >= MAX_COPIES || isOld(at))) await answered(copies.delete(keyOf(old)));
    }),
  );
}

/** The user has lost the board, or it is gone. */
export function removeCopy(boardId: string): Promise<void> {
  return removeWhere((row) => row.boardId === boardId);
}

/** The session has ended. */
export function removeCopies(): Promise<void> {
  return removeWhere(() => true);
}

/** The session has ended. Answers whether there was one in this browser that was not ended here: a logout leaves no copies. */
export async function takeCopies(): Promise<boolean> {
  const taken = readCopies().then(
    async (copies) => {
      await removeCopies();
      return copies.length > 0;
    },
    () => false,
  );
  return inTime(taken, false);
}

/**
 * The service answers, and this is its user: what others left in this browser goes, and so do boards that the user is no longer
 * on. `readBoards` is asked only if there are copies of an earlier visit: what is kept from now on comes from the service.
 */
export function checkCopies(userId: string, readBoards: () => Promise<ReadonlySet<string>>): Promise<void> {
  const now = Date.now();
  const isEarlier = ({ at }: BoardCopy): boolean => at < now;
  return attempt(async () => {
    await removeWhere((row) => row.userId !== userId || isOld(row.at));
    if (!(await readCopies()).some(isEarlier)) return;
    const boards = await readBoards();
    await removeWhere((row) => isEarlier(row) && !boards.has(row.boardId));
  });
}

/** The latest first. */
export async function readCopies(): Promise<readonly BoardCopy[]> {
  const rows = await table.transact('readonly', allRows);
  return rows.filter(({ at }) => !isOld(at)).sort((one, other) => other.at - one.at);
}

function isOld(at: number): boolean {
  return at < Date.now() - MAX_AGE_MS;
}

function removeWhere(isMeant: (row: BoardCopy) => boolean): Promise<void> {
  return attempt(() =>
    table.transact('readwrite', async (copies) => {
      for (const row of (await allRows(copies)).filter(isMeant)) await answered(copies.delete(keyOf(row)));
    }),
  );
}

/** Nothing depends on the copies: a browser that refuses a database, or whose disk is full, has none. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.warn(error);
  }
}

function keyOf({ userId, boardId }: BoardCopy): IDBValidKey {
  return [userId, boardId];
}

function allRows(copies: IDBObjectStore): Promise<BoardCopy[]> {
  return answered(copies.getAll() as IDBRequest<BoardCopy[]>);
}
