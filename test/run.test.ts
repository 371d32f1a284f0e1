import t, { type Test } from 'tap';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packagePath } from '../src/paths.js';
import { toBatches } from './support/runner/batches.js';
import { FileTimes } from './support/runner/fileTimes.js';
import { findMemoryFolder } from './support/runner/memoryFolder.js';
import { inSources } from './support/runner/sourcePositions.js';
import { readTapOutput, type FileOutcome } from './support/runner/tapOutput.js';
import { reportedWait, Waits } from './support/runner/waits.js';
import { LIMITS, runTestFile, runTestFiles, type Limits } from './support/runner/testProcess.js';

const WITHOUT_PROC = process.platform === 'linux' ? false : 'processes are listed on Linux only';

t.test('the runner counts the titled tests of a file and names every failure and skip with its reason', async (t) => {
  const outcome = await outcomeOf(
    t,
    `t.test('A1 passes', async (t) => { t.equal(1, 1); await t.test('part', async (t) => { t.ok(true); }); });
     t.test('A2 fails', async (t) => { t.ok(true); t.equal(1, 2, 'one is two'); });
     t.test('A3 throws', async () => { throw new Error('thrown'); });
     t.test('A4 is skipped', { skip: 'no server here' }, async (t) => { t.fail(); });
     t.test('A5 skips a part', async (t) => { t.ok(true); t.skip('too slow'); });
     t.test('A6 is to come', { todo: 'later' });`,
  );
  t.equal(outcome.passed, 2);
  t.match(outcome.failed, [
    { title: 'A2 fails', detail: /not ok 2 - one is two/ },
    { title: 'A3 throws', detail: /not ok 1 - thrown/ },
  ]);
  t.strictSame(outcome.skipped, [
    { title: 'A4 is skipped', reason: 'no server here' },
    { title: 'A5 skips a part > too slow', reason: 'too slow' },
    { title: 'A6 is to come', reason: 'later' },
  ]);
});

t.test('a file that is skipped as a whole says why', async (t) => {
  const outcome = await outcomeOf(t, `t.plan(0, 'no browser here');`);
  t.strictSame(outcome, { passed: 0, failed: [], skipped: [{ title: 'the whole file', reason: 'no browser here' }] });
});

t.test('a file that does not load, ends early or runs no test fails', async (t) => {
  const files = {
    'does not load': { source: `import './missing.js';`, title: 'the process ended with code 1' },
    'exits at once': { source: `process.exit(3);`, title: 'the process ended with code 3' },
    'is killed': { source: `process.kill(process.pid, 'SIGKILL');`, title: 'the process ended with SIGKILL' },
    'is empty': { source: '', title: 'the file ran no test' },
  };
  for (const [name, { source, title }] of Object.entries(files)) {
    const outcome = await outcomeOf(t, source, LIMITS, name);
    t.match(outcome, { passed: 0, failed: [{ title }], skipped: [] }, name);
  }
});

t.test('a file that fails after its tests passed fails', async (t) => {
  const late = await outcomeOf(
    t,
    `t.test('B1 passes', async (t) => { t.ok(true); });
     process.on('exit', () => { process.exitCode = 9; });`,
  );
  t.match(late, { passed: 1, failed: [{ title: 'the process ended with code 9' }] });
});

t.test('a hanging test and a file that leaves something open are named', async (t) => {
  const limits: Limits = { ...LIMITS, tapSeconds: 0.5 };
  // Both keep the process alive beyond tap's limit, but not for ever, so that it ends without a kill.
  const stayAlive = `setTimeout(() => {}, 2000);`;
  const hanging = `${stayAlive} t.test('C1 hangs', async () => { await new Promise(() => {}); });`;
  t.match(await outcomeOf(t, hanging, limits, 'hanging'), {
    passed: 0,
    failed: [{ title: 'C1 hangs', detail: /timeout!/ }],
  });
  const open = `${stayAlive} t.test('C2 passes', async (t) => { t.ok(true); });`;
  t.match(await outcomeOf(t, open, limits, 'open'), { passed: 1, failed: [{ title: 'timeout!' }] });
});

t.test('a process that does not stop is killed', async (t) => {
  const outcome = await outcomeOf(t, `for (;;);`, { ...LIMITS, killSeconds: 0.5 });
  t.match(outcome, { passed: 0, failed: [{ title: /did not end within 0.5 s/ }] });
});

