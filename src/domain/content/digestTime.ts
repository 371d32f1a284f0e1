/** When the mail of the day is sent: at a fixed hour of its reader's clock. */
import { DAY_MS, HOUR_MS } from './time.js';

const DIGEST_HOUR = 8;

/** The next such hour after this moment; null: in UTC. Where the clocks jump over it, an hour later. */
export function nextDigest(after: string, zone: string | null): string {
  const from = Date.parse(after);
  if (zone === null) return new Date(nextInUtc(from)).toISOString();
  const clock = clockOf(zone);
  // Days of the reader, as days of UTC: the first of them may be over.
  for (let day = nextInUtc(from + clock(from)) - DAY_MS; ; day += DAY_MS) {
    // The offset at that hour, which differs from the one now where the clocks change in between.
    const guess = day - clock(day - clock(day));
    if (guess > from) return new Date(guess).toISOString();
  }
}

function nextInUtc(from: number): number {
  const today = Math.floor(from / DAY_MS) * DAY_MS + DIGEST_HOUR * HOUR_MS;
  return today > from ? today : today + DAY_MS;
}

/** How many milliseconds the clock of the zone is ahead of UTC at a moment. */
function clockOf(timeZone: string): (at: number) => number {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en', { timeZone, hourCycle: 'h23', calendar: 'gregory', ...fields });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (name: keyof typeof fields): number => parts.get(name) ?? 0;
    const shown = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return shown - Math.floor(at / 1000) * 1000;
  };
}
