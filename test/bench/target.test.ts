import t, { type Test } from 'tap';
import { buildSync } from 'esbuild';
import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { whyNotAllowed } from '../../bench/confirm.js';
import { parseCommand } from '../../bench/options.js';
import { comparison, readResults } from '../../bench/report/compare.js';
import { csvOf } from '../../bench/report/csv.js';
import { htmlReport } from '../../bench/report/html.js';
import type { BenchResults, Figures } from '../../bench/results.js';
import { packagePath } from '../../src/paths.js';
import { newKey } from '../support/http/keys.js';
import { newUser } from '../support/http/users.js';
import { startTestApp, type TestApp } from '../support/service/app.js';
import { run } from '../support/service/commandLine.js';
import { lookFor, pathOf, skipWithout } from '../support/service/programs.js';
import { temporaryFolder } from '../support/store/folder.js';

const [bash, curl, k6] = [await lookFor('bash'), await lookFor('curl'), await lookFor('k6', 'see grafana.com/docs/k6')];

interface World extends TestApp {
  readonly key: string;
}

async function newWorld(t: Test): Promise<World> {
  const app = await startTestApp(t);
  return { ...app, key: (await newKey(app.api, await newUser(app.api))).key };
}

function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { env: { PATH: process.env['PATH'] ?? '', ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
  });
}

const K6_SCRIPT = packagePath('bench', 'k6.js');
const BENCH = packagePath('dist', 'bench', 'main.js');

t.test('--target measures a running service as one of its users, and leaves nothing there', async (t) => {
  const { api, url, key } = await newWorld(t);
  const { code, stdout, stderr } = await start(process.execPath, [BENCH, '--target', url, '--rounds', '1', '--seconds', '0.3'], {
    SWITCHBOARD_TOKEN: key,
  });
  t.equal(code, 0, stderr);
  t.match(stdout, /GET board, 200 cards, compressed\n.*\n +target +[\d,.]+ \/s/);
  t.match(stdout, /create card on one board/);
  t.notOk(`${stdout}${stderr}`.includes(key), 'the key is not shown');
  t.strictSame((await api.request('GET', '/boards', { token: key })).body, [], 'its boards are deleted');
  const [json = '', csv = '', html = ''] = stdout.trim().split('\n').slice(-3);
  t.teardown(() => Promise.all([json, csv, html].map((file) => rm(file))));
  const results = await readResults(json);
  t.strictSame(
    results.scenarios.flatMap(({ problems }) => problems),
    [],
  );
  t.match(await readFile(csv, 'utf8'), /^started_at,scenario,.*\r\n.*,target\/card,GET card,target,,ok,\d/);
  const page = await readFile(html, 'utf8');
  t.match(page, /Operations a second, and in how much time/);
  t.notOk(page.includes(key));
  t.match(comparison(results, results), /GET card +target +operations .* 1\.00 ×/);
});

t.test('a wrong token, target or bound is refused, and another machine is asked about', async (t) => {
  const { url } = await newWorld(t);
  const refused = await start(process.execPath, [BENCH, '--target', url, '--token', 'swb_wrong', '--rounds', '1', '--seconds', '0.2'], {});
  t.equal(refused.code, 1);
  const files = refused.stdout.trim().split('\n').slice(-3);
  t.teardown(() => Promise.all(files.map((file) => rm(file))));
  t.match(refused.stdout, /target could not be run\n.*\n? *FAILED .* got 401/);
  const problems = [
    [['--target', 'boards.example.org', '--token', 'x'], /must be an address/],
    [['--target', url], /needs a key/],
    [['--target', url, '--token', 'x', '--connections', '1000'], /--connections may be at most 256/],
    [['--target', url, '--token', 'x', '--seconds', '3600'], /--seconds may be at most 30/],
    [['--target', url, '--token', 'x', 'reads'], /scenarios of its own/],
    [['--token', 'x'], /need --target/],
    [['--compare', 'a.json'], /two JSON files/],
  ] as const;
  for (const [args, problem] of problems) t.match(parseCommand(args), { kind: 'refused', problem });

  const terminal = { stdin: new PassThrough(), stderr: new PassThrough().setEncoding('utf8') };
  t.equal(await whyNotAllowed('http://localhost:8000', false, terminal), null);
  t.match(await whyNotAllowed('https://boards.example.org', false, terminal), /--yes/);
  t.equal(await whyNotAllowed('https://boards.example.org', true, terminal), null);
  const asked = { stdin: Object.assign(new PassThrough(), { isTTY: true }), stderr: new PassThrough() };
  asked.stdin.end('no\n');
  t.equal(await whyNotAllowed('http://boards.example.org', false, asked), 'Nothing was sent.');
  t.match(String(asked.stderr.read()), /unencrypted/);
});

function resultsWith(lanes: ReadonlyArray<readonly [contestant: string, medians: Figures]>): BenchResults {
  const of = ([contestant, medians]: readonly [string, Figures]): BenchResults['scenarios'][number]['lanes'][number] => ({
    contestant,
    variant: null,
    x: null,
    rounds: [medians],
    medians,
    latency: [],
  });
  return {
    version: 1,
    startedAt: '2026-11-18T00:00:00.000Z',
    seconds: 1,
    options: { groups: ['reads'], rounds: 1, secondsPerRound: 1, depth: 'quick' },
    machine: { cpu: 'A processor', cores: 2, memoryBytes: 1e9, os: 'Linux', openFiles: null, versions: {} },
    scenarios: [{ id: 'reads/card', title: '=GET "card"', operation: 'request', note: null, speedBy: 'rate', lanes: lanes.map(of), problems: [] }],
    goals: [{ scenario: 'GET card', goal: 'fast', state: 'met', measured: '2 ×', remark: '' }],
  };
}

