/** The first screen of the report: one chart that says how the run went, and how to read it. */
import { compareSpeed, showMetric, showRatio } from '../evaluate.js';
import type { BenchResults, LaneResult, ScenarioResult } from '../results.js';
import { barChart, escapeHtml } from './charts.js';
import { COLORS } from './scenarioSection.js';

/** Who we are compared with, in words. */
const RIVALS: Readonly<Record<string, string>> = { limit: 'bare uWebSockets', fastify: 'Fastify and ws', socketio: 'Socket.IO' };
const MAX_ROWS = 14;
const ROW = 34;
const [WIDTH, LEFT, RIGHT] = [960, 330, 70];
const [DOT, HALF] = [6, 17];

interface Row {
  readonly title: string;
  readonly points: ReadonlyArray<{ readonly rival: string; readonly ratio: number }>;
}

export function overview(results: BenchResults): string {
  const rows = results.scenarios.flatMap(rowOf).slice(0, MAX_ROWS);
  return rows.length === 0 ? ratesOf(results) : ratioChart(rows);
}

/** The last form of ours, against each rival in the same form if it has one. */
function rowOf(scenario: ScenarioResult): Row[] {
  const { title, lanes, problems, speedBy } = scenario;
  if (problems.length > 0 || speedBy === 'none') return [];
  const ours = lanes.filter(({ contestant }) => contestant === 'switchboard').at(-1);
  if (ours?.medians.rate === undefined) return [];
  const rivals = [...new Set(lanes.map(({ contestant }) => contestant))].filter((name) => name in RIVALS);
  const points = rivals.flatMap((rival) => {
    const own = lanes.filter(({ contestant, medians }) => contestant === rival && medians.rate !== undefined);
    const theirs = own.find(({ variant }) => variant === ours.variant) ?? own.at(-1);
    if (theirs === undefined) return [];
    const { ratio } = compareSpeed(ours, theirs, speedBy);
    return Number.isFinite(ratio) && ratio > 0 ? [{ rival, ratio }] : [];
  });
  return points.length === 0 ? [] : [{ title: ours.variant === null ? title : `${title}, ${ours.variant}`, points }];
}

/** A point for each rival on a logarithmic line; right of the mark at 1 we are faster. */
function ratioChart(rows: readonly Row[]): string {
  const ratios = rows.flatMap(({ points }) => points.map(({ ratio }) => ratio));
  const low = Math.min(-1, Math.floor(Math.log10(Math.min(...ratios))));
  const high = Math.max(1, Math.ceil(Math.log10(Math.max(...ratios))));
  const toX = (ratio: number): number => LEFT + ((Math.log10(ratio) - low) / (high - low)) * (WIDTH - LEFT - RIGHT);
  const height = rows.length * ROW + 34;
  const ticks = Array.from({ length: high - low + 1 }, (_, step) => 10 ** (low + step)).map((at) => {
    const x = toX(at).toFixed(1);
    const isOne = at === 1;
    return (
      `<line class="${isOne ? 'one' : 'grid'}" x1="${x}" x2="${x}" y1="20" y2="${height - 4}"/>` +
      `<text x="${x}" y="12" text-anchor="middle">${isOne ? 'as fast' : tickLabel(at)}</text>`
    );
  });
  const lines = rows.map(({ title, points }, index) => {
    const y = 30 + index * ROW + HALF;
    const marks = points.map(({ rival, ratio }, place) => {
      const x = toX(ratio);
      return (
        `<circle cx="${x.toFixed(1)}" cy="${y - 4}" r="${DOT}" fill="${COLORS[rival] ?? 'gray'}"><title>${escapeHtml(`${RIVALS[rival]}: ${showRatio(ratio)}`)}</title></circle>` +
        // Beside the line, not across it.
        (ratio < 1
          ? `<text class="value" x="${(x - DOT - 4).toFixed(1)}" y="${y}" text-anchor="end">${showRatio(ratio)}</text>`
          : `<text class="value" x="${(x + DOT + 4).toFixed(1)}" y="${y + (place % 2 === 0 ? 0 : 10)}">${showRatio(ratio)}</text>`)
      );
    });
    return `<text class="name" x="${LEFT - 14}" y="${y}" text-anchor="end">${escapeHtml(shortened(title))}</text>${marks.join('')}`;
  });
  const present = new Set(rows.flatMap(({ points }) => points.map(({ rival }) => rival)));
  const legend = Object.entries(RIVALS)
    .filter(([name]) => present.has(name))
    .map(([name, words]) => `<span><i class="dot" style="background: ${COLORS[name] ?? 'gray'}"></i>against ${escapeHtml(words)}</span>`);
  const caption = 'How fast Switchboard is, compared in the same run';
  return `<figure class="overview"><figcaption>${caption}</figcaption>
<p>Each point is our speed divided by that of another program at the same work. Right of the line we are faster; a point at 10 × means ten times as
many operations. Bare uWebSockets does none of a service’s work: it shows what the machine can do at best.</p>
<p class="legend">${legend.join('')}</p>
<div class="wide"><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${caption}">${ticks.join('')}${lines.join('')}</svg></div></figure>`;
}

/** Without rivals, as for a service that was running already: what it did, and how long the slowest took. */
function ratesOf({ scenarios }: BenchResults): string {
  const lanes = scenarios.flatMap(({ title, lanes: own, problems }) => (problems.length > 0 ? [] : own.map((lane) => ({ title, lane }))));
  const bars = lanes.flatMap(({ title, lane }) => barOf(title, lane)).slice(0, MAX_ROWS);
  if (bars.length === 0) return '<p>No scenario of this run has figures.</p>';
  return `<div class="overview"><p>Operations a second, and in how much time 99 of 100 were answered. Longer bars are better.</p>${barChart('Operations a second', bars)}</div>`;
}

function barOf(title: string, { contestant, variant, medians }: LaneResult): Parameters<typeof barChart>[1] {
  if (medians.rate === undefined) return [];
  const wait = medians.p99 === undefined ? '' : `, 99 % in ${showMetric('p99', medians.p99)}`;
  const label = shortened(variant === null ? title : `${title}, ${variant}`);
  return [{ label, value: medians.rate, shown: `${showMetric('rate', medians.rate)}${wait}`, color: COLORS[contestant] ?? 'var(--target)' }];
}

function tickLabel(at: number): string {
  return at > 1 ? `${at} × faster` : `1/${Math.round(1 / at)}`;
}

function shortened(title: string): string {
  return title.length <= 48 ? title : `${title.slice(0, 47)}…`;
}
