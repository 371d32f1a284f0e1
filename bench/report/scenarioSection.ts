/** One scenario on the page: its table, and the charts that its figures allow. */
import { Histogram } from '../histogram.js';
import { inUnit, showMetric, showNumber } from '../evaluate.js';
import { laneName, METRICS, type LaneResult, type Metric, type ScenarioResult } from '../results.js';
import { barChart, curveChart, escapeHtml, logAxis, type Axis, type Series } from './charts.js';
import { ourSpeed } from './terminal.js';

export const COLORS: Readonly<Record<string, string>> = {
  limit: '#8b919c',
  switchboard: '#2f6fde',
  fastify: '#d0801f',
  socketio: '#2a9d78',
};

/** Metrics with bar charts. The others are only in the table. */
const BARS: readonly Metric[] = ['rate', 'cpuMicros', 'peakBytes', 'bytesPerSocket', 'idleShare', 'deliveries'];
/** Metrics drawn over the number of the variants. */
const CURVES: readonly Metric[] = ['rate', 'cpuMicros', 'p99', 'peakBytes'];
/** With this many variants a line is more readable than bars. */
const LEAST_POINTS = 3;
/** Of the latency distribution. */
const PERCENTILES = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1];

export function scenarioSection(scenario: ScenarioResult): string {
  const { id, title, note, problems } = scenario;
  return `<section id="${id}"><h3>${escapeHtml(title)}</h3>
${note === null || note === '' ? '' : `<p class="note">${escapeHtml(note)}</p>`}
${problems.map((problem) => `<p class="failed">Failed: ${escapeHtml(problem)}</p>`).join('\n')}
${table(scenario)}
<div class="charts">${charts(scenario).join('\n')}</div></section>`;
}

function table(scenario: ScenarioResult): string {
  const metrics = measured(scenario, Object.keys(METRICS) as Metric[]);
  const head = metrics.map((metric) => `<th>${METRICS[metric].title}<small>${METRICS[metric].unit}</small></th>`);
  const hasRivals = scenario.lanes.some((lane) => ourSpeed(scenario, lane) !== '');
  const rows = scenario.lanes.map((lane) => {
    const cells = metrics.map((metric) => {
      const value = lane.medians[metric];
      return `<td>${value === undefined ? '' : showNumber(inUnit(METRICS[metric].unit, value))}</td>`;
    });
    const name = `<th><i style="background: ${colorOf(lane)}"></i>${escapeHtml(laneName(lane))}</th>`;
    const isOurs = lane.contestant === 'switchboard';
    const speed = hasRivals ? `<td>${ourSpeed(scenario, lane)}</td>` : '';
    return `<tr${isOurs ? ' class="ours"' : ''}>${name}${cells.join('')}${speed}</tr>`;
  });
  const comparison = hasRivals ? '<th>our speed</th>' : '';
  return `<div class="wide"><table><tr><th></th>${head.join('')}${comparison}</tr>${rows.join('')}</table></div>`;
}

function charts(scenario: ScenarioResult): string[] {
  if (isCurve(scenario)) return measured(scenario, CURVES).map((metric) => curveByVariant(scenario, metric));
  const drawn = measured(scenario, BARS).map((metric) => bars(scenario, metric));
  return scenario.lanes.some((lane) => lane.latency.length > 0) ? [...drawn, latencyChart(scenario)] : drawn;
}

function bars({ lanes }: ScenarioResult, metric: Metric): string {
  const shown = lanes.flatMap((lane) => {
    const value = lane.medians[metric];
    if (value === undefined || !Number.isFinite(value)) return [];
    return [{ label: laneName(lane), value, shown: showMetric(metric, value), color: colorOf(lane) }];
  });
  const { title, better } = METRICS[metric];
  return barChart(`${title} (${better} is better)`, shown);
}

function isCurve({ lanes }: ScenarioResult): boolean {
  return new Set(lanes.flatMap(({ x }) => x ?? [])).size >= LEAST_POINTS;
}

/** A contestant without variants is a horizontal line. */
function curveByVariant({ lanes }: ScenarioResult, metric: Metric): string {
  const xs = [...new Set(lanes.flatMap(({ x }) => x ?? []))].sort((a, b) => a - b);
  const { title, unit, better } = METRICS[metric];
  const series = [...new Set(lanes.map(({ contestant }) => contestant))].map((contestant): Series => {
    const own = lanes.filter((lane) => lane.contestant === contestant && lane.medians[metric] !== undefined);
    const points = own.flatMap((lane) => {
      const value = lane.medians[metric] ?? Number.NaN;
      const shown = `${laneName(lane)}: ${showMetric(metric, value)}`;
      return (lane.x === null ? xs : [lane.x]).map((x) => ({ x, y: inUnit(unit, value), shown }));
    });
    const sorted = points.sort((a, b) => a.x - b.x);
    const color = COLORS[contestant] ?? 'gray';
    return { label: contestant, color, dashed: own.some(({ x }) => x === null), points: sorted };
  });
  const xAxis: Axis = { scale: Math.log10, ticks: xs.map((at) => ({ at, label: at.toLocaleString('en') })) };
  const yAxis = logAxis(
    series.flatMap(({ points }) => points.map(({ y }) => y)),
    tickLabel,
  );
  return curveChart(`${title}, ${unit} (${better} is better)`, series, xAxis, yAxis);
}

function latencyChart({ lanes }: ScenarioResult): string {
  const series = lanes.flatMap((lane): Series[] => {
    if (lane.latency.length === 0) return [];
    const histogram = Histogram.unpack(lane.latency);
    const points = PERCENTILES.map((x) => {
      const y = histogram.percentile(x);
      return { x, y, shown: `${percentileLabel(x)} ${showNumber(y)} ms` };
    });
    return [{ label: laneName(lane), color: colorOf(lane), dashed: isLaterVariant(lane, lanes), points }];
  });
  const xAxis: Axis = {
    scale: (x) => PERCENTILES.indexOf(x),
    ticks: PERCENTILES.map((at) => ({ at, label: percentileLabel(at) })),
  };
  const yAxis = logAxis(
    series.flatMap(({ points }) => points.map(({ y }) => y)),
    tickLabel,
  );
  return curveChart('latency, ms: the share of requests that were as fast or faster', series, xAxis, yAxis);
}

function percentileLabel(fraction: number): string {
  return fraction === 1 ? 'all' : `${Math.round(fraction * 1000) / 10} %`;
}

function tickLabel(value: number): string {
  return value >= 1 ? value.toLocaleString('en') : String(value);
}

function isLaterVariant(lane: LaneResult, lanes: readonly LaneResult[]): boolean {
  return lanes.find(({ contestant }) => contestant === lane.contestant) !== lane;
}

function measured({ lanes }: ScenarioResult, metrics: readonly Metric[]): Metric[] {
  return metrics.filter((metric) => lanes.some(({ medians }) => medians[metric] !== undefined));
}

function colorOf({ contestant }: LaneResult): string {
  return COLORS[contestant] ?? 'gray';
}
