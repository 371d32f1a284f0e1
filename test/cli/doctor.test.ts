import t from 'tap';
import type { InstanceDiagnosis } from '../../src/cluster/diagnosis.js';
import type { UnreadablePeer } from '../../src/cluster/unreadablePeers.js';
import type { Finding } from '../../src/cli/cluster/doctor/finding.js';
import { checkInstances } from '../../src/cli/cluster/doctor/instances.js';
import { checkLogs, findLogs, type BestCopy, type FoundLog, type FoundLogs } from '../../src/cli/cluster/doctor/logs.js';
import { checkRecords, type RecordsContext } from '../../src/cli/cluster/doctor/records.js';
import { checkSnapshots } from '../../src/cli/cluster/doctor/snapshots.js';
import { checkCopies } from '../../src/cli/cluster/doctor/copies.js';
import { judgeReports, parseReport, type ServerReport } from '../../src/cli/cluster/doctor/system.js';
import type { StreamInfo } from '../../src/log/jetStreamLog.js';
import type { FollowedFile } from '../../src/store/folder/followedFiles.js';
import type { Overview } from '../../src/operator/commands.js';
import type { PartitionName } from '../../src/partitions/messages.js';
import type { InstanceInfo } from '../../src/partitions/ownership.js';
import type { PartitionOverview } from '../../src/partitions/health/replicationOverview.js';

const LOG: StreamInfo = {
  created: '2026-01-01',
  config: { name: 'log', subjects: ['log'], num_replicas: 3, max_bytes: 100, metadata: { cluster: 'ours' } },
  state: { first_seq: 1, last_seq: 9, bytes: 10 },
  cluster: {
    leader: 'a',
    replicas: [
      { name: 'b', current: true, active: 1 },
      { name: 'c', current: true, active: 1 },
    ],
  },
};
const FILE = { name: 'directory.sqlite', cluster: 'ours', created: '2026-01-01', applied: 9 };

const SERVER: ServerReport = { name: 'a', isDisabled: false, syncAlways: true, usedBytes: 1, maxBytes: 10, logs: new Map() };
const RECORDS: RecordsContext = { prefix: 'p', replicas: 3, found: new Map(), system: null, copies: new Map(), away: [] };

function problemsOf(findings: readonly Finding[]): string[] {
  return findings.filter(({ verdict }) => verdict !== 'ok').map(({ verdict, check }) => `${verdict}: ${check}`);
}

t.test('OPERATE3 the doctor finds each fault of the logs, and nothing else', async (t) => {
  const problems = (log: FoundLog, file: Partial<FollowedFile> = {}): string[] => {
    const found = new Map<PartitionName, FoundLog>([
      ['directory', LOG],
      ['shard 0', log],
    ]);
    const records = checkRecords({ ...RECORDS, found }).filter(({ check }) => check === 'logs');
    return problemsOf([...records, ...checkLogs({ found, elected: [] }, { replicas: 3, files: [{ ...FILE, ...file }] })]);
  };
  t.strictSame(problems(LOG), []);
  t.strictSame(problems('missing'), ['problem: logs']);
  t.strictSame(problems('silent'), ['not proven: logs', 'problem: quorum']);
  t.strictSame(problems({ ...LOG, config: { ...LOG.config, num_replicas: 1 } }), ['problem: replicas']);
  const lagging = {
    leader: 'a',
    replicas: [
      { name: 'b', current: false, active: 1 },
      { name: 'c', current: true, active: 1 },
    ],
  };
  t.strictSame(problems({ ...LOG, cluster: lagging }), ['problem: current']);
  t.strictSame(problems({ ...LOG, config: { ...LOG.config, metadata: { cluster: 'theirs' } } }), ['problem: cluster']);
  t.strictSame(problems({ ...LOG, state: { ...LOG.state, bytes: 81 } }), ['problem: size of logs']);
  t.strictSame(problems(LOG, { cluster: 'theirs' }), ['problem: cluster']);
  t.strictSame(problems(LOG, { cluster: null }), ['problem: cluster']);
  t.strictSame(problems(LOG, { created: '2025-01-01' }), ['problem: cluster']);
});

t.test('OPERATE3 the doctor finds servers that do not flush or have no space, and ones that are missing', async (t) => {
  const report = (more: Partial<ServerReport> = {}): ServerReport => ({ ...SERVER, ...more });
  t.strictSame(problemsOf(judgeReports([report(), report(), report()], 3)), []);
  t.strictSame(problemsOf(judgeReports([report(), report(), report({ syncAlways: false })], 3)), ['problem: flushes']);
  t.strictSame(problemsOf(judgeReports([report(), report()], 3)), ['problem: flushes']);
  t.strictSame(problemsOf(judgeReports([report({ usedBytes: 9 })], 1)), ['problem: space in NATS']);
});

