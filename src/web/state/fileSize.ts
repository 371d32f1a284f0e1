const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;

/** A number of bytes as people say it: "3.2 MB". */
export function sizeText(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  return `${value.toLocaleString('en-GB', { maximumSignificantDigits: 3 })} ${UNITS[step] ?? ''}`;
}