t.test('two runs are compared, a table for spreadsheets is safe, and the report begins with a chart that says how to read it', async (t) => {
  const before = resultsWith([
    ['switchboard', { rate: 1000, p99: 2 }],
    ['fastify', { rate: 100, p99: 5 }],
  ]);
  const after = resultsWith([
    ['switchboard', { rate: 500, p99: 1 }],
    ['fastify', { rate: 101, p99: 5 }],
  ]);
  const shown = comparison(before, after);
  t.match(shown, /switchboard +operations +1,000 \/s +500 \/s +0\.50 × +WORSE/);
  t.match(shown, /switchboard +p99 +2\.00 ms +1\.00 ms +0\.50 × +better/);
  t.match(shown, /fastify +operations +100 \/s +101 \/s +1\.01 ×\n/);
  t.match(csvOf(before), /,"'=GET ""card""",switchboard,/);
  const page = htmlReport(before);
  const [first = ''] = page.split('<nav>');
  t.match(first, /<figure class="overview">.*Right of the line we are faster/s, 'before everything else');
  t.match(first, /10 ×/, 'ten times the other');
  t.match(page, /prefers-color-scheme: dark/);
  const folder = await temporaryFolder(t);
  const [earlier, later, other] = ['before.json', 'after.json', 'other.json'].map((name) => join(folder, name)) as [string, string, string];
  await writeFile(earlier, JSON.stringify(before));
  await writeFile(later, JSON.stringify(after));
  await writeFile(other, '{"version":1}');
  t.strictSame(await start(process.execPath, [BENCH, '--compare', earlier, later], {}), { code: 0, stdout: shown, stderr: '' });
  t.match(await start(process.execPath, [BENCH, '--compare', earlier, other], {}), { code: 2, stdout: '', stderr: /other\.json has no results/ });
  t.match(await start(process.execPath, [BENCH, '--compare', earlier, join(folder, 'none.json')], {}), { code: 2, stdout: '', stderr: /none\.json/ });
});

t.test('CLI50 seed makes boards, cards and users through the API, within bounds', async (t) => {
  const { api, url, key } = await newWorld(t);
  const folder = await temporaryFolder(t);
  const settings = { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: key };
  const seeded = await run(folder, ['seed', '--boards', '2', '--cards', '12', '--users', '1'], { settings });
  t.match(seeded, { code: 0, stderr: 'Made 2 boards with 12 cards each, and 1 users.\n' }, 'no progress where there is no terminal');
  const ids = seeded.stdout.trim().split('\n');
  t.equal(ids.length, 2);
  for (const id of ids) {
    const { body } = await api.request<{ columns: Array<{ cards: unknown[] }>; members: unknown[] }>('GET', `/boards/${id}`, { token: key });
    t.equal(body.columns.flatMap(({ cards }) => cards).length, 12);
    t.equal(body.members.length, 2);
  }
  t.match(await run(folder, ['seed', '--boards', '5000'], { settings }), { code: 64, stderr: /--boards must be an integer from 1 to 1000/ });
  t.match(await run(folder, ['seed', '--cards', 'many'], { settings }), { code: 64, stderr: /--cards/ });
});

t.test('the scripts for k6 and autocannon are ready', { skip: skipWithout(bash) || skipWithout(curl) }, async (t) => {
  const { api, url, key } = await newWorld(t);
  const settings = { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: key, DURATION: '1', CONNECTIONS: '2', CARDS: '12' };
  const { code, stdout, stderr } = await start(pathOf(bash), [packagePath('bench', 'autocannon.sh')], settings);
  t.equal(code, 0, stderr);
  for (const title of ['GET card', 'GET board', 'GET board, compressed', 'POST card']) t.match(stdout, new RegExp(`^${title}$`, 'm'));
  t.notMatch(`${stdout}${stderr}`, /non 2xx/);
  t.strictSame((await api.request('GET', '/boards', { token: key })).body, [], 'its board is deleted');
  t.strictSame(buildSync({ entryPoints: [K6_SCRIPT], bundle: true, write: false, external: ['k6', 'k6/*'], format: 'esm' }).errors, []);
});

t.test(
  'the script for k6 reads, changes and follows a board, within its thresholds, and leaves nothing there',
  { skip: skipWithout(k6) },
  async (t) => {
    const { api, url, key } = await newWorld(t);
    const settings = { SWITCHBOARD_URL: url, SWITCHBOARD_TOKEN: key, DURATION: '3s', VUS: '2', FOLLOWERS: '2', CARDS: '12' };
    const given = Object.entries(settings).flatMap(([name, value]) => ['-e', `${name}=${value}`]);
    const began = Date.now();
    const { code, stdout, stderr } = await start(pathOf(k6), ['run', '--no-usage-report', ...given, K6_SCRIPT], { HOME: await temporaryFolder(t) });
    t.equal(code, 0, `${stdout}${stderr}`);
    t.match(stdout, /event_delivery\.*: avg=\d/, 'followers got events');
    t.ok(Date.now() - began < 25_000, 'it does not wait for followers, which never end');
    t.strictSame((await api.request('GET', '/boards', { token: key })).body, [], 'its board is deleted');
  },
);
