/** Instances whose `READ_LEASE_MS` differ: the record of ownership says what the owner has and its successor waits for. */
import t from 'tap';
import { Replicas } from '../../src/cluster/replicas.js';
import { FORMER_LEASE_MS } from '../../src/domain/readLease.js';
import { LOG_START, type CopyFile, type LogPosition } from '../../src/domain/ports/partitionLog.js';
import { PartitionLog } from '../../src/log/partitionLog.js';
import { encodeRecord } from '../../src/log/records.js';
import { HONEST, LyingLog } from '../support/log/lyingStream.js';
import { mutate } from '../support/log/mutants.js';
import { LYING, simulate, type PartitionLogClass } from '../support/log/simulation.js';
import { VirtualTime } from '../support/log/virtualTime.js';
import { randomNumbers } from '../support/seededRandom.js';

const LONG_MS = 10_000;
const SHORT_MS = 2_000;

/** Copies of one log. Each has a clock of its own, that runs `rate` times as fast and began at another time. */
function setUp() {
  const time = new VirtualTime();
  const log = new LyingLog(time, () => 0.5);
  log.lies = HONEST;
  const link = { isCut: () => false, run: (milliseconds: number, work: () => void) => time.after(milliseconds, work) };
  const open = (instance: string, leaseMs: number, { position = LOG_START, rate = 1, offset = 0 } = {}): OpenCopy => {
    const stored = { position: position as LogPosition };
    const file: CopyFile = { position, apply: (_contents, now) => void (stored.position = now) };
    const now = (): number => offset + time.now * rate;
    const copy = new PartitionLog({
      stream: log.viewOf(link),
      file,
      instance,
      folder: instance,
      leaseMs,
      schema: 1,
      now,
      pause: (ms) => time.pause(ms),
      onError: () => undefined,
    });
    void copy.start();
    const claim = async (): Promise<boolean> => {
      const claimed = copy.claim({ term: copy.position.term, schema: 1, leaseMs });
      await time.runUntil(time.now + 50);
      return claimed;
    };
    return { copy, claim, stored };
  };
  /** How long the copy was refused, in the time of the first clock. */
  const untilClaimed = async ({ claim }: OpenCopy): Promise<number> => {
    const since = time.now;
    while (!(await claim())) {
      if (time.now - since > 100_000) return Infinity;
    }
    return time.now - since;
  };
  return { time, log, open, untilClaimed };
}

interface OpenCopy {
  readonly copy: PartitionLog;
  readonly claim: () => Promise<boolean>;
  readonly stored: { position: LogPosition };
}

t.test('LEASE20 a successor waits for the lease in the record of the owner, whatever it is set to itself', async (t) => {
  const { time, open, untilClaimed } = setUp();
  const owner = open('owner', LONG_MS);
  // Its clock was set otherwise, and runs a tenth faster, which the wait allows for.
  const successor = open('successor', SHORT_MS, { offset: 5_000_000, rate: 1.1 });
  await time.runUntil(1_000);
  t.ok(await owner.claim());
  t.match(successor.copy.position.owner, { instance: 'owner', leaseMs: LONG_MS });
  let isRead = false;
  await time.runUntil(time.now + LONG_MS - 200);
  owner.copy.confirm((error) => (isRead = error === null));
  t.ok(isRead, 'the owner still answers reads from memory');
  t.notOk(await successor.claim(), 'and the successor does not claim');
  const waited = await untilClaimed(successor);
  t.ok(waited > LONG_MS - 100 && waited < LONG_MS + 200, `until the lease that the read has renewed is over: ${waited}`);
  t.match(owner.copy.position.owner, { instance: 'successor', leaseMs: SHORT_MS });
  t.ok((await untilClaimed(owner)) < SHORT_MS * 1.1 + 100, 'the first owner waits no longer than the second one has');
  const clock = { now: SHORT_MS * 1.1 + 1 };
  const replicas = new Replicas({ folder: 'ours', leaseMs: SHORT_MS, now: () => clock.now, leaseLeftOf: () => 0 });
  replicas.note({
    partition: 'shard 0',
    state: 'following',
    ...LOG_START,
    owner: { instance: 'owner', folder: 'theirs', leaseMs: LONG_MS },
    schema: 1,
    seenAt: 0,
  });
  t.equal(replicas.claimable('shard 0', []), null, 'an instance does not even try before');
  clock.now = LONG_MS * 1.1 + 1;
  t.equal(replicas.claimable('shard 0', []), 0);
});

