/** Brings deleted boards back. */
import { attempt, notify } from '../state/notices.js';
import { client } from '../state/session.js';
import { say } from '../words/catalogue.js';

/** Offers to restore the board that was just deleted, if the service keeps it. */
export async function offerRestore(id: string, title: string): Promise<void> {
  const { boards } = await client.trash.mine();
  const action = { name: say('archive.restore'), run: () => void restoreBoard(id, title) };
  notify('info', say('deletedBoards.deleted', { title }), boards.some((board) => board.id === id) ? action : undefined);
}

/** Answers whether it is back. The feed tells the list of boards. */
export async function restoreBoard(board_id: string, title: string): Promise<boolean> {
  if (!(await attempt(say('archive.notRestored'), () => client.board.restore({ board_id })))) return false;
  notify('info', say('trash.restored', { title }));
  return true;
}
