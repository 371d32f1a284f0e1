/** Times and sizes for people, in the language of the page. */
const LANGUAGE = 'en-GB';
const DAY = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium' });
const UNITS = ['bytes', 'kB', 'MB', 'GB'] as const;
const NUMBER = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 3 });

export function formatDay(timestamp: string): string {
  return DAY.format(new Date(timestamp));
}

export function formatSize(bytes: number): string {
  let size = bytes;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${NUMBER.format(size)} ${bytes === 1 ? 'byte' : (UNITS[unit] ?? '')}`;
}