t.test('a failure is shown at its place in the sources', async (t) => {
  const [compiled, source] = ['dist/test/run.test.js', 'test/run.test.ts'].map((file) => {
    const lines = readFileSync(packagePath(file), 'utf8').split('\n');
    const line = lines.findIndex((text) => text.startsWith('async function outcomeOf('));
    return `${file}:${line + 1}:1`;
  });
  t.equal(inSources(`at it (${compiled})\n  ${compiled}`), `at it (${source})\n  ${source}`, 'as tap shows it');
  t.equal(inSources(`at ${pathToFileURL(packagePath(compiled ?? ''))}`), `at ${source}`, 'as Node shows it');
  for (const other of ['dist/nowhere.js:1:1', 'node_modules/x/dist/test/run.js:1:1', `${source}`]) t.equal(inSources(other), other);
});

t.test('files that share a process are counted apart, and what a file registers for its end happens at its end', async (t) => {
  const closed = `t.teardown(() => console.error('closed'));`;
  const outcomes = await outcomesOf(t, {
    'a.mjs': `${closed} t.test('A1 passes', async (t) => { t.ok(true); }); t.test('A2 is skipped', { skip: 'no server here' });`,
    'b.mjs': `console.error('begins'); t.test('B1 fails', async (t) => { t.equal(1, 2, 'one is two'); });`,
    'c.mjs': `t.teardown(() => { throw new Error('does not close'); }); t.test('C1 passes', async (t) => { t.ok(true); });`,
    'd.mjs': ``,
    'e.mjs': `t.test('E1 passes', async (t) => { t.ok(true); });`,
  });
  t.match(outcomes, [
    { passed: 1, failed: [], skipped: [{ title: 'A2 is skipped' }], stderr: 'closed\n' },
    { passed: 0, failed: [{ title: 'B1 fails', detail: /not ok 1 - one is two/ }], skipped: [], stderr: 'begins\n' },
    { passed: 1, failed: [{ title: 'the file ends', detail: /does not close/ }], skipped: [] },
    { passed: 0, failed: [{ title: 'the file ran no test' }], skipped: [] },
    { passed: 1, failed: [], skipped: [] },
  ]);
});

t.test('a process that ends in one of its files fails there, and the files after it run in another', async (t) => {
  const passes = `t.test('passes', async (t) => { t.ok(true); });`;
  const outcomes = await outcomesOf(t, {
    'a.mjs': passes,
    'b.mjs': `import './missing.js';`,
    'c.mjs': `${passes} t.test('ends', async () => { process.exit(0); });`,
    'd.mjs': `${passes} t.test('is killed', async () => { process.kill(process.pid, 'SIGKILL'); });`,
    'e.mjs': passes,
    'f.mjs': `${passes} process.on('exit', () => { process.exitCode = 9; });`,
  });
  t.match(outcomes, [
    { passed: 1, failed: [] },
    { passed: 0, failed: [{ title: 'the process ended with code 1' }], stderr: /missing\.js/ },
    { passed: 1, failed: [{}] },
    { passed: 1, failed: [{ title: 'the process ended with SIGKILL' }] },
    { passed: 1, failed: [] },
    { passed: 1, failed: [{ title: 'the process ended with code 9' }] },
  ]);
});

t.test('files that follow each other share a process, fewer at the end, few if they are heavy, and some never', async (t) => {
  const files = (count: number, name = 'test'): string[] => Array.from({ length: count }, (_, index) => `test/a/${index}.${name}.ts`);
  const sizes = (...lists: string[][]): number[] => toBatches(lists.flat()).map(({ length }) => length);
  t.strictSame(sizes(files(150)), [20, 20, 19, 16, 13, 11, 9, 7, 6, 5, 4, 4, 4, 4, 4, 4]);
  t.strictSame(sizes(files(2, 'long.test'), files(6)), [1, 1, 4, 2]);
  t.strictSame(sizes(['test/machines/a.test.ts', 'test/cluster/b.test.ts'], files(6)), [1, 1, 4, 2]);
  t.strictSame(toBatches(files(30)).flat(), files(30), 'each once, in their order');
  t.strictSame(toBatches(['test/a.test.ts', 'test/trips.test.ts', 'test/web.test.ts']), [
    ['test/a.test.ts'],
    ['test/trips.test.ts'],
    ['test/web.test.ts'],
  ]);
});

