/** Lists the figures in which others are better, so that the report is honest. */
import { showMetric } from '../evaluate.js';
import { laneName, METRICS, type BenchResults, type LaneResult, type Metric, type ScenarioResult } from '../results.js';

export interface Loss {
  readonly scenario: string;
  readonly metric: string;
  readonly ours: string;
  readonly theirs: string;
  readonly rival: string;
  readonly factor: number;
}

const COMPARED: readonly Metric[] = ['rate', 'p50', 'p99', 'cpuMicros', 'peakBytes', 'bytesPerSocket', 'idleShare'];
/** Smaller differences also occur between rounds. */
const NOTEWORTHY = 1.1;

/** The largest first. */
export function lossesOf({ scenarios }: BenchResults): Loss[] {
  return scenarios
    .filter(({ problems }) => problems.length === 0)
    .flatMap((scenario) =>
      scenario.lanes.flatMap((rival) => {
        const ours = counterpart(scenario, rival);
        return ours === undefined ? [] : COMPARED.flatMap((metric) => compare(scenario, metric, ours, rival));
      }),
    )
    .sort((a, b) => b.factor - a.factor);
}

function counterpart({ lanes }: ScenarioResult, rival: LaneResult): LaneResult | undefined {
  if (rival.contestant === 'switchboard') return undefined;
  const own = lanes.filter(({ contestant }) => contestant === 'switchboard');
  return own.find(({ variant }) => variant === rival.variant) ?? own.at(-1);
}

function compare({ title }: ScenarioResult, metric: Metric, ours: LaneResult, rival: LaneResult): Loss[] {
  const [our, their] = [ours.medians[metric], rival.medians[metric]];
  if (our === undefined || their === undefined) return [];
  const factor = METRICS[metric].better === 'more' ? their / our : our / their;
  if (!(factor >= NOTEWORTHY) || !Number.isFinite(factor)) return [];
  return [
    {
      scenario: ours.variant === null ? title : `${title} (${ours.variant})`,
      metric: METRICS[metric].title,
      ours: showMetric(metric, our),
      theirs: showMetric(metric, their),
      rival: laneName(rival),
      factor,
    },
  ];
}
