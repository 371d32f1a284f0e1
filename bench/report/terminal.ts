/** The output on the terminal: progress and results. */
import type { WriteStream } from 'node:tty';
import { compareSpeed, showMetric, showRatio } from '../evaluate.js';
import { laneName, METRICS, type BenchResults, type LaneResult, type Metric, type ScenarioResult } from '../results.js';
import type { Progress } from '../run.js';
import { textTable } from './table.js';

/** Progress overwrites one line of the terminal; a file gets whole lines only. */
export function terminalProgress(out: Pick<WriteStream, 'write'> & { readonly isTTY?: boolean }): Progress {
  const overwrite = (text: string): void => {
    if (out.isTTY) out.write(`\r\x1b[K${text}`);
  };
  return {
    onGroup: ({ name, summary }) => {
      overwrite('');
      out.write(`\n${name}: ${summary}\n`);
    },
    onScenario: ({ title }) => overwrite(`  ${title} …`),
    onRound: ({ title }, round, rounds) => overwrite(`  ${title}: ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`),
    onNote: (text) => {
      overwrite('');
      out.write(`  ${text}\n`);
    },
    onScenarioDone: (result) => {
      overwrite('');
      out.write(`${scenarioTable(result)}\n`);
    },
  };
}

const SHOWN = Object.keys(METRICS) as Metric[];

export function scenarioTable(scenario: ScenarioResult): string {
  const metrics = SHOWN.filter((metric) => scenario.lanes.some(({ medians }) => medians[metric] !== undefined));
  const hasRivals = scenario.lanes.some((lane) => ourSpeed(scenario, lane) !== '');
  const header = ['', ...metrics.map((metric) => METRICS[metric].title), ...(hasRivals ? ['our speed'] : [])];
  const rows = scenario.lanes.map((lane) => [
    `    ${laneName(lane)}`,
    ...metrics.map((metric) => {
      const value = lane.medians[metric];
      return value === undefined ? '' : showMetric(metric, value);
    }),
    ...(hasRivals ? [ourSpeed(scenario, lane)] : []),
  ]);
  const rightAligned = new Set(header.keys());
  rightAligned.delete(0);
  const problems = scenario.problems.map((problem) => `    FAILED ${problem}`);
  return [`  ${scenario.title}`, textTable([header, ...rows], rightAligned), ...problems].join('\n');
}

/** Ours compared with the lane, in the same variant if there is one. */
export function ourSpeed({ lanes, speedBy }: ScenarioResult, lane: LaneResult): string {
  if (speedBy === 'none' || lane.contestant === 'switchboard' || lane.medians.rate === undefined) return '';
  const candidates = lanes.filter(({ contestant }) => contestant === 'switchboard');
  const ours = candidates.find(({ variant }) => variant === lane.variant) ?? candidates.at(-1);
  return ours?.medians.rate === undefined ? '' : showRatio(compareSpeed(ours, lane, speedBy).ratio);
}

export function goalsTable({ goals }: BenchResults): string {
  const rows = goals.map(({ scenario, goal, state, measured, remark }) => [
    state === 'met' ? 'met' : state === 'missed' ? 'MISSED' : '-',
    scenario,
    goal,
    measured,
    remark,
  ]);
  return textTable([['', 'scenario', 'goal', 'measured', ''], ...rows], new Set([3]));
}

export function machineLines({ machine, seconds, options }: BenchResults): string {
  const versions = Object.entries(machine.versions).map(([name, version]) => `${name} ${version}`);
  return [
    `${machine.cores} × ${machine.cpu}, ${(machine.memoryBytes / 1e9).toFixed(0)} GB, ${machine.os}`,
    versions.join(', '),
    `${options.rounds} rounds of ${options.secondsPerRound} s, medians; ${Math.round(seconds)} s in all`,
  ].join('\n');
}