t.test(
  'the processor time of a file is that of its process and of all that it started, and is summed by folder',
  { skip: WITHOUT_PROC },
  async (t) => {
    // More than what is demanded: the kernel counts in ticks of 10 ms.
    const burn = `const used = ({ user, system }) => user + system; while (used(process.cpuUsage()) < 450_000) for (let n = 0; n < 1e6; n += 1);`;
    const busy = `import t from 'tap'; import { execFileSync, spawn } from 'node:child_process';
      t.test('ended', async (t) => { execFileSync(process.execPath, ['-e', '${burn}']); t.pass(); });`;
    const running = `${busy} t.test('runs', async (t) => {
        const child = spawn(process.execPath, ['-e', '${burn} console.log("used"); setInterval(() => {}, 1e6);']);
        process.on('exit', () => child.kill());
        await new Promise((resolve) => child.stdout.once('data', resolve));
        for (const handle of [child, child.stdin, child.stdout, child.stderr]) handle.unref();
        t.pass();
      });`;
    const idle = `import t from 'tap'; t.test('idle', async (t) => { t.pass(); });`;
    const directory = t.testdir({ 'busy.mjs': busy, 'running.mjs': running, 'idle.mjs': idle });
    const files = ['busy', 'idle', 'running'].map((name) => join(directory, `${name}.mjs`));
    const [first, second, third] = await runTestFiles(files);
    t.ok((first?.cpuMilliseconds ?? 0) >= 400, `a child that ended counts: ${first?.cpuMilliseconds} ms`);
    t.ok((second?.cpuMilliseconds ?? 400) < 400, `it does not count in the next file: ${second?.cpuMilliseconds} ms`);
    t.ok((third?.cpuMilliseconds ?? 0) >= 800, `a child that runs counts: ${third?.cpuMilliseconds} ms`);
    t.ok((await runTestFile(files[0] ?? '')).cpuMilliseconds >= 400, 'in a process of its own too');

    const times = new FileTimes();
    t.equal(times.add('test/a/b.test.ts', { milliseconds: 1_234, cpuMilliseconds: 2_000 }), '1.2 s, 2.0 s of CPU');
    times.add('test/c/d.test.ts', { milliseconds: 100, cpuMilliseconds: 9_000 });
    times.add('test/a/e.test.ts', { milliseconds: 1_000, cpuMilliseconds: 500 });
    t.strictSame(times.byFolder(), ['test/c: 0.1 s, 9.0 s of CPU', 'test/a: 2.2 s, 2.5 s of CPU', 'all files: 2.3 s, 11.5 s of CPU']);
  },
);

/** Of files in one process. */
async function outcomesOf(t: Test, files: Readonly<Record<string, string>>): Promise<Array<FileOutcome & { readonly stderr: string }>> {
  const directory = t.testdir(Object.fromEntries(Object.entries(files).map(([name, source]) => [name, `import t from 'tap';\n${source}`])));
  const runs = await runTestFiles(Object.keys(files).map((name) => join(directory, name)));
  return runs.map(({ stdout, stderr, end }) => ({ ...readTapOutput(stdout, end), stderr }));
}

async function outcomeOf(t: Test, source: string, limits = LIMITS, name = 'a'): Promise<FileOutcome> {
  const directory = t.testdir({ [`${name}.mjs`]: `import t from 'tap';\n${source}` });
  const { stdout, end } = await runTestFile(join(directory, `${name}.mjs`), limits);
  return readTapOutput(stdout, end);
}

t.test('the long form judges each attack by the median of its rounds', async (t) => {
  const waits = new Waits();
  const add = (attack: number, [waitMs, turnMs]: readonly [number, number]): void =>
    waits.add('a.test.ts', `TAP version 14\n    # ${reportedWait(attack, 'A1 reads', waitMs, turnMs)}\nok 1 - A1 reads\n`);
  for (const round of [
    [10, 90],
    [90, 90],
    [50, 90],
    [51, 90],
    [-3, 90],
  ] as const)
    add(1, round);
  for (const round of [
    [51, 16],
    [52, 15],
    [20, 16],
    [300, 16],
    [80, 15],
  ] as const)
    add(2, round);
  for (const round of [
    [53, 15],
    [53, 99],
    [53, 15],
    [53, 16],
    [53, 4],
  ] as const)
    add(3, round);
  t.match(waits.medians(), [
    { attack: 'a.test.ts: A1 reads, attack 3', waitMs: 53, turnMs: 15, isKept: true },
    { attack: 'a.test.ts: A1 reads, attack 2', waitMs: 52, turnMs: 16, isKept: false },
    { attack: 'a.test.ts: A1 reads, attack 1', waitMs: 50, turnMs: 90, rounds: [10, 90, 50, 51, -3].map((waitMs) => ({ waitMs })), isKept: true },
  ]);
});

t.test('a file of tests keeps its temporary files in the folder of the runner', async (t) => {
  const [folder, source] = [
    t.testdir({}),
    `import t from 'tap';\nimport { tmpdir } from 'node:os';\nt.test('A1 ' + tmpdir(), async (t) => { t.fail(); });`,
  ];
  const { stdout, end } = await runTestFile(join(t.testdir({ 'a.mjs': source }), 'a.mjs'), LIMITS, folder);
  t.match(readTapOutput(stdout, end).failed, [{ title: `A1 ${folder}` }]);
  t.equal(findMemoryFolder({ TMPDIR: folder }), null, 'the caller may choose another');
});