t.test('LEASE20 a copy that begins after the record of ownership waits for the lease that was stored with its position', async (t) => {
  const { time, open, untilClaimed } = setUp();
  const owner = open('owner', LONG_MS);
  const follower = open('follower', SHORT_MS);
  await time.runUntil(1_000);
  t.ok(await owner.claim());
  owner.copy.append(Buffer.from('one'), () => undefined);
  await time.runUntil(time.now + 100);
  t.equal(follower.stored.position.applied, 2, 'the record of ownership is before the position');
  const restarted = open('restarted', SHORT_MS, { position: follower.stored.position });
  t.ok((await untilClaimed(restarted)) >= LONG_MS * 1.1);
});

t.test('LEASE20 an owner whose record names no lease has the former default, or what the successor is set to', async (t) => {
  for (const [leaseMs, expected] of [
    [LONG_MS, LONG_MS],
    [500, FORMER_LEASE_MS],
  ] as const) {
    const { time, log, open, untilClaimed } = setUp();
    const kind = { type: 'own', folder: 'old', schema: 1 } as const;
    log.records.push({ seq: 1, body: encodeRecord({ by: 'old', term: 1, after: LOG_START.chain, kind, content: new Uint8Array() }) });
    const successor = open('successor', leaseMs);
    await time.runUntil(100);
    t.match(successor.copy.position.owner, { instance: 'old', leaseMs: null });
    t.ok((await untilClaimed(successor)) >= expected * 1.1 - 100);
    const replicas = new Replicas({ folder: 'ours', leaseMs, now: () => expected * 1.1, leaseLeftOf: () => 0 });
    const owner = { instance: 'old', folder: 'old', leaseMs: null };
    replicas.note({ partition: 'shard 0', state: 'following', ...LOG_START, owner, schema: 1, seenAt: 0 });
    t.equal(replicas.claimable('shard 0', []), null, 'nor is it tried before');
  }
});

const HISTORIES = process.argv.includes('--long') ? 500 : 6;
const DIFFERENT = { lies: LYING, milliseconds: 20_000, leasesMs: [4_000, 400, 1_500] } as const;

t.test('LEASE20 with a log that lies and leases that differ nothing is read stale', async (t) => {
  let [reads, terms] = [0, 0];
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const result = await simulate({ ...DIFFERENT, seed, random: randomNumbers(seed) });
    if (result.problems.length > 0) t.strictSame(result.problems.slice(0, 5), [], `seed ${seed}`);
    reads += result.reads;
    terms += result.terms;
  }
  t.ok(reads > 10 * HISTORIES && terms > HISTORIES, `${reads} reads, ${terms} terms`);
});

t.test('LEASE20 found out: a successor waits for its own lease', async (t) => {
  const replace = [['return leaseMs ?? Math.max(ownLeaseMs, FORMER_LEASE_MS);', 'return ownLeaseMs;']] as const;
  const { PartitionLog: partitionLog } = await mutate<{ PartitionLog: PartitionLogClass }>(
    t,
    { file: 'domain/readLease.js', replace },
    'log/partitionLog.js',
  );
  let [tried, problems]: [number, readonly string[]] = [0, []];
  // The first that shows it; others are tried if it does not.
  for (const seed of [167, ...Array(150).keys()]) {
    if (problems.length > 0) break;
    tried = seed;
    ({ problems } = await simulate({ ...DIFFERENT, seed, random: randomNumbers(seed), partitionLog }));
  }
  t.comment(`history ${tried}: ${problems[0] ?? 'nothing'}`);
  t.ok(problems.length > 0, 'the judge sees no difference');
});
