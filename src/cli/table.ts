/** Columns for a person to read; scripts have JSON. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows.map((row) => row.map(printable))];
  const widths = header.map((_title, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd())
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Names are chosen by whoever registers. On a terminal a control character in one of them could move the cursor,
 * forge a row or worse, so each is replaced by a visible mark.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
}
