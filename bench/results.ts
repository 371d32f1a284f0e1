/** The results of a run: the shape of the JSON file, from which the tables and the report are made. */
import type { PackedHistogram } from './histogram.js';

export const RESULTS_VERSION = 1;

export const METRICS = {
  rate: { title: 'operations', unit: '/s', better: 'more' },
  p50: { title: 'p50', unit: 'ms', better: 'less' },
  p95: { title: 'p95', unit: 'ms', better: 'less' },
  p99: { title: 'p99', unit: 'ms', better: 'less' },
  longestWait: { title: 'longest wait', unit: 'ms', better: 'less' },
  cpuMicros: { title: 'server CPU', unit: 'µs/op', better: 'less' },
  capacity: { title: 'capacity', unit: '/s', better: 'more' },
  peakBytes: { title: 'peak memory', unit: 'MB', better: 'less' },
  loadShare: { title: 'load generator', unit: '% of a core', better: 'neither' },
  otherShare: { title: 'others', unit: '% of a core', better: 'neither' },
  deliveries: { title: 'deliveries', unit: '/s', better: 'more' },
  bytesPerSocket: { title: 'memory a socket', unit: 'KB', better: 'less' },
  idleShare: { title: 'CPU in all', unit: '% of a core', better: 'less' },
  sockets: { title: 'sockets', unit: '', better: 'neither' },
  scriptMicros: { title: 'script time', unit: 'µs/op', better: 'less' },
  missedFrames: { title: 'frames missed', unit: '% of frames', better: 'less' },
  loadedBytes: { title: 'script and style', unit: 'KB', better: 'less' },
  requests: { title: 'requests', unit: '', better: 'less' },
  lost: { title: 'sockets lost', unit: '', better: 'less' },
} as const;

export type Metric = keyof typeof METRICS;

/**
 * Shares are of one core, 1 is a full core; memory is in bytes, times are in milliseconds. `capacity` is the rate at
 * which the server's busiest thread, or all cores together, would be full if generating the load cost nothing.
 * `otherShare` is the share of processes outside the benchmark and of other guests of the same host.
 */
export type Figures = { readonly [M in Metric]?: number };

/** One contestant in one form of a scenario: `variant` names the form, such as `64 boards`. */
export interface LaneResult {
  readonly contestant: string;
  readonly variant: string | null;
  /** The number of the variant, if a curve can be drawn through the variants. */
  readonly x: number | null;
  readonly rounds: readonly Figures[];
  readonly medians: Figures;
  /** Of all rounds together. */
  readonly latency: PackedHistogram;
}

/**
 * How the speeds of contestants are compared. `rate`: operations wait for the disk, which `capacity` does not include.
 * `either`: by rate, or by capacity if something other than the server filled the machine. `none`: the load sets the
 * pace.
 */
export type SpeedBy = 'rate' | 'either' | 'none';

export interface ScenarioResult {
  /** `group/name`. */
  readonly id: string;
  readonly title: string;
  /** The name of one operation. */
  readonly operation: string;
  readonly note: string | null;
  readonly speedBy: SpeedBy;
  readonly lanes: readonly LaneResult[];
  /** Wrong answers, missing deliveries, contestants that died. The figures of the scenario then mean nothing. */
  readonly problems: readonly string[];
}

export type GoalState = 'met' | 'missed' | 'not measured';

export interface GoalResult {
  readonly scenario: string;
  readonly goal: string;
  readonly state: GoalState;
  /** The displayed value; empty if it was not measured. */
  readonly measured: string;
  /** How it was computed, or why it was not measured. */
  readonly remark: string;
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly os: string;
  readonly openFiles: number | null;
  readonly versions: Readonly<Record<string, string>>;
}

export interface BenchResults {
  readonly version: typeof RESULTS_VERSION;
  readonly startedAt: string;
  readonly seconds: number;
  readonly options: {
    readonly groups: readonly string[];
    readonly rounds: number;
    readonly secondsPerRound: number;
    readonly depth: string;
  };
  readonly machine: Machine;
  readonly scenarios: readonly ScenarioResult[];
  readonly goals: readonly GoalResult[];
}

export function laneName({ contestant, variant }: Pick<LaneResult, 'contestant' | 'variant'>): string {
  return variant === null ? contestant : `${contestant}, ${variant}`;
}
