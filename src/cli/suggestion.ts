/** The command that was probably meant. */

/** Letters that differ, at most: more is another word. */
const MAX_DIFFERENCE = 2;

/** Null if none is near. */
export function nearestOf(typed: string, names: readonly string[]): string | null {
  const near = names.map((name) => ({ name, difference: differenceOf(typed, name) })).filter(({ difference }) => difference <= MAX_DIFFERENCE);
  return near.sort((a, b) => a.difference - b.difference)[0]?.name ?? null;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function differenceOf(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number): number => rows[row]?.[column] ?? Infinity;
  for (let row = 1; row <= from.length; row += 1) {
    const current: number[] = [row];
    rows.push(current);
    for (let column = 1; column <= to.length; column += 1) {
      const isEqual = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (isEqual ? 0 : 1),
          isSwapped ? at(row - 2, column - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(from.length, to.length);
}