t.test('OPERATE3 the doctor finds instances with other secrets, settings or clocks', async (t) => {
  const other: InstanceDiagnosis = { id: 'b', host: 'h', version: 'v', clockRate: 1.001, aheadMs: -9_000, hasTokenSecret: true };
  const problems = (more: Partial<InstanceDiagnosis>, differingSettings: readonly string[] = []): string[] =>
    problemsOf(checkInstances({ cluster: 'c', instances: [{ ...other, ...more }], strangers: [], differingSettings }));
  t.strictSame(problems({}), []);
  t.strictSame(problems({ clockRate: 0.9 }), ['problem: clocks']);
  t.strictSame(problems({ clockRate: null }), ['not proven: clocks']);
  t.strictSame(problems({ hasTokenSecret: false }), ['problem: JWT_SECRET']);
  const strange = (instances: readonly InstanceDiagnosis[], ...reasons: ReadonlyArray<UnreadablePeer['reason']>): string[] =>
    problemsOf(checkInstances({ cluster: 'c', instances, strangers: reasons.map((reason) => ({ id: 'c', reason })), differingSettings: [] }));
  t.strictSame(strange([other], 'sealed'), ['problem: CLUSTER_SECRET']);
  t.strictSame(strange([other], 'version', 'clock'), ['problem: version', 'problem: time of day']);
  t.strictSame(strange([], 'sealed').length, 5, 'the rest is not proven');
  for (const aheadMs of [11_000, -11_000]) t.strictSame(problems({ aheadMs }), ['problem: time of day']);
  t.strictSame(problems({ aheadMs: null }), ['not proven: time of day'], 'an older program');
  t.strictSame(problems({}, ['READ_LEASE_MS']), ['problem: settings']);
  t.strictSame(problems({ hasTokenSecret: false }, ['JWT_SECRET']), ['problem: JWT_SECRET'], 'once');
  t.equal(problemsOf(checkInstances(null)).length, 5, 'without an instance nothing is proven');
});

t.test('DOCTOR3 during an election the doctor looks again, says so, and advises no `reseed`', async (t) => {
  const logs = (log: FoundLog): FoundLogs =>
    new Map([
      ['directory', log],
      ['shard 0', { ...LOG, created: '2026-01-02' }],
    ]);
  const files = [FILE, { ...FILE, name: 'shard-00.sqlite', created: '2026-01-02' }];
  const copies = new Map<PartitionName, BestCopy>([['directory', { applied: 9, host: 'h' }]]);
  /** The answers of NATS, one for each look; the last one stays. */
  const examine = async (...answers: FoundLog[]): Promise<{ looks: number; findings: Finding[] }> => {
    const clock = { now: 0 };
    let looks = 0;
    const look = async (): Promise<FoundLogs> => logs(answers[Math.min(looks++, answers.length - 1)] ?? 'silent');
    const view = await findLogs(look, copies, { now: () => clock.now, pause: async (milliseconds) => void (clock.now += milliseconds) });
    const findings = [...checkRecords({ ...RECORDS, found: view.found, copies }), ...checkLogs(view, { replicas: 3, files })];
    return { looks, findings: findings.filter(({ check }) => check !== 'records') };
  };
  const behind: FoundLog = { ...LOG, state: { ...LOG.state, last_seq: 5 } };
  const leaderless: FoundLog = { ...LOG, cluster: { replicas: LOG.cluster?.replicas ?? [] } };
  for (const during of ['silent', 'missing', leaderless, behind] as const) {
    const { looks, findings } = await examine(during, during, LOG);
    t.equal(looks, 3);
    t.strictSame(problemsOf(findings), []);
    if (during === behind) continue;
    t.match(findings.find(({ check }) => check === 'quorum')?.detail, /An election was under way, and has ended: directory$/);
  }
  t.equal((await examine(LOG)).looks, 1, 'a sound cluster is looked at once');
  const { looks, findings } = await examine('silent');
  t.equal(looks, 11, 'no election takes longer than ten seconds');
  t.strictSame(problemsOf(findings), ['not proven: logs', 'problem: quorum']);
  t.match(findings.find(({ check }) => check === 'quorum')?.detail, /^directory: .+ Nothing is lost\. Start .+ `systemctl start nats-cluster` there/);
  for (const { detail } of findings) t.notMatch(detail, 'reseed');
});

