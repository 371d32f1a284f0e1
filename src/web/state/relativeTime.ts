/** Times as people say them, in the language of the page: "2 hours ago", "in 6 days". */
import { catalogue, say } from '../words/catalogue.js';

const DAY_S = 86_400;

/** The largest unit that fits is said. */
const UNITS: ReadonlyArray<readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['year', 365 * DAY_S],
  ['month', 30 * DAY_S],
  ['week', 7 * DAY_S],
  ['day', DAY_S],
  ['hour', 3_600],
  ['minute', 60],
];

export function relativeTime(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1000;
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', Infinity];
  if (unit === 'second') return say('time.justNow');
  return new Intl.RelativeTimeFormat(catalogue.value.locale, { numeric: 'auto' }).format(Math.round(seconds / size), unit);
}

/** For tables. */
export function shortTime(time: string): string {
  return format(time, { dateStyle: 'medium', timeStyle: 'short' });
}

export function exactTime(time: string): string {
  return format(time, { dateStyle: 'long', timeStyle: 'short' });
}

export function formatDay(time: string): string {
  return format(time, { dateStyle: 'medium' });
}

function format(time: string, options: Intl.DateTimeFormatOptions): string {
  const { locale, timeZone } = catalogue.value;
  return new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(new Date(time));
}
