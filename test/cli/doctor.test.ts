import t from 'tap';
import type { InstanceDiagnosis } from '../../src/cluster/diagnosis.js';
import type { Finding } from '../../src/cli/doctor/finding.js';
import { checkInstances } from '../../src/cli/doctor/instances.js';
import { checkLogs, type FoundLog } from '../../src/cli/doctor/logs.js';
import { judgeReports, type ServerReport } from '../../src/cli/doctor/system.js';
import type { StreamInfo } from '../../src/log/jetStreamLog.js';
import type { FollowedFile } from '../../src/store/folder/followedFiles.js';
import type { PartitionName } from '../../src/partitions/messages.js';

const LOG: StreamInfo = {
  created: '2026-01-01',
  config: { name: 'log', subjects: ['log'], num_replicas: 3, max_bytes: 100, metadata: { cluster: 'ours' } },
  state: { first_seq: 1, last_seq: 9, bytes: 10 },
  cluster: { leader: 'a', replicas: [{ name: 'b', current: true, active: 1 }, { name: 'c', current: true, active: 1 }] },
};
const FILE = { name: 'directory.sqlite', cluster: 'ours', created: '2026-01-01' };

function problemsOf(findings: readonly Finding[]): string[] {
  return findings.filter(({ verdict }) => verdict !== 'ok').map(({ verdict, check }) => `${verdict}: ${check}`);
}

t.test('OPERATE3 the doctor finds each fault of the logs, and nothing else', async (t) => {
  const problems = (log: FoundLog, file: Partial<FollowedFile> = {}): string[] =>
    problemsOf(checkLogs(new Map<PartitionName, FoundLog>([['directory', LOG], ['shard 0', log]]), 3, [{ ...FILE, ...file }]));
  t.strictSame(problems(LOG), []);
  t.strictSame(problems('missing'), ['problem: logs']);
  t.strictSame(problems('silent'), ['problem: quorum']);
  t.strictSame(problems({ ...LOG, config: { ...LOG.config, num_replicas: 1 } }), ['problem: replicas']);
  const lagging = { leader: 'a', replicas: [{ name: 'b', current: false, active: 1 }, { name: 'c', current: true, active: 1 }] };
  t.strictSame(problems({ ...LOG, cluster: lagging }), ['problem: current']);
  t.strictSame(problems({ ...LOG, config: { ...LOG.config, metadata: { cluster: 'theirs' } } }), ['problem: cluster']);
  t.strictSame(problems({ ...LOG, state: { ...LOG.state, bytes: 81 } }), ['problem: size of logs']);
  t.strictSame(problems(LOG, { cluster: 'theirs' }), ['problem: cluster']);
  t.strictSame(problems(LOG, { cluster: null }), ['problem: cluster']);
  t.strictSame(problems(LOG, { created: '2025-01-01' }), ['problem: cluster']);
});

t.test('OPERATE3 the doctor finds servers that do not flush or have no space, and ones that are missing', async (t) => {
  const report = (more: Partial<ServerReport> = {}): ServerReport => ({ name: 'a', syncAlways: true, usedBytes: 1, maxBytes: 10, ...more });
  t.strictSame(problemsOf(judgeReports([report(), report(), report()], 3)), []);
  t.strictSame(problemsOf(judgeReports([report(), report(), report({ syncAlways: false })], 3)), ['problem: flushes']);
  t.strictSame(problemsOf(judgeReports([report(), report()], 3)), ['problem: flushes']);
  t.strictSame(problemsOf(judgeReports([report({ usedBytes: 9 })], 1)), ['problem: space in NATS']);
});

t.test('OPERATE3 the doctor finds instances with other secrets or clocks', async (t) => {
  const other: InstanceDiagnosis = { id: 'b', host: 'h', version: 'v', clockRate: 1.001, hasClusterSecret: true, hasTokenSecret: true };
  const problems = (more: Partial<InstanceDiagnosis>): string[] => problemsOf(checkInstances({ cluster: 'c', instances: [{ ...other, ...more }] }));
  t.strictSame(problems({}), []);
  t.strictSame(problems({ clockRate: 0.9 }), ['problem: clocks']);
  t.strictSame(problems({ clockRate: null }), ['not proven: clocks']);
  t.strictSame(problems({ hasTokenSecret: false }), ['problem: JWT_SECRET']);
  t.strictSame(problems({ hasClusterSecret: false, hasTokenSecret: null }), ['problem: CLUSTER_SECRET', 'not proven: JWT_SECRET']);
  t.equal(problemsOf(checkInstances(null)).length, 3, 'without an instance nothing is proven');
});