t.test('DOCTOR3 the doctor advises `reseed` only if every server has lost records, and none is away', async (t) => {
  const logOf = (last: number): FoundLog => ({ ...LOG, state: { ...LOG.state, last_seq: last } });
  const judge = (log: FoundLog, more: Partial<RecordsContext> = {}, lasts = [5, 5, 5]): Finding | undefined => {
    const reports = lasts.map((last, n) => ({ ...SERVER, name: `machine-${n}`, logs: new Map([['p-log-shard-0', { first: 1, last }]]) }));
    const copies = new Map<PartitionName, BestCopy>([['shard 0', { applied: 9, host: 'host-1' }]]);
    const system = { before: reports, after: reports };
    return checkRecords({ ...RECORDS, found: new Map([['shard 0', log]]), system, copies, ...more }).find(({ check }) => check === 'logs');
  };
  t.match(judge(logOf(9)), { verdict: 'ok' });
  t.match(judge(logOf(5)), {
    verdict: 'problem',
    detail:
      'shard 0: its log ends at record 5 on every server, and the copy on host-1 has record 9. Stop the service on host-1 and run `switchboard cluster reseed shard-0` there',
  });
  t.match(judge('missing', {}, []), { detail: /Set NATS_SYSTEM_URL and ask again/ }, 'servers that say nothing prove nothing');
  t.match(judge('missing', {}, [0, 0, 0]), { detail: /its log is lost on every server.+`switchboard cluster reseed shard-0` there$/ });
  t.match(judge(logOf(5), { away: ['nats://10.0.0.3:4222'] }), { detail: /nats:\/\/10\.0\.0\.3:4222 may have them\. Start it/ });
  const off = { ...SERVER, name: 'machine-2', isDisabled: true };
  const servers = [{ ...SERVER, name: 'machine-0' }, { ...SERVER, name: 'machine-1' }, off];
  t.match(judge(logOf(5), { system: { before: servers, after: servers } }), { detail: /, and machine-2 may have them\. Start it/ });
  t.match(judge(logOf(5), { system: null }), { detail: /Set NATS_SYSTEM_URL and ask again/ });
  t.match(judge(logOf(5), {}, [5, 9, 5]), { detail: /a server that does not lead the log has more records/ });
  t.match(judge('missing', { copies: new Map() }), { detail: /`switchboard cluster init` once/ });
  t.match(judge('silent'), { verdict: 'not proven' });
});

t.test('OPERATE3 the doctor compares the first and the last record of every replica', async (t) => {
  const reports = (...bounds: Array<readonly [number, number]>): ServerReport[] =>
    bounds.map(([first, last], n) => ({ ...SERVER, name: `machine-${n}`, logs: new Map([['p-log-shard-0', { first, last }]]) }));
  const found: FoundLogs = new Map([['shard 0', LOG]]);
  const judge = (before: ServerReport[], after: ServerReport[]): Finding | undefined =>
    checkRecords({ ...RECORDS, found, system: { before, after } }).find(({ check }) => check === 'records');
  t.match(judge(reports([1, 9], [1, 8], [1, 9]), reports([1, 11], [1, 12], [1, 10])), { verdict: 'ok' }, 'records on their way are no fault');
  t.match(judge(reports([1, 9], [5, 9], [1, 9]), reports([5, 9], [5, 9], [5, 9])), { verdict: 'ok' }, 'nor is a purge');
  const emptied = reports([1, 211], [96, 211], [43, 211]);
  t.match(judge(emptied, emptied), {
    verdict: 'problem',
    detail:
      'shard 0: machine-1 begins at record 96, machine-2 begins at record 43, and another server has record 1: it has lost its beginning. Run `switchboard cluster snapshot shard-0`, which replaces it',
  });
  const stuck = reports([1, 20], [1, 20], [1, 7]);
  t.match(judge(stuck, stuck), {
    verdict: 'problem',
    detail: /^shard 0: machine-2 ends at record 7, and another server has record 20\..+`systemctl restart nats-cluster` there$/,
  });
  t.match(
    checkRecords({ ...RECORDS, found }).find(({ check }) => check === 'records'),
    { verdict: 'not proven' },
  );
  const stream = { name: 'p-log-shard-0', config: { ...LOG.config, metadata: { base: '1000000' } }, state: { first_seq: 2, last_seq: 7, bytes: 1 } };
  const answer = { server: { name: 'machine-0' }, data: { account_details: [{ stream_detail: [stream] }] } };
  t.strictSame(
    parseReport(Buffer.from(JSON.stringify(answer))).logs.get('p-log-shard-0'),
    { first: 1_000_002, last: 1_000_007 },
    'in the numbers of the log',
  );
});

