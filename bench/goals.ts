/** The goals, as ratios between lanes of one run. */
import type { Metric } from './results.js';

/** `variant` is omitted if a contestant has one lane in the scenario. */
export interface LaneRef {
  readonly scenario: string;
  readonly contestant: string;
  readonly variant?: string;
}

export type GoalRule =
  /** The speed relative to the other lane: by rate, or by CPU time if the load generator limited both. */
  | { readonly kind: 'speed'; readonly ours: LaneRef; readonly theirs: LaneRef; readonly atLeast: number }
  | {
      readonly kind: 'ratio';
      readonly metric: Metric;
      readonly ours: LaneRef;
      readonly theirs: LaneRef;
      readonly atMost: number;
    }
  | {
      readonly kind: 'difference';
      readonly metric: Metric;
      readonly ours: LaneRef;
      readonly theirs: LaneRef;
      readonly atMost: number;
    }
  | { readonly kind: 'value'; readonly metric: Metric; readonly ours: LaneRef; readonly atMost: number };

export interface Goal {
  readonly scenario: string;
  readonly goal: string;
  readonly rule: GoalRule;
}

/** The maximum share of a core that ten thousand idle sockets may use. */
const IDLE_SHARE = 0.05;
const DELIVERY_MS = 10;
const FOREIGN_MS = 1.5;
const FIRST_VISIT_BYTES = 80_000;
/** The page, its scripts, words and style, the session, and the board. */
const FIRST_VISIT_REQUESTS = 8;
/** Shown as 0 ms. */
const HALF_MILLISECOND = 499;
/** How much more script time a change may take at 5,000 cards than at 50. */
const WEB_CHANGES = [
  ['rename', 1.5],
  ['move', 2],
] as const;

function lane(scenario: string, contestant: string, variant?: string): LaneRef {
  return variant === undefined ? { scenario, contestant } : { scenario, contestant, variant };
}

function speed(scenario: string, rival: string, atLeast: number, variant?: string): GoalRule {
  // The limit has no boards, so it has one lane for all of ours.
  const theirs = rival === 'limit' ? lane(scenario, rival) : lane(scenario, rival, variant);
  return { kind: 'speed', ours: lane(scenario, 'switchboard', variant), theirs, atLeast };
}

