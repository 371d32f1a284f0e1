/** Text in columns. */
export function textTable(rows: readonly (readonly string[])[], rightAligned: ReadonlySet<number>): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  const align = (cell: string, column: number): string => {
    const width = widths[column] ?? 0;
    return rightAligned.has(column) ? cell.padStart(width) : cell.padEnd(width);
  };
  return rows.map((row) => row.map(align).join('  ').trimEnd()).join('\n');
}
