/** Two runs side by side: what became better or worse. */
import { readFile } from 'node:fs/promises';
import { showMetric, showRatio } from '../evaluate.js';
import { laneName, METRICS, RESULTS_VERSION, type BenchResults, type LaneResult, type Metric } from '../results.js';
import { textTable } from './table.js';

const COMPARED: readonly Metric[] = ['rate', 'p50', 'p99', 'cpuMicros', 'peakBytes', 'bytesPerSocket'];
/** Smaller differences also occur between two runs of one program. */
const NOTEWORTHY = 1.1;

/** Throws with the name of the file if it is not one of ours. */
export async function readResults(path: string): Promise<BenchResults> {
  const text = await readFile(path, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || !('version' in value) || value.version !== RESULTS_VERSION || !('scenarios' in value)) {
    throw new Error(`${path} has no results of this benchmark (version ${RESULTS_VERSION})`);
  }
  return value as BenchResults;
}

export function comparison(before: BenchResults, after: BenchResults): string {
  const rows = after.scenarios.flatMap((scenario) => {
    const earlier = before.scenarios.find(({ id }) => id === scenario.id);
    if (earlier === undefined || earlier.problems.length > 0 || scenario.problems.length > 0) return [];
    return scenario.lanes.flatMap((lane) => {
      const counterpart = earlier.lanes.find((other) => laneName(other) === laneName(lane));
      return counterpart === undefined ? [] : compareLane(scenario.title, counterpart, lane);
    });
  });
  if (rows.length === 0) return 'The two runs have no scenario in common.\n';
  const machines = [before, after].map(({ machine }) => `${machine.cores} × ${machine.cpu}`);
  const warning = machines[0] === machines[1] ? '' : `The machines differ (${machines.join(', ')}), so the figures say little.\n`;
  return `${textTable([['scenario', '', '', 'before', 'after', 'after / before', ''], ...rows], new Set([3, 4, 5]))}\n${warning}`;
}

function compareLane(title: string, before: LaneResult, after: LaneResult): string[][] {
  return COMPARED.flatMap((metric) => {
    const [old, now] = [before.medians[metric], after.medians[metric]];
    if (old === undefined || now === undefined || !(old > 0)) return [];
    const ratio = now / old;
    return [
      [title, laneName(after), METRICS[metric].title, showMetric(metric, old), showMetric(metric, now), showRatio(ratio), verdict(metric, ratio)],
    ];
  });
}

function verdict(metric: Metric, ratio: number): string {
  const gain = METRICS[metric].better === 'more' ? ratio : 1 / ratio;
  if (gain >= NOTEWORTHY) return 'better';
  return gain <= 1 / NOTEWORTHY ? 'WORSE' : '';
}
