import type { Column, FullBoard } from '../../client/index.js';
import { CommandFailure, EX_FAILURE } from '../outcome.js';
import { printable } from '../table.js';

/** By id, or by title in any case if only one has it. */
export function findColumn(board: FullBoard, name: string): Column {
  const wanted = name.trim().toLowerCase();
  const found = board.columns.filter(({ id, title }) => id === wanted || title.toLowerCase() === wanted);
  const [column] = found;
  if (column !== undefined && found.length === 1) return column;
  const titles = board.columns.map(({ title }) => `"${printable(title)}"`).join(', ');
  const problem =
    found.length > 1 ? `Several columns are called "${name}": give the id of one.` : `No column is called "${name}": there are ${titles || 'none'}.`;
  throw new CommandFailure(EX_FAILURE, problem);
}
