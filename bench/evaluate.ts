/** Compares the measurements with the goals. */
import type { Goal, GoalRule, LaneRef } from './goals.js';
import { METRICS, type GoalResult, type LaneResult, type Metric } from './results.js';
import type { ScenarioResult, SpeedBy } from './results.js';

/** From this share of a core on, the load generator may have limited the server. */
const LOAD_AT_LIMIT = 0.85;
/** Likewise for processes outside the benchmark. */
const OTHERS_IN_THE_WAY = 0.15;

type Verdict = Pick<GoalResult, 'state' | 'measured' | 'remark'>;

export function evaluateGoals(goals: readonly Goal[], scenarios: readonly ScenarioResult[]): GoalResult[] {
  return goals.map(({ scenario, goal, rule }) => ({ scenario, goal, ...evaluate(rule, scenarios) }));
}

function evaluate(rule: GoalRule, scenarios: readonly ScenarioResult[]): Verdict {
  const problem = problemWith([rule.ours, ...('theirs' in rule ? [rule.theirs] : [])], scenarios);
  if (problem !== null) return notMeasured(problem);
  const ours = findLane(rule.ours, scenarios);
  if (rule.kind === 'value') {
    const value = ours?.medians[rule.metric];
    if (value === undefined) return notMeasured('this system does not report it');
    return { state: value <= rule.atMost ? 'met' : 'missed', measured: showMetric(rule.metric, value), remark: '' };
  }
  const theirs = findLane(rule.theirs, scenarios);
  if (rule.kind === 'speed') return evaluateSpeed(ours, theirs, speedBy(rule.ours, scenarios), rule.atLeast);
  const [our, their] = [ours?.medians[rule.metric], theirs?.medians[rule.metric]];
  if (our === undefined || their === undefined) return notMeasured('this system does not report it');
  const [ourText, theirText] = [showMetric(rule.metric, our), showMetric(rule.metric, their)];
  const disturbed = [ours, theirs].some(wereOthersInTheWay) ? '; other processes interfered' : '';
  const remark = `${METRICS[rule.metric].title} ${ourText} against ${theirText}${disturbed}`;
  if (rule.kind === 'ratio') {
    const ratio = our / their;
    return { state: ratio <= rule.atMost ? 'met' : 'missed', measured: showRatio(ratio), remark };
  }
  const over = our - their;
  return { state: over <= rule.atMost ? 'met' : 'missed', measured: showMetric(rule.metric, over), remark };
}

function evaluateSpeed(ours: LaneResult | undefined, theirs: LaneResult | undefined, by: SpeedBy, atLeast: number): Verdict {
  if (ours?.medians.rate === undefined || theirs?.medians.rate === undefined) return notMeasured('no rate');
  const { ratio, basis, rateRatio, capacityRatio, cpuRatio } = compareSpeed(ours, theirs, by);
  const parts = [`rate ${showRatio(rateRatio)}`];
  if (capacityRatio !== null) parts.push(`capacity ${showRatio(capacityRatio)}`);
  if (cpuRatio !== null) parts.push(`CPU time ${showRatio(cpuRatio)}`);
  const reason = basis === 'capacity' ? '; by capacity, because the load generator or other processes filled the machine' : '';
  const remark = `${parts.join(', ')}${reason}`;
  return { state: ratio >= atLeast ? 'met' : 'missed', measured: showRatio(ratio), remark };
}

export interface SpeedComparison {
  /** By the basis. Every value is the speed of ours relative to the other. */
  readonly ratio: number;
  readonly basis: 'rate' | 'capacity';
  readonly rateRatio: number;
  readonly capacityRatio: number | null;
  readonly cpuRatio: number | null;
}

/**
 * The speed of ours relative to the other. Two servers behind the same exhausted load generator have the same rate.
 * Then the capacity, computed from the CPU time that each used, shows which is faster and by how much.
 */
export function compareSpeed(ours: LaneResult, theirs: LaneResult, by: SpeedBy): SpeedComparison {
  const ratioOf = (metric: Metric): number | null => {
    const [our, their] = [ours.medians[metric], theirs.medians[metric]];
    return our === undefined || their === undefined ? null : our / their;
  };
  const rateRatio = ratioOf('rate') ?? Number.NaN;
  const capacityRatio = ratioOf('capacity');
  const cpu = ratioOf('cpuMicros');
  const cpuRatio = cpu === null ? null : 1 / cpu;
  if (by === 'either' && capacityRatio !== null && [ours, theirs].some(wasHeldBack)) {
    return { ratio: capacityRatio, basis: 'capacity', rateRatio, capacityRatio, cpuRatio };
  }
  return { ratio: rateRatio, basis: 'rate', rateRatio, capacityRatio, cpuRatio };
}

function wasHeldBack(lane: LaneResult): boolean {
  return (lane.medians.loadShare ?? 0) >= LOAD_AT_LIMIT || wereOthersInTheWay(lane);
}

function wereOthersInTheWay(lane: LaneResult | undefined): boolean {
  return (lane?.medians.otherShare ?? 0) >= OTHERS_IN_THE_WAY;
}

function problemWith(refs: readonly LaneRef[], scenarios: readonly ScenarioResult[]): string | null {
  for (const ref of refs) {
    const scenario = scenarios.find(({ id }) => id === ref.scenario);
    if (scenario === undefined) return `${ref.scenario} was not run`;
    if (scenario.problems.length > 0) return `${ref.scenario} failed`;
    if (findLane(ref, scenarios) === undefined) return `${ref.contestant} did not take part in ${ref.scenario}`;
  }
  return null;
}

function speedBy(ref: LaneRef, scenarios: readonly ScenarioResult[]): SpeedBy {
  return scenarios.find(({ id }) => id === ref.scenario)?.speedBy ?? 'either';
}

function findLane(ref: LaneRef, scenarios: readonly ScenarioResult[]): LaneResult | undefined {
  return scenarios
    .find(({ id }) => id === ref.scenario)
    ?.lanes.find(({ contestant, variant }) => contestant === ref.contestant && variant === (ref.variant ?? null));
}

function notMeasured(remark: string): Verdict {
  return { state: 'not measured', measured: '', remark };
}

export function showRatio(ratio: number): string {
  return `${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)} ×`;
}

export function showMetric(metric: Metric, value: number): string {
  const { unit } = METRICS[metric];
  return `${showNumber(inUnit(unit, value))}${unit === '' ? '' : ` ${unit}`}`;
}

/** Shares and bytes in readable units. */
export function inUnit(unit: string, value: number): number {
  switch (unit) {
    case '% of a core':
    case '% of frames':
      return value * 100;
    case 'MB':
      return value / 1e6;
    case 'KB':
      return value / 1e3;
    default:
      return value;
  }
}

export function showNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toLocaleString('en');
  return size >= 10 ? value.toFixed(1) : value.toFixed(2);
}
