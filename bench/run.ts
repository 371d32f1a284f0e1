/** Runs groups of scenarios: contestants take turns round by round, and the medians are kept. */
import { GOALS } from './goals.js';
import { evaluateGoals } from './evaluate.js';
import { Histogram } from './histogram.js';
import { describeMachine } from './machine.js';
import type { BenchOptions } from './options.js';
import { RESULTS_VERSION, type BenchResults, type Figures, type LaneResult, type Metric } from './results.js';
import type { ScenarioResult } from './results.js';
import { Stage, type Group, type Lane, type Round, type Scenario } from './scenarios/scenario.js';

export interface Progress {
  onGroup(group: Group): void;
  onScenario(scenario: Scenario): void;
  onRound(scenario: Scenario, round: number, rounds: number): void;
  onScenarioDone(result: ScenarioResult): void;
  onNote(text: string): void;
}

const SECONDS = 0.3;
const SECONDS_IN_FULL = 2;
/** The length of a process's first round, which is discarded because its code is not compiled yet. */
const LEAST_WARM_UP_SECONDS = 1;

export async function runBench(options: BenchOptions, progress: Progress): Promise<BenchResults> {
  const startedAt = new Date();
  const scenarios: ScenarioResult[] = [];
  for (const group of options.groups) {
    progress.onGroup(group);
    const results: ScenarioResult[] = [];
    try {
      await runGroup(group, options, progress, results);
    } catch (error) {
      const broken = brokenGroup(group, error);
      progress.onScenarioDone(broken);
      results.push(broken);
    }
    scenarios.push(...results);
  }
  return {
    version: RESULTS_VERSION,
    startedAt: startedAt.toISOString(),
    seconds: (Date.now() - startedAt.getTime()) / 1000,
    options: {
      groups: options.groups.map(({ name }) => name),
      rounds: options.rounds,
      secondsPerRound: secondsPerRound(options),
      depth: options.depth,
    },
    machine: describeMachine(),
    scenarios,
    // Goals are about contestants of one run.
    goals: options.target === undefined ? evaluateGoals(GOALS, scenarios) : [],
  };
}

function secondsPerRound({ seconds, depth }: BenchOptions): number {
  return seconds ?? (depth === 'full' ? SECONDS_IN_FULL : SECONDS);
}

/** Appends to the results, so that those before a failure are kept. */
async function runGroup(group: Group, options: BenchOptions, progress: Progress, results: ScenarioResult[]): Promise<void> {
  const { depth, rounds, seconds } = options;
  const stage = new Stage({ depth, rounds, seconds, onNote: (text) => progress.onNote(text) });
  const warm = new Set<object>();
  try {
    for (const scenario of await group.prepare(stage)) {
      progress.onScenario(scenario);
      const result = await runScenario(group, scenario, options, progress, warm);
      progress.onScenarioDone(result);
      results.push(result);
    }
  } finally {
    await stage.clear();
  }
}

/** The result of a group that failed: the others still run, but the failure must be visible. */
function brokenGroup(group: Group, error: unknown): ScenarioResult {
  return {
    id: `${group.name}/failed`,
    title: `${group.name} could not be run`,
    operation: '',
    note: null,
    speedBy: 'none',
    lanes: [],
    problems: [error instanceof Error ? error.message : String(error)],
  };
}

async function runScenario(group: Group, scenario: Scenario, options: BenchOptions, progress: Progress, warm: Set<object>): Promise<ScenarioResult> {
  const { warmUp = true, rounds = options.rounds, leastSeconds = 0 } = scenario;
  const seconds = Math.max(leastSeconds, scenario.seconds ?? secondsPerRound(options));
  const records = scenario.lanes.map((lane) => new LaneRecord(lane));
  await scenario.begin?.();
  for (let round = warmUp ? 0 : 1; round <= rounds; round += 1) {
    progress.onRound(scenario, round, rounds);
    for (const record of inTurn(records, round)) {
      await record.lane.prepareRound?.();
      const { process = record.lane } = record.lane;
      const least = warm.has(process) ? 0 : LEAST_WARM_UP_SECONDS;
      const measured = await record.lane.measure(round === 0 ? Math.max(seconds, least) : seconds);
      if (round > 0) record.add(measured);
      else warm.add(process);
    }
  }
  await scenario.end?.();
  return {
    id: `${group.name}/${scenario.name}`,
    title: scenario.title,
    operation: scenario.operation,
    note: scenario.note ?? null,
    speedBy: scenario.speedBy ?? 'either',
    lanes: records.map((record) => record.result()),
    problems: records.flatMap((record) => record.problems()),
  };
}

/** Another lane begins every round, so that no lane always follows the same one. */
function inTurn<Item>(items: readonly Item[], round: number): Item[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

class LaneRecord {
  readonly lane: Lane;
  readonly #rounds: Round[] = [];

  constructor(lane: Lane) {
    this.lane = lane;
  }

  add(round: Round): void {
    this.#rounds.push(round);
  }

  problems(): string[] {
    const { contestant, variant } = this.lane;
    const name = variant === undefined ? contestant : `${contestant}, ${variant}`;
    const found = new Set(this.#rounds.flatMap(({ problems }) => problems));
    // One empty round means a slow contestant on a busy machine; only empty rounds mean a broken one.
    if (this.#rounds.every(({ figures }) => figures.rate === 0)) found.add('no answers');
    return [...found].map((problem) => `${name}: ${problem}`);
  }

  result(): LaneResult {
    const { contestant, variant = null, x = null } = this.lane;
    const rounds = this.#rounds.map(({ figures }) => figures);
    const latency = new Histogram();
    for (const round of this.#rounds) latency.merge(round.latency);
    return { contestant, variant, x, rounds, medians: mediansOf(rounds), latency: latency.pack() };
  }
}

function mediansOf(rounds: readonly Figures[]): Figures {
  const metrics = new Set(rounds.flatMap((figures) => Object.keys(figures) as Metric[]));
  return Object.fromEntries([...metrics].map((metric) => [metric, median(rounds.map((figures) => figures[metric]))]));
}

function median(values: readonly (number | undefined)[]): number {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const middle = Math.floor(known.length / 2);
  const [low = Number.NaN, high = Number.NaN] = [known[known.length % 2 === 0 ? middle - 1 : middle], known[middle]];
  return (low + high) / 2;
}
