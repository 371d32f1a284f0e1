/** The text format that Prometheus reads. */
import type { HistogramData } from './histogram.js';

export type Labels = Readonly<Record<string, string>>;

export type Metric =
  | { readonly kind: 'counter' | 'gauge'; readonly name: string; readonly help: string; readonly samples: readonly Sample[] }
  | { readonly kind: 'histogram'; readonly name: string; readonly help: string; readonly series: readonly Series[] };

export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

export interface Series {
  readonly labels?: Labels;
  readonly data: HistogramData;
}

export const CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function renderMetrics(metrics: readonly Metric[]): string {
  return `${metrics.map(renderMetric).join('\n')}\n`;
}

function renderMetric(metric: Metric): string {
  const lines = [`# HELP ${metric.name} ${metric.help}`, `# TYPE ${metric.name} ${metric.kind}`];
  if (metric.kind === 'histogram') {
    for (const { labels, data } of metric.series) lines.push(...histogramLines(metric.name, labels ?? {}, data));
  } else {
    for (const { labels, value } of metric.samples) lines.push(`${metric.name}${renderLabels(labels ?? {})} ${value}`);
  }
  return lines.join('\n');
}

function histogramLines(name: string, labels: Labels, { bounds, counts, sum, count }: HistogramData): string[] {
  let below = 0;
  const buckets = bounds.map((bound, index) => {
    below += counts[index] ?? 0;
    return `${name}_bucket${renderLabels({ ...labels, le: String(bound) })} ${below}`;
  });
  return [
    ...buckets,
    `${name}_bucket${renderLabels({ ...labels, le: '+Inf' })} ${count}`,
    `${name}_sum${renderLabels(labels)} ${sum}`,
    `${name}_count${renderLabels(labels)} ${count}`,
  ];
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escape(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escape(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