t.test('OPERATE3 the doctor tries whether the newest snapshot can be used with its log', async (t) => {
  const judge = (first: number, seq: number | null, last = 300): Finding =>
    checkSnapshots([{ partition: 'shard 0', log: { first, last }, seq }], 'p', null);
  t.match(judge(1, null), { verdict: 'ok' }, 'a complete log needs none');
  t.match(judge(139, 138), { verdict: 'ok' });
  t.match(judge(139, 200), { verdict: 'ok' });
  t.match(judge(211, 138), {
    verdict: 'problem',
    detail:
      'shard 0: the newest snapshot ends at record 138, and the log of its leader begins at record 211, so a new machine gets no copy. Run `switchboard cluster snapshot shard-0` on a machine with a sound copy',
  });
  t.match(judge(2, null), { verdict: 'problem', detail: /there is no snapshot, and the log of its leader begins at record 2/ });
  t.match(judge(139, 400), { verdict: 'problem', detail: /the newest snapshot has record 400, and the log ends at 300/ });
  const emptied = [{ ...SERVER, name: 'machine-1', logs: new Map([['p-log-shard-0', { first: 250, last: 300 }]]) }];
  const onOne = checkSnapshots([{ partition: 'shard 0', log: { first: 1, last: 300 }, seq: 138 }], 'p', { before: emptied, after: emptied });
  t.match(onOne, { verdict: 'problem', detail: /the log of machine-1 begins at record 250/ }, 'on each server, which may lead it next');
  t.match(checkSnapshots(null, 'p', null), { verdict: 'not proven' });
});

t.test('OPERATE3 a JetStream that switched itself off is named as such', async (t) => {
  // As nats-server 2.10.27 answers after a write failed for want of space.
  const answer = { server: { name: 'machine-2', jetstream: true }, data: { disabled: true, config: { max_memory: 0, max_storage: 0 }, storage: 0 } };
  const findings = judgeReports([SERVER, { ...SERVER, name: 'b' }, parseReport(Buffer.from(JSON.stringify(answer)))], 3);
  t.strictSame(problemsOf(findings), ['problem: JetStream']);
  t.match(
    findings[0]?.detail,
    /^machine-2 runs and stores nothing: JetStream is off, as after its disk was full\. Make room .+ `systemctl restart nats-cluster` there$/,
  );
  t.notMatch(JSON.stringify(findings), 'sync_interval');
});

t.test('DOCTOR8 halted and missing copies are problems, with partition, machine, cause and what to do', async (t) => {
  const copy = { instance: 'one', state: 'following', applied: 9, chain: '', term: 1, lag: 0 } as const;
  const halted = { ...copy, instance: 'two', state: 'halted', reason: 'record 9 follows another history than this copy' } as const;
  const overview = (copies: PartitionOverview['copies']): Overview => ({
    pubsub: 'connected',
    partitions: ['shard 0', 'shard 1'],
    instances: ['one', 'two'].map((id) => ({ id, host: `host-${id}` }) as InstanceInfo),
    replicated: (['shard 0', 'shard 1'] as const).map((partition) => ({
      partition,
      owner: 'one',
      term: 1,
      leaseLeftMs: 1,
      copies,
      log: { leader: 'a', hasQuorum: true, servers: [], bytes: 0 },
    })),
  });
  t.strictSame(problemsOf(checkCopies(overview([copy, { ...copy, instance: 'two' }]), 2)), []);
  t.strictSame(
    checkCopies(overview([copy, halted]), 2).map(({ verdict, detail }) => `${verdict} ${detail}`),
    [
      'problem shards 0-1: the copy on host-two (two) has halted: record 9 follows another history than this copy. ' +
        'Run `switchboard cluster verify`: if other copies are equal, move the data folder of that machine away and restart it',
    ],
  );
  t.strictSame(
    checkCopies(overview([copy]), 3).map(({ verdict, detail }) => `${verdict} ${detail}`),
    [
      'problem shards 0-1: of 3 machines 1 report a copy: host-one. Start the instances that are away: `systemctl start switchboard` there. If they run, this machine cannot hear them: look at the network between them',
    ],
  );
  t.strictSame(problemsOf(checkCopies(null, 3)), ['not proven: copies']);
});
