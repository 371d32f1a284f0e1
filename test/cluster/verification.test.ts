import t from 'tap';
import { diagnose } from '../../src/cluster/diagnosis.js';
import { overviewOf } from '../../src/cluster/overview.js';
import { planPlacement } from '../../src/cluster/placement.js';
import type { PeerReading } from '../../src/cluster/peers.js';
import type { CopyReport, OtherInstance } from '../../src/cluster/replicas.js';
import { verifyCopies } from '../../src/cluster/verification.js';
import { tokenDigest } from '../../src/wire/tokenDigest.js';

function instance(id: string, report: Partial<CopyReport> = {}): OtherInstance {
  return { id, copies: [{ partition: 'shard 0', state: 'following', applied: 10, chain: 'ten', term: 3, schema: 7, ...report }] };
}

/** `steps`: what the heartbeats say, one step each. */
function verify(chains: ReadonlyArray<readonly [number, string]>, ...steps: OtherInstance[][]) {
  const clock = { now: 0 };
  let step = 0;
  return verifyCopies({
    partitions: ['shard 0'],
    copies: () => steps[Math.min(step, steps.length - 1)] ?? [],
    chains: async () => new Map(chains),
    now: () => clock.now,
    pause: async (milliseconds) => {
      step += 1;
      clock.now += milliseconds;
    },
  });
}

t.test('OPERATE2 copies are compared at the same record, as soon as both have it', async (t) => {
  const known = [
    [9, 'nine'],
    [10, 'ten'],
  ] as const;
  t.strictSame(await verify(known, [instance('us'), instance('a'), instance('b', { applied: 9, chain: 'nine' })]), [
    { partition: 'shard 0', instance: 'a', result: 'equal', at: 10 },
    { partition: 'shard 0', instance: 'b', result: 'equal', at: 9 },
  ]);
  t.match(await verify(known, [instance('us'), instance('a', { chain: 'another' })]), [{ result: 'different', at: 10 }]);
  const late = [instance('us'), instance('a', { applied: 3, chain: 'three' })];
  t.match(await verify(known, late, late, [instance('us'), instance('a')]), [{ result: 'equal', at: 10 }], 'it catches up');
});

t.test('OPERATE2 a copy that cannot be compared is named with the reason, in bounded time', async (t) => {
  const known = [[10, 'ten']] as const;
  const cases: ReadonlyArray<readonly [Partial<CopyReport>, string]> = [
    [{ applied: 3 }, 'it is behind'],
    [{ applied: 11 }, 'the copy of this machine is behind'],
    [{ applied: 3, state: 'halted', reason: 'no space' }, 'it has halted: no space'],
  ];
  for (const [report, reason] of cases) {
    t.match(await verify(known, [instance('us'), instance('a', report)]), [{ result: 'not compared', reason }], reason);
  }
  t.match(await verify(known, [instance('us', { state: 'halted', reason: 'broken' }), instance('a', { applied: 11 })]), [
    { result: 'not compared', reason: 'the copy of this machine has halted: broken' },
  ]);
  t.match(await verify(known, [instance('us'), { id: 'a', copies: [] }]), [{ result: 'not compared', reason: 'it reports no copy' }]);
});

t.test('CLUSTER16 the owner of the highest term counts, and lag is counted from the longest copy', async (t) => {
  const log = { leader: 'n', hasQuorum: true, servers: [], bytes: 0 };
  const instances = [
    instance('us', { state: 'halted', applied: 4, reason: 'broken' }),
    instance('old', { state: 'owning', term: 2, leaseLeftMs: 0 }),
    instance('new', { state: 'owning', applied: 12, leaseLeftMs: 900 }),
  ];
  t.match(
    overviewOf(['shard 0', 'shard 1'], instances, () => log),
    [
      {
        partition: 'shard 0',
        owner: 'new',
        term: 3,
        leaseLeftMs: 900,
        copies: [
          { instance: 'us', lag: 8, reason: 'broken' },
          { instance: 'old', lag: 2 },
          { instance: 'new', lag: 0 },
        ],
      },
      { partition: 'shard 1', owner: null, term: 0, leaseLeftMs: null, copies: [] },
    ],
  );
});

t.test('OPERATE3 clocks are compared by their rate, and what tokens are checked with by a keyed digest', async (t) => {
  const secrets = { clusterSecret: 'shared', tokens: ['secret', 'HS256'], context: 'cluster' };
  const own = tokenDigest(secrets);
  t.notMatch(own, /secret|shared/);
  t.not(tokenDigest({ ...secrets, context: 'another' }), own, 'digests of two clusters cannot be compared');
  const reading = (id: string, clock: number, receivedAt: number, tokens = own): PeerReading => ({
    id,
    host: 'h',
    version: 'v',
    tokens,
    settings: null,
    clock,
    receivedAt,
    aheadMs: receivedAt - clock,
  });
  const otherTokens = tokenDigest({ ...secrets, tokens: ['another', 'HS256'] });
  const before = [reading('slow', 100, 0), reading('equal', 5_000, 0), reading('gone', 7, 0)];
  const after = [reading('slow', 3_700, 4_000, otherTokens), reading('equal', 9_000, 4_000), reading('gone', 7, 0), reading('new', 1, 4_000)];
  t.match(diagnose([before, after], own), [
    { id: 'slow', clockRate: 0.9, hasTokenSecret: false },
    { id: 'equal', clockRate: 1, aheadMs: -5_000, hasTokenSecret: true },
    { id: 'gone', clockRate: null, hasTokenSecret: true },
    { id: 'new', clockRate: null },
  ]);
  // As on a busy machine: heartbeats that come late are no proof of a wrong clock.
  const delays = [300, 5, 200, 0, 0, 100, 250, 4, 400];
  const late = delays.map((delay, n) => [reading('busy', 500 * n, 500 * n + delay)]);
  t.ok(Math.abs((diagnose(late, own)[0]?.clockRate ?? 0) - 1) < 0.01);
});

t.test('OPERATE4 a drained instance gives everything and is given nothing', async (t) => {
  const partitions = ['directory', 'shard 0'] as const;
  const instances = [
    { id: 'a', leaving: false, drained: true, partitions: ['shard 0'] },
    { id: 'b', leaving: false, partitions: [] },
  ] as const;
  t.strictSame(planPlacement('a', instances, partitions), { take: [], give: ['shard 0'] });
  t.strictSame(planPlacement('b', instances, partitions), { take: ['directory'], give: [] });
});
