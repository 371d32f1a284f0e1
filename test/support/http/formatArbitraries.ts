/** Random values of the formats in the API document, as the standards behind them define these. */
import fc from 'fast-check';

interface Years {
  readonly min: number;
  readonly max: number;
}
/** `date-time` has years of four digits. */
export const PAST_YEARS: Years = { min: 0, max: 2025 };
export const COMING_YEARS: Years = { min: 2030, max: 9999 };

const MONTHS_OF_30 = [4, 6, 9, 11];

/** A `full-date` of RFC 3339. The first and the last are where offsets matter. */
export function days({ min, max }: Years): fc.Arbitrary<string> {
  const any = fc
    .record({ year: fc.integer({ min, max }), month: fc.integer({ min: 1, max: 12 }), day: fc.integer({ min: 1, max: 31 }) })
    .map(({ year, month, day }) => `${digits(year, 4)}-${digits(month)}-${digits(Math.min(day, lastDay(year, month)))}`);
  return fc.oneof({ weight: 8, arbitrary: any }, { weight: 1, arbitrary: fc.constantFrom(`${digits(min, 4)}-01-01`, `${digits(max, 4)}-12-31`) });
}

function lastDay(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return MONTHS_OF_30.includes(month) ? 30 : 31;
}

/** A `date-time` of RFC 3339, with leap seconds and fractions of any length: what the document excludes is filtered. */
export function moments(years: Years): fc.Arbitrary<string> {
  const offset = fc.oneof(
    fc.constantFrom('Z', 'z', '-00:00'),
    fc.tuple(fc.constantFrom('+', '-'), hours(), minutes()).map(([sign, hour, minute]) => `${sign}${hour}:${minute}`),
  );
  // Ten digits and more are rare among lengths that are chosen evenly.
  const fraction = fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,9}$/), fc.stringMatching(/^\.\d{10,12}$/));
  const time = fc
    .tuple(hours(), minutes(), minutes(), fraction, offset)
    .map(([hour, minute, second, part, zone]) => `${hour}:${minute}:${second}${part}${zone}`);
  return fc
    .record({
      day: days(years),
      separator: fc.constantFrom('T', 't'),
      time: fc.oneof({ weight: 8, arbitrary: time }, { weight: 1, arbitrary: LEAP_SECOND }),
    })
    .map(({ day, separator, time: moment }) => `${day}${separator}${moment}`);
}

const LEAP_SECOND = fc.constantFrom('23:59:60Z', '23:59:60.5Z', '22:59:60-01:00');
const hours = (): fc.Arbitrary<string> => upTo(23);
const minutes = (): fc.Arbitrary<string> => upTo(59);

function upTo(max: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max }).map((number) => digits(number));
}

function digits(number: number, count = 2): string {
  return String(number).padStart(count, '0');
}

/** Links of the database: other names of a zone. */
const ZONE_LINKS = [
  'UTC',
  'GMT',
  'Zulu',
  'Etc/GMT+12',
  'Etc/GMT-14',
  'EST5EDT',
  'US/Pacific',
  'Asia/Calcutta',
  'Asia/Kolkata',
  'America/Argentina/Ushuaia',
];

export function zoneNames(): fc.Arbitrary<string> {
  return fc.constantFrom(...Intl.supportedValuesOf('timeZone'), ...ZONE_LINKS);
}

/** RFC 2606: nobody has them, so nothing that a test sends arrives anywhere. */
const RESERVED = ['example', 'invalid', 'test'];

/** Of http and https, with every part that a URI may have. What the document excludes, such as a user, is filtered. */
export function webAddresses(): fc.Arbitrary<string> {
  const optional = (part: fc.Arbitrary<string>): fc.Arbitrary<string> => fc.oneof(fc.constant(''), part);
  return fc
    .record({
      scheme: fc.constantFrom('http', 'https'),
      user: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom('ann@', 'ann:secret@') }),
      host: fc.tuple(fc.domain(), fc.constantFrom(...RESERVED)).map(([name, top]) => `${name}.${top}`),
      port: optional(fc.integer({ min: 0, max: 65_535 }).map((port) => `:${port}`)),
      path: fc.webPath(),
      query: optional(fc.webQueryParameters().map((text) => `?${text}`)),
      fragment: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.webFragments().map((text) => `#${text}`) }),
    })
    .map(({ scheme, user, host, port, path, query, fragment }) => `${scheme}://${user}${host}${port}${path}${query}${fragment}`);
}

/** Of RFC 5322, and some that only its longer forms allow: what the document excludes is filtered. */
export const EMAIL_ADDRESSES: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: fc.emailAddress() },
  { weight: 1, arbitrary: fc.constantFrom('root@localhost', '"a b"@example.org') },
);