export const GOALS: readonly Goal[] = [
  { scenario: 'GET card', goal: '≥ 0.6 of the limit', rule: speed('reads/card', 'limit', 0.6) },
  { scenario: 'GET card', goal: '≥ 2.5 × the usual stack', rule: speed('reads/card', 'fastify', 2.5) },
  { scenario: 'GET board, 500 cards', goal: '≥ 0.8 of the limit', rule: speed('reads/board-500', 'limit', 0.8) },
  { scenario: 'GET board, 500 cards', goal: '≥ 10 × the usual stack', rule: speed('reads/board-500', 'fastify', 10) },
  {
    scenario: 'GET board, 500 cards, compressed',
    goal: '≤ 1.1 × the CPU time of a plain one',
    rule: {
      kind: 'ratio',
      metric: 'cpuMicros',
      ours: lane('reads/board-500-gzip', 'switchboard', 'gzip'),
      theirs: lane('reads/board-500-gzip', 'switchboard', 'plain'),
      atMost: 1.1,
    },
  },
  {
    scenario: 'create card, 64 boards, durable',
    goal: '≥ 0.6 of the limit’s group commit',
    rule: speed('writes/create', 'limit', 0.6, '64 boards'),
  },
  {
    scenario: 'create card, 64 boards, durable',
    goal: '≥ 3 × the usual stack',
    rule: speed('writes/create', 'fastify', 3, '64 boards'),
  },
  {
    scenario: 'create card, one hot board',
    goal: '≥ 0.8 of the rate on 64 boards',
    rule: {
      kind: 'speed',
      ours: lane('writes/create', 'switchboard', '1 board'),
      theirs: lane('writes/create', 'switchboard', '64 boards'),
      atLeast: 0.8,
    },
  },
  {
    scenario: 'create card, 64 boards, in batches of 50',
    goal: '≥ 2 × the rate of one by one',
    rule: {
      kind: 'speed',
      ours: lane('writes/batch', 'switchboard', 'batches of 50'),
      theirs: lane('writes/batch', 'switchboard', 'one by one'),
      atLeast: 2,
    },
  },
  {
    scenario: 'create card, 64 boards, flushes of 2 ms',
    goal: '≥ 0.7 of the rate on one board',
    rule: {
      kind: 'speed',
      ours: lane('slowdisk/create', 'switchboard', '64 boards'),
      theirs: lane('slowdisk/create', 'switchboard', '1 board'),
      atLeast: 0.7,
    },
  },
  {
    scenario: 'create card, 64 boards, flushes of 2 ms',
    goal: 'p99 ≤ 2 × that on one board',
    rule: {
      kind: 'ratio',
      metric: 'p99',
      ours: lane('slowdisk/create', 'switchboard', '64 boards'),
      theirs: lane('slowdisk/create', 'switchboard', '1 board'),
      atMost: 2,
    },
  },
  {
    scenario: 'create card, 64 boards, three machines',
    goal: '≥ 0.5 of one machine alone',
    rule: {
      kind: 'speed',
      ours: lane('machines/create', 'switchboard', 'replicated, 64 boards'),
      theirs: lane('machines/create', 'switchboard', 'alone, 64 boards'),
      atLeast: 0.5,
    },
  },
  {
    scenario: 'create card, one board, three machines',
    goal: '≥ 0.5 of one machine alone',
    rule: {
      kind: 'speed',
      ours: lane('machines/create', 'switchboard', 'replicated, 1 board'),
      theirs: lane('machines/create', 'switchboard', 'alone, 1 board'),
      atLeast: 0.5,
    },
  },
  { scenario: 'fan-out to 1,000 sockets', goal: '≥ 0.9 of bare publish', rule: speed('fanout/1000', 'limit', 0.9) },
  { scenario: 'fan-out to 1,000 sockets', goal: '≥ 3 × ws', rule: speed('fanout/1000', 'fastify', 3) },
  { scenario: 'fan-out to 1,000 sockets', goal: '≥ 3 × Socket.IO', rule: speed('fanout/1000', 'socketio', 3) },
  {
    scenario: 'delivery, 200 changes/s to 100 sockets',
    goal: `p99 ≤ ${DELIVERY_MS} ms over the limit’s`,
    rule: {
      kind: 'difference',
      metric: 'p99',
      ours: lane('delivery/busy-board', 'switchboard'),
      theirs: lane('delivery/busy-board', 'limit'),
      atMost: DELIVERY_MS,
    },
  },
  {
    scenario: '10,000 sockets at rest',
    goal: '≤ 1.5 × the memory of bare sockets',
    rule: {
      kind: 'ratio',
      metric: 'bytesPerSocket',
      ours: lane('connections/rest', 'switchboard'),
      theirs: lane('connections/rest', 'limit'),
      atMost: 1.5,
    },
  },
  {
    scenario: '10,000 sockets at rest',
    goal: '≤ 5 % of a core',
    rule: { kind: 'value', metric: 'idleShare', ours: lane('connections/rest', 'switchboard'), atMost: IDLE_SHARE },
  },
  {
    scenario: '10,000 sockets at rest, for several boards',
    goal: '≤ 1.3 × the memory of sockets for one board',
    rule: {
      kind: 'ratio',
      metric: 'bytesPerSocket',
      ours: lane('shared/rest', 'switchboard', '/ws, 1 board'),
      theirs: lane('shared/rest', 'switchboard', '/ws/boards'),
      atMost: 1.3,
    },
  },
  {
    scenario: 'GET during a flood of logins',
    goal: 'p99 ≤ 2 × quiet',
    rule: {
      kind: 'ratio',
      metric: 'p99',
      ours: lane('login/get-beside', 'switchboard', 'flood'),
      theirs: lane('login/get-beside', 'switchboard', 'quiet'),
      atMost: 2,
    },
  },
  ...(['move', 'patch'] as const).map((change): Goal => ({
    scenario: `cost of a ${change} at 10,000 cards`,
    goal: '≤ 1.5 × at 100 cards',
    rule: {
      kind: 'ratio',
      metric: 'cpuMicros',
      ours: lane(`scaling/${change}-by-size`, 'switchboard', '10,000 cards'),
      theirs: lane(`scaling/${change}-by-size`, 'switchboard', '100 cards'),
      atMost: 1.5,
    },
  })),
  ...WEB_CHANGES.map(([change, atMost]): Goal => ({
    scenario: `browser, ${change} by somebody else at 5,000 cards`,
    goal: `script time ≤ ${atMost} × at 50 cards`,
    rule: {
      kind: 'ratio',
      metric: 'scriptMicros',
      ours: lane(`web/${change}`, 'switchboard', '5,000 cards'),
      theirs: lane(`web/${change}`, 'switchboard', '50 cards'),
      atMost,
    },
  })),
  {
    scenario: 'browser, an open board at rest',
    goal: '0 ms of script a second',
    rule: { kind: 'value', metric: 'scriptMicros', ours: lane('web/rest', 'switchboard', '5,000 cards'), atMost: HALF_MILLISECOND },
  },
  {
    scenario: 'browser, first visit',
    goal: '≤ 80 KB of compressed script and style',
    rule: { kind: 'value', metric: 'loadedBytes', ours: lane('web/visit', 'switchboard', '50 cards'), atMost: FIRST_VISIT_BYTES },
  },
  {
    scenario: 'browser, first visit',
    goal: `≤ ${FIRST_VISIT_REQUESTS} requests`,
    rule: { kind: 'value', metric: 'requests', ours: lane('web/visit', 'switchboard', '50 cards'), atMost: FIRST_VISIT_REQUESTS },
  },
  {
    scenario: 'second instance, a board owned elsewhere',
    goal: `adds ≤ ${FOREIGN_MS} ms at p50`,
    rule: {
      kind: 'difference',
      metric: 'p50',
      ours: lane('scaling/foreign-board', 'switchboard', 'foreign board'),
      theirs: lane('scaling/foreign-board', 'switchboard', 'own board'),
      atMost: FOREIGN_MS,
    },
  },
];
