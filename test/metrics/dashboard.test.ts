import { readFile } from 'node:fs/promises';
import t from 'tap';
import { packagePath } from '../../src/paths.js';
import { startTestApp } from '../support/service/app.js';
import { parsePrometheus } from '../support/service/prometheusText.js';
import { newUser } from '../support/http/users.js';

const METRICS_TOKEN = 'for-prometheus-alone';

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
  const families = parsePrometheus(await response.text());
  const samples = [...families.values()].flatMap((family) => family.samples);
  t.ok(queries.length > 10, 'there are queries');
  for (const query of queries) {
    const names = query.match(/switchboard_\w+/g) ?? [];
    t.ok(names.length > 0, `${query}: names a metric`);
    for (const name of names) t.ok(samples.some((sample) => sample.name === name), `${name} exists`);
    for (const [, name = '', matchers = ''] of query.matchAll(/(switchboard_\w+)\{([^}]*)\}/g)) {
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!=|!~|=)/g)) {
        const has = ['instance', 'job'].includes(label) || samples.some((each) => each.name === name && label in each.labels);
        t.ok(has, `${name} has the label ${label}`);
      }
    }
  }
  const shown = queries.join('\n');
  t.strictSame([...families.keys()].filter((name) => !shown.includes(name)), [], 'it shows every metric');
});

t.test('METRIC9 the panels of the dashboard have titles and do not overlap', async (t) => {
  t.ok(dashboard.title && dashboard.uid);
  const cells = dashboard.panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
    t.ok(title !== '' && x + w <= 24, `${title} lies within the page`);
    return Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`);
  });
  t.equal(new Set(cells).size, cells.length);
});
