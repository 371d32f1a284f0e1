import type { AttackedService } from './attackedService.js';

/** A board of the attacker with one column of this many megabytes: full cards, created by one import. */
export interface LargeColumn {
  readonly boardId: string;
  readonly columnId: string;
}

const CARD_CHARACTERS = 10_000;

export async function importLargeColumn(attacked: AttackedService, megabytes: number): Promise<LargeColumn> {
  const card = { title: 'Large', description: 'x'.repeat(CARD_CHARACTERS) };
  const cards = Array.from({ length: (megabytes * 1_000_000) / CARD_CHARACTERS }, () => card);
  const columns = [{ id: 'large', title: 'Large', cards }];
  const document = { format: 'switchboard-board', version: 1, title: 'Attack', columns };
  const { board } = await attacked.do<{ board: { id: string } }>('POST', '/boards/import', document);
  const [column] = (await attacked.do<{ columns: Array<{ id: string }> }>('GET', `/boards/${board.id}`)).columns;
  if (column === undefined) throw new Error('the imported board has no column');
  return { boardId: board.id, columnId: column.id };
}
