/** Times as people say them: "2 hours ago", "in 6 days". */
const FORMAT = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' });
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
  return unit === 'second' ? 'just now' : FORMAT.format(Math.round(seconds / size), unit);
}

export function exactTime(time: string): string {
  return EXACT.format(new Date(time));
}
