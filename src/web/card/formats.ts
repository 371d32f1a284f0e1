/** Sizes and parts for people, in the language of the page. */
import { catalogue, say } from '../words/catalogue.js';

const UNITS = ['kB', 'MB', 'GB'] as const;

export function formatSize(bytes: number): string {
  if (bytes < 1000) return say('size.byte', { count: Math.round(bytes) });
  let size = bytes / 1000;
  let unit = 0;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const number = new Intl.NumberFormat(catalogue.value.locale, { maximumSignificantDigits: 3 }).format(size);
  return `${number} ${UNITS[unit] ?? ''}`;
}

/** From 0 to 1, as whole percent that are reached. */
export function formatPart(part: number): string {
  return new Intl.NumberFormat(catalogue.value.locale, { style: 'percent' }).format(Math.floor(part * 100) / 100);
}
