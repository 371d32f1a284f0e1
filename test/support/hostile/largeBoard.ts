/** A board of some ten megabytes, created by one import. */
import type { AttackedService } from './attackedService.js';

const CARDS = 1_000;
const DESCRIPTION = 'A long story. '.repeat(715).slice(0, 10_000);

export interface LargeBoard {
  readonly id: string;
  /** Nearly all of the board is in it. */
  readonly columnId: string;
}

export async function importLargeBoard(attacked: AttackedService): Promise<LargeBoard> {
  const cards = Array.from({ length: CARDS }, (_, n) => ({ title: `Card ${n}`, description: DESCRIPTION }));
  const document = {
    format: 'switchboard-board',
    version: 1,
    title: 'A large board',
    columns: [{ id: 'all', title: 'All of it', cards }],
  };
  const { board } = await attacked.do<{ board: { id: string } }>('POST', '/boards/import', document);
  const { columns } = await attacked.do<{ columns: { id: string }[] }>('GET', `/boards/${board.id}`);
  const [column] = columns;
  if (column === undefined) throw new Error('the imported board has no column');
  return { id: board.id, columnId: column.id };
}
