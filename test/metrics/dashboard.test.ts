import { readFile } from 'node:fs/promises';
import t from 'tap';
import { packagePath } from '../../src/paths.js';
import { renderMetrics } from '../../src/metrics/prometheus.js';
import { LogStats } from '../../src/partitions/health/partitionStats.js';
import { replicationMetrics } from '../../src/partitions/health/replicationMetrics.js';
import type { PartitionOverview } from '../../src/partitions/health/replicationOverview.js';
import { startTestApp } from '../support/service/app.js';
import { parsePrometheus, valueOf } from '../support/service/prometheusText.js';
import { newUser } from '../support/http/users.js';

const METRICS_TOKEN = 'for-prometheus-alone';
const REPLICATED: PartitionOverview = {
  partition: 'shard 0',
  owner: 'b',
  term: 4,
  leaseLeftMs: 1_000,
  log: { leader: null, hasQuorum: false, servers: [], bytes: 0 },
  copies: [
    { instance: 'a', state: 'halted', applied: 5, chain: '', term: 3, lag: 7, reason: 'broken' },
    { instance: 'b', state: 'owning', applied: 12, chain: '', term: 4, lag: 0 },
  ],
};

interface Panel {
  readonly title: string;
  readonly type: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: ReadonlyArray<{ readonly expr: string }>;
}

interface Dashboard {
  readonly title: string;
  readonly uid: string;
  readonly panels: readonly Panel[];
}

const dashboard = JSON.parse(await readFile(packagePath('deploy', 'grafana-dashboard.json'), 'utf8')) as Dashboard;
const queries = dashboard.panels.flatMap(({ targets }) => (targets ?? []).map(({ expr }) => expr));

t.test('METRIC8 the dashboard uses existing metrics and labels, and each metric', async (t) => {
  const { api } = await startTestApp(t, { METRICS_TOKEN });
  await newUser(api);
  const response = await fetch(`${api.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const replicated = renderMetrics(replicationMetrics([new LogStats().data], { partitions: [REPLICATED], replicas: 3 }, 'a'));
  const families = new Map([...parsePrometheus(await response.text()), ...parsePrometheus(replicated)]);
  const samples = [...families.values()].flatMap((family) => family.samples);
  t.ok(queries.length > 10, 'there are queries');
  for (const query of queries) {
    const names = query.match(/switchboard_\w+/g) ?? [];
    t.ok(names.length > 0, `${query}: names a metric`);
    for (const name of names)
      t.ok(
        samples.some((sample) => sample.name === name),
        `${name} exists`,
      );
    for (const [, name = '', matchers = ''] of query.matchAll(/(switchboard_\w+)\{([^}]*)\}/g)) {
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)) {
        const has = ['instance', 'job'].includes(label) || samples.some((each) => each.name === name && label in each.labels);
        t.ok(has, `${name} has the label ${label}`);
      }
    }
  }
  const shown = queries.join('\n');
  t.strictSame(
    [...families.keys()].filter((name) => !shown.includes(name)),
    [],
    'it shows every metric',
  );
});

t.test('METRIC8 the panels of the dashboard have titles and do not overlap', async (t) => {
  t.ok(dashboard.title && dashboard.uid);
  const cells = dashboard.panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
    t.ok(title !== '' && x + w <= 24, `${title} lies within the page`);
    return Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`);
  });
  t.equal(new Set(cells).size, cells.length);
});

t.test('OPERATE6 the metrics of replicated partitions are those of the copies of this instance', async (t) => {
  const stats = new LogStats();
  stats.count('fenced');
  stats.count('resolved by reading');
  stats.appended(0.002);
  const families = parsePrometheus(renderMetrics(replicationMetrics([stats.data, stats.data], { partitions: [REPLICATED], replicas: 3 }, 'a')));
  const partition = { partition: 'shard 0' };
  t.equal(valueOf(families, 'switchboard_replication_lag_records', partition), 7);
  t.equal(valueOf(families, 'switchboard_replication_term', partition), 3);
  t.equal(valueOf(families, 'switchboard_replication_halted_copies'), 1);
  t.equal(valueOf(families, 'switchboard_replication_logs_without_quorum'), 1);
  t.equal(valueOf(families, 'switchboard_replication_missing_copies'), 2, 'one is halted, and one machine has none');
  t.equal(valueOf(families, 'switchboard_replication_missing_log_servers'), 3);
  t.equal(valueOf(families, 'switchboard_replication_append_duration_seconds'), 2);
  const events = { claimed: 0, fenced: 2, resolved_by_reading: 2, unknown: 0 };
  for (const [event, value] of Object.entries(events)) t.equal(valueOf(families, 'switchboard_replication_events_total', { event }), value);
});
