/** Measures the usage of a contestant and of the machine during some work of a load generator. */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { Histogram } from '../histogram.js';
import type { LoadReport } from '../load/jobs.js';
import type { Contestant } from '../processes/contestant.js';
import { cpuBetween, machineMicros, type CpuTime } from '../processes/usage.js';
import type { Figures } from '../results.js';
import type { Round } from './scenario.js';

/** A measured system: one contestant, or several taken as one. */
export type Metered = Pick<Contestant, 'usage' | 'resetPeak'>;

/** How often a contestant is checked until it is idle, and the share of a core below which it is idle. */
const LOOK_MS = 20;
const AT_REST = 0.1;
/** A contestant that works longer than this has a fault, and affects the figures of the next one. */
const MAX_SETTLING_MS = 2_000;

/** The contestant is idle afterwards. */
export async function metered(contestant: Metered, work: () => Promise<LoadReport>): Promise<Round> {
  const { value: report, cpu, peakBytes, seconds: watched, machine } = await watch(contestant, work);
  await comeToRest(contestant);
  const { operations, seconds, latency, loadShare, deliveries, problems } = report;
  const server: Figures = cpu === null ? {} : serverFigures(cpu, operations);
  const others = cpu === null || machine === null ? {} : { otherShare: otherShare(machine, cpu, loadShare, watched) };
  return {
    figures: {
      rate: operations / seconds,
      ...percentiles(latency),
      ...server,
      ...(peakBytes === null ? {} : { peakBytes }),
      loadShare,
      ...others,
      ...(deliveries > 0 ? { deliveries: deliveries / seconds } : {}),
    },
    latency,
    problems,
  };
}

export interface Watched<Value> {
  readonly value: Value;
  readonly seconds: number;
  /** Of the contestant. Null, like all following fields, if the system does not report it. */
  readonly cpu: CpuTime | null;
  readonly peakBytes: number | null;
  /** CPU time of all processes together, in microseconds. */
  readonly machine: number | null;
}

export async function watch<Value>(contestant: Metered, work: () => Promise<Value>): Promise<Watched<Value>> {
  contestant.resetPeak();
  const before = contestant.usage();
  const machineBefore = machineMicros();
  const started = performance.now();
  const value = await work();
  const after = contestant.usage();
  const machineAfter = machineMicros();
  return {
    value,
    seconds: (performance.now() - started) / 1000,
    cpu: before === null || after === null ? null : cpuBetween(before, after),
    peakBytes: after?.peakBytes ?? null,
    machine: machineBefore === null || machineAfter === null ? null : machineAfter - machineBefore,
  };
}

/**
 * A load generator ends without waiting for its last answers. The work of a slow contestant for them would affect the
 * contestant that comes next.
 */
async function comeToRest(contestant: Metered): Promise<void> {
  let before = contestant.usage();
  for (let waited = 0; before !== null && waited < MAX_SETTLING_MS; waited += LOOK_MS) {
    await sleep(LOOK_MS);
    const after = contestant.usage();
    if (after === null || cpuBetween(before, after).totalMicros < AT_REST * LOOK_MS * 1000) return;
    before = after;
  }
}

export function combined(contestants: readonly Metered[]): Metered {
  return {
    resetPeak: () => contestants.forEach((contestant) => contestant.resetPeak()),
    usage: () => {
      const usages = contestants.flatMap((contestant) => contestant.usage() ?? []);
      if (usages.length === 0) return null;
      return {
        threads: new Map(usages.flatMap(({ threads }) => [...threads])),
        residentBytes: sum(usages.map(({ residentBytes }) => residentBytes)),
        peakBytes: sum(usages.map(({ peakBytes }) => peakBytes)),
      };
    },
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

export function percentiles(latency: LoadReport['latency']): Figures {
  if (latency.length === 0) return {};
  const histogram = Histogram.unpack(latency);
  return { p50: histogram.percentile(0.5), p95: histogram.percentile(0.95), p99: histogram.percentile(0.99) };
}

function serverFigures({ totalMicros, busiestMicros }: CpuTime, operations: number): Figures {
  if (operations === 0) return {};
  return {
    cpuMicros: totalMicros / operations,
    capacity: (operations / Math.max(busiestMicros, totalMicros / availableParallelism())) * 1e6,
  };
}

function otherShare(machine: number, cpu: CpuTime, loadShare: number, seconds: number): number {
  return Math.max(0, (machine - cpu.totalMicros) / (seconds * 1e6) - loadShare);
}
