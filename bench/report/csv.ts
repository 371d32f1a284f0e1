/** The medians as a table for other programs: one line for each lane. */
import { METRICS, type BenchResults, type Metric } from '../results.js';

const COLUMNS = Object.keys(METRICS) as Metric[];

/** In the base units of the results: milliseconds, bytes, shares of one core. */
export function csvOf({ startedAt, scenarios }: BenchResults): string {
  const rows = scenarios.flatMap(({ id, title, lanes, problems }) =>
    lanes.map(({ contestant, variant, medians }) => [
      startedAt,
      id,
      title,
      contestant,
      variant ?? '',
      problems.length === 0 ? 'ok' : 'failed',
      ...COLUMNS.map((metric) => String(medians[metric] ?? '')),
    ]),
  );
  const header = ['started_at', 'scenario', 'title', 'contestant', 'variant', 'state', ...COLUMNS];
  return [header, ...rows].map((row) => `${row.map(quoted).join(',')}\r\n`).join('');
}

/** As RFC 4180 says. A spreadsheet would run a text that begins like a formula. */
function quoted(text: string): string {
  const safe = /^[=+@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
