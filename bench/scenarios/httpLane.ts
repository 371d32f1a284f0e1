/** A lane whose load is autocannon repeating a set of scripts. */
import type { HttpJob, ScriptedRequest } from '../load/jobs.js';
import type { LoadProcess } from '../processes/loadProcess.js';
import { metered, type Metered } from './metered.js';
import type { Lane } from './scenario.js';

/** A contestant, or a service elsewhere, which shows nothing of itself. */
export interface MeasuredService extends Metered {
  readonly name: Lane['contestant'];
  readonly url: string;
}

export interface HttpLaneOptions {
  readonly contestant: MeasuredService;
  readonly load: LoadProcess;
  readonly token: string;
  readonly connections?: number;
  readonly expectedStatus?: number;
  readonly scripts: readonly (readonly ScriptedRequest[])[];
  /** Operations that one request carries out; default 1. */
  readonly operationsPerRequest?: number;
  readonly variant?: string;
  readonly x?: number;
}

/** Enough to keep two cores and a group commit busy. */
const CONNECTIONS = 64;

export const JSON_BODY = { 'content-type': 'application/json' } as const;

export function httpLane(options: HttpLaneOptions): Lane {
  const { contestant, load, variant, x } = options;
  return {
    contestant: contestant.name,
    process: contestant,
    ...(variant === undefined ? {} : { variant }),
    ...(x === undefined ? {} : { x }),
    measure: (seconds) =>
      metered(contestant, async () => {
        const report = await load.run(httpJob(options, seconds));
        return { ...report, operations: report.operations * (options.operationsPerRequest ?? 1) };
      }),
  };
}

export function httpJob(options: HttpLaneOptions, seconds: number): HttpJob {
  const { contestant, token, connections = CONNECTIONS, expectedStatus = 200, scripts } = options;
  return {
    kind: 'http',
    url: contestant.url,
    connections,
    seconds,
    headers: { authorization: `Bearer ${token}` },
    scripts,
    expectedStatuses: [expectedStatus],
  };
}
