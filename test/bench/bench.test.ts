import t from 'tap';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { GOALS } from '../../bench/goals.js';
import { Histogram } from '../../bench/histogram.js';
import { evaluateGoals } from '../../bench/evaluate.js';
import { helpText, parseCommand, type BenchOptions } from '../../bench/options.js';
import { writeResults } from '../../bench/report/files.js';
import type { LaneResult, ScenarioResult } from '../../bench/results.js';
import { runBench, type Progress } from '../../bench/run.js';
import { LoadProcess } from '../../bench/processes/loadProcess.js';
import { slowDisk } from '../../bench/processes/slowDisk.js';
import { openAudiences } from '../../bench/scenarios/audience.js';
import { GROUPS } from '../../bench/scenarios/catalogue.js';
import { httpLane } from '../../bench/scenarios/httpLane.js';
import type { Group } from '../../bench/scenarios/scenario.js';
import { teach } from '../../bench/scenarios/teach.js';
import { temporaryFolder } from '../support/store/folder.js';

const SILENT: Progress = {
  onGroup: () => undefined,
  onScenario: () => undefined,
  onRound: () => undefined,
  onScenarioDone: () => undefined,
  onNote: () => undefined,
};

t.test('a scenario runs with every contestant and leaves a JSON file and a report', async (t) => {
  const results = await runBench(optionsOf('mixed', '--rounds', '2', '--seconds', '0.3'), SILENT);
  t.equal(results.scenarios.length, 1);
  const [scenario] = results.scenarios;
  t.strictSame(scenario?.problems, []);
  t.strictSame(
    scenario?.lanes.map(({ contestant }) => contestant),
    ['limit', 'switchboard', 'fastify'],
  );
  for (const { contestant, rounds, medians, latency } of scenario?.lanes ?? []) {
    t.equal(rounds.length, 2, `${contestant}: every round is kept, without the one to warm up`);
    t.ok((medians.rate ?? 0) > 0, `${contestant}: it answered`);
    t.ok(Histogram.unpack(latency).total > 0, `${contestant}: its answers were timed`);
  }

  const files = await writeResults(results, await temporaryFolder(t));
  t.strictSame(JSON.parse(await readFile(files.json, 'utf8')), JSON.parse(JSON.stringify(results)));
  const page = await readFile(files.html, 'utf8');
  t.match(page, '90 % GET card', 'the report shows the scenario');
  t.notMatch(page, /(?:src|href)="(?:https?:)?\/\//, 'the report needs no network');
});

t.test('every delivery to every socket is counted and timed', async (t) => {
  const sockets = 20;
  const group: Group = {
    name: 'tiny',
    summary: 'a few sockets on one board',
    async prepare(stage) {
      const audiences = await openAudiences(stage, ['limit', 'switchboard'], 1);
      const lanes = audiences.map((audience) => ({
        contestant: audience.contestant.name,
        measure: (seconds: number) => audience.change({ kind: 'window', inFlight: 2 }, sockets, seconds),
      }));
      const begin = async (): Promise<void> => {
        for (const audience of audiences) await audience.fillTo(sockets);
      };
      return [{ name: 'fanout', title: 'fan-out', operation: 'change', warmUp: false, lanes, begin }];
    },
  };
  const { scenarios } = await runBench({ groups: [group], depth: 'quick', rounds: 1, seconds: 0.2 }, SILENT);
  t.strictSame(
    scenarios.map(({ id, problems }) => [id, problems]),
    [['tiny/fanout', []]],
  );
  for (const { contestant, latency } of scenarios[0]?.lanes ?? []) {
    const deliveries = Histogram.unpack(latency).total;
    t.ok(deliveries > 0, `${contestant}: there were deliveries`);
    t.equal(deliveries % sockets, 0, `${contestant}: each change reached all sockets`);
  }
});

t.test('webhooks are delivered again and again, and their CPU time is measured', async (t) => {
  const { scenarios } = await runBench(optionsOf('webhooks', '--rounds', '1', '--seconds', '0.5'), SILENT);
  const lanes = scenarios.flatMap((scenario) => scenario.lanes);
  t.strictSame(
    scenarios.map(({ id, problems }) => [id, problems]),
    [['webhooks/webhooks', []]],
  );
  t.strictSame(
    lanes.map(({ variant }) => variant),
    ['1 board', '16 boards'],
  );
  for (const { variant, medians } of lanes) t.ok((medians.rate ?? 0) > 0 && (medians.cpuMicros ?? 0) > 0, variant ?? '');
});

t.test('wrong answers fail a scenario, and a contestant that does not start fails its group', async (t) => {
  const wrong: Group = {
    name: 'wrong',
    summary: 'nothing was taught, so every answer is 404',
    async prepare(stage) {
      const scripts = [[{ method: 'GET', path: '/nothing' }]] as const;
      const lane = httpLane({ contestant: await stage.start('limit'), load: stage.load('http'), token: '', scripts });
      return [{ name: 'answers', title: 'answers', operation: 'request', warmUp: false, lanes: [lane] }];
    },
  };
  const broken: Group = {
    name: 'broken',
    summary: 'a setting that the service refuses',
    async prepare(stage) {
      await stage.start('switchboard', { JWT_SECRET: 'short' });
      return [];
    },
  };
  const { scenarios } = await runBench({ groups: [wrong, broken], depth: 'quick', rounds: 1, seconds: 0.1 }, SILENT);
  t.match(scenarios, [
    { id: 'wrong/answers', problems: [/^limit: \d+ answers with status 404$/] },
    { id: 'broken/failed', problems: [/^switchboard did not start/] },
  ]);
});

t.test('on a slow disk every flush of a contestant takes its time', async (t) => {
  const flushMs = 25;
  const disk = await slowDisk(flushMs);
  if ('missing' in disk) {
    t.pass('a slow disk', { skip: disk.missing });
    return;
  }
  t.teardown(() => disk.remove());
  const group: Group = {
    name: 'slow',
    summary: 'one insert after another',
    async prepare(stage) {
      const limit = await stage.start('limit', disk.settings);
      const lesson = { method: 'POST', path: '/cards', headers: [], body: '{}' } as const;
      await teach(limit, { ...lesson, status: '201 Created', work: { kind: 'insert' } });
      const scripts = [[{ method: 'POST', path: '/cards', body: 'a card' }]] as const;
      const lane = httpLane({ contestant: limit, load: stage.load('http'), token: '', expectedStatus: 201, scripts });
      return [{ name: 'inserts', title: 'inserts', operation: 'card', warmUp: false, lanes: [lane] }];
    },
  };
  const { scenarios } = await runBench({ groups: [group], depth: 'quick', rounds: 1, seconds: 0.3 }, SILENT);
  t.strictSame(
    scenarios.map(({ problems }) => problems),
    [[]],
  );
  const fastest = Histogram.unpack(scenarios[0]?.lanes[0]?.latency ?? []).percentile(0);
  // A histogram is accurate to one percent.
  t.ok(fastest >= 0.99 * flushMs, `the fastest insert took ${fastest} ms`);
});

t.test('a request that waits when its round ends counts with its time so far', async (t) => {
  let connections = 0;
  const ignored = new Set<Socket>();
  const server = createServer((request, response) => {
    if (!ignored.has(request.socket)) response.end('{}');
  });
  server.on('connection', (socket) => {
    connections += 1;
    if (connections === 1) ignored.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.closeAllConnections());
  t.teardown(() => server.close());
  const load = new LoadProcess('http');
  t.teardown(() => load.stop());
  const seconds = 0.5;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const scripts = [[{ method: 'GET', path: '/' }]] as const;
  const job = { kind: 'http', url, connections: 2, seconds, headers: {}, scripts, expectedStatuses: [200] } as const;
  const { operations, latency } = await load.run(job);
  const histogram = Histogram.unpack(latency);
  t.ok(operations > 0, 'the other connection was served');
  t.ok(histogram.percentile(1) >= 0.9 * seconds * 1000, `the longest wait is ${histogram.percentile(1)} ms`);
  t.ok(histogram.total > operations, 'the waiting request is no operation');
});

t.test('percentiles are accurate to one percent, also after transfer between processes', async (t) => {
  const histogram = new Histogram();
  for (let n = 1; n <= 10_000; n += 1) histogram.record(n / 10);
  const travelled = Histogram.unpack(JSON.parse(JSON.stringify(histogram.pack())));
  for (const fraction of [0.01, 0.5, 0.95, 0.99, 1]) {
    const exact = fraction * 1000;
    t.ok(Math.abs(travelled.percentile(fraction) - exact) <= exact / 100, `${fraction}`);
  }
});

t.test('a goal is decided by medians, or by capacity if the load generator was at its limit', async (t) => {
  const goals = GOALS.filter(({ goal, scenario }) => scenario === 'GET card' && goal.includes('limit'));
  t.equal(goals.length, 1);
  const validated = (limit: LaneResult, ours: LaneResult, problems: string[] = []): string | undefined =>
    evaluateGoals(goals, [cardScenario([limit, ours], problems)])[0]?.state;
  const free = { loadShare: 0.5, otherShare: 0 };
  t.equal(validated(lane('limit', { rate: 100, ...free }), lane('switchboard', { rate: 61, ...free })), 'met');
  t.equal(validated(lane('limit', { rate: 100, ...free }), lane('switchboard', { rate: 59, ...free })), 'missed');
  const exhausted = { rate: 100, loadShare: 1, otherShare: 0 };
  const [fast, slow] = [
    { ...exhausted, capacity: 400 },
    { ...exhausted, capacity: 200 },
  ];
  t.equal(validated(lane('limit', fast), lane('switchboard', slow)), 'missed', 'equal rates decide nothing then');
  t.equal(validated(lane('limit', fast), lane('switchboard', fast), ['1 answer with status 500']), 'not measured');
  t.equal(evaluateGoals(goals, [])[0]?.state, 'not measured');
});

t.test('a goal about times reports interference', async (t) => {
  const goals = GOALS.filter(({ scenario }) => scenario.startsWith('delivery'));
  const remark = (otherShare: number): string | undefined => {
    const lanes = ['limit', 'switchboard'].map((name) => lane(name, { p99: 5, otherShare }));
    return evaluateGoals(goals, [{ ...cardScenario(lanes, []), id: 'delivery/busy-board' }])[0]?.remark;
  };
  t.equal(remark(0.05), 'p99 5.00 ms against 5.00 ms');
  t.equal(remark(0.2), 'p99 5.00 ms against 5.00 ms; other processes interfered');
});

t.test('a first visit of a browser is held to its bytes and its requests', (t) => {
  const goals = GOALS.filter(({ scenario }) => scenario === 'browser, first visit');
  const states = (figures: LaneResult['medians']): readonly (readonly [string, string])[] => {
    const visit = { ...lane('switchboard', figures), variant: '50 cards' };
    return evaluateGoals(goals, [{ ...cardScenario([visit], []), id: 'web/visit' }]).map(({ state, measured }) => [state, measured]);
  };
  t.strictSame(states({ loadedBytes: 80_000, requests: 8 }), [
    ['met', '80.0 KB'],
    ['met', '8.00'],
  ]);
  t.strictSame(states({ loadedBytes: 80_001, requests: 9 }), [
    ['missed', '80.0 KB'],
    ['missed', '9.00'],
  ]);
  t.end();
});

t.test('every goal names lanes that its scenario group knows', async (t) => {
  const names = GROUPS.map(({ name }) => name);
  for (const { scenario, rule } of GOALS) {
    t.ok(names.includes(rule.ours.scenario.split('/')[0] ?? ''), scenario);
  }
});

t.test('the command line accepts groups, depth, rounds and seconds, and refuses the rest', async (t) => {
  t.match(parseCommand(['reads', 'login', '--rounds', '7', '--seconds', '2']), {
    kind: 'run',
    options: { groups: [{ name: 'reads' }, { name: 'login' }], rounds: 7, seconds: 2, depth: 'normal' },
  });
  t.match(parseCommand([]), { kind: 'run', options: { rounds: 5, seconds: null, depth: 'quick' } });
  t.notOk(
    optionsOf().groups.some(({ name }) => name === 'sockets10k'),
    'minutes of holding sockets are asked for',
  );
  t.ok(optionsOf('--full').groups.some(({ name }) => name === 'sockets10k'));
  t.match(parseCommand(['--help']), { kind: 'help' });
  for (const { name } of GROUPS) t.match(helpText(), name);
  for (const wrong of [['nothing'], ['--rounds', '0'], ['--rounds', '1.5'], ['--seconds', 'x'], ['--fast']]) {
    t.match(parseCommand(wrong), { kind: 'refused' }, wrong.join(' '));
  }
});

function optionsOf(...args: string[]): BenchOptions {
  const command = parseCommand(args);
  if (command.kind !== 'run') throw new Error(`refused: ${args.join(' ')}`);
  return command.options;
}

function lane(contestant: string, medians: LaneResult['medians']): LaneResult {
  return { contestant, variant: null, x: null, rounds: [medians], medians, latency: [] };
}

function cardScenario(lanes: readonly LaneResult[], problems: readonly string[]): ScenarioResult {
  return {
    id: 'reads/card',
    title: 'GET card',
    operation: 'request',
    note: null,
    speedBy: 'either',
    lanes,
    problems,
  };
}
