/**
 * Runs the test files: all of them, or those whose path contains one of the arguments (`npm test -- auth config`).
 * Files named `.long.test.ts` run in continuous integration, with `--long`, and when an argument names them. With `--long`
 * each file runs five times, in its long form, and the median wait of each attack is judged at the end. The list is read
 * from the sources, so the output of a deleted test in dist/ does not run. The last line is `N passed, N failed`; a line before it counts the skipped tests,
 * if there are any. tapOutput.ts defines what is counted.
 */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { packagePath } from '../src/paths.js';
import { inSources } from './support/runner/sourcePositions.js';
import { readTapOutput, type FileOutcome } from './support/runner/tapOutput.js';
import { findMemoryFolder } from './support/runner/memoryFolder.js';
import { alone, isHeavy, toBatches } from './support/runner/batches.js';
import { LIMITS, LONG_FORM, runTestFile, runTestFiles } from './support/runner/testProcess.js';
import { FileTimes } from './support/runner/fileTimes.js';
import { Waits } from './support/runner/waits.js';

/**
 * As many as continuous integration has processors; the lane of the files that wait is one more. Files start processes of their
 * own, so more at once would be no sooner done, and would slow the timers that they test.
 */
const FILES_AT_ONCE = 2;

/** Each is compared with a service without an attack, which waits for the processors as long. */
const ATTACKS_AT_ONCE = 2;

const LONG_ROUNDS = 5;
const HOSTILE = join('test', 'hostile');
/** Files that use little of the processor: they wait for elections, time-outs, restarts, flushes or a browser. */
const WAITING = [
  'machines/',
  'bus/',
  'client/liveLogin',
  'partitions/partitions',
  'delivery/outboxRelay',
  'e2e/admin/readiness',
  'e2e/docs.browser',
  'e2e/web/',
  'http/endlessBodies',
  'http/lateAnswers',
  'property/log',
  'realtime/heartbeat',
  'realtime/keys',
  'realtime/sessions',
].map((name) => join('test', name));

const waits = new Waits();
const times = new FileTimes();
const isLong = process.argv.includes('--long');
if (isLong) process.env[LONG_FORM] = '1';
/** Not for the files that measure waits: those for a disk belong to them. */
const memoryFolder = findMemoryFolder();
const selection = process.argv.slice(2).filter((argument) => argument !== '--long');
const isComplete = isLong || selection.length > 0 || process.env['CI'] !== undefined;
const all = await findTestFiles(selection);
const found = all.filter((file) => isComplete || !isLongFile(file));
if (found.length < all.length)
  console.log(`${all.length - found.length} long files are left out; they run with CI=true, or by name: npm test -- long.test`);
const files = isLong ? Array.from({ length: LONG_ROUNDS }, () => found).flat() : found;
if (files.length === 0) {
  console.log(selection.length === 0 ? 'There are no tests.' : `No test file is named like ${selection.join(', ')}.`);
}
/** They run last: in the long form one after another, else as many at once as there are processors. */
const measuring = files.filter(measuresWaits);
/** They run beside the others. */
const waiting = files.filter((file) => WAITING.some((name) => file.startsWith(name)));
const others = files.filter((file) => !measuring.includes(file) && !waiting.includes(file));
const beside = await (isLong ? runLane([alone(others), alone(waiting)]) : runBeside(toBatches(others), toBatches(waiting)));
const outcomes = [...beside, ...(await (isLong ? runLane([alone(measuring)]) : runLanes(ATTACKS_AT_ONCE, toBatches(measuring))))];
for (const line of times.byFolder()) console.log(line);
const medians = isLong ? waits.medians() : [];
for (const { attack, waitMs, turnMs, rounds, isKept } of medians) {
  const all = rounds.map((round) => `${round.waitMs} (${round.turnMs})`).join(', ');
  console.log(`${isKept ? 'ok    ' : 'FAILED'} ${attack}: ${waitMs} ms more, a turn of ${turnMs} ms, the medians of ${all}`);
}
const passed = sum(outcomes.map((outcome) => outcome.passed));
const failed = sum(outcomes.map((outcome) => outcome.failed.length)) + medians.filter(({ isKept }) => !isKept).length;
const skipped = sum(outcomes.map((outcome) => outcome.skipped.length));
console.log(skipped > 0 ? `\n${skipped} skipped, for the reasons given above` : '');
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || files.length === 0 ? 1 : 0;

async function findTestFiles(parts: readonly string[]): Promise<string[]> {
  const names = await readdir(packagePath('test'), { recursive: true });
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((name) => parts.length === 0 || parts.some((part) => name.includes(part)))
    .sort((a, b) => Number(isHeavy(b)) - Number(isHeavy(a)) || (a < b ? -1 : 1));
}

function isLongFile(file: string): boolean {
  return file.endsWith('.long.test.ts');
}

/** An attack beside other work would not be the reason of the waits. Other hostile files look at refusals and memory. */
function measuresWaits(file: string): boolean {
  return file.startsWith(HOSTILE) && readFileSync(packagePath(file), 'utf8').includes("/hostile/attackedService.js'");
}

/** The lanes of the busy files help with the waiting ones at the end. */
async function runBeside(busy: string[][], waiting: string[][]): Promise<FileOutcome[]> {
  return (await Promise.all([runLanes(FILES_AT_ONCE, busy, waiting), runLane([waiting])])).flat();
}

async function runLanes(count: number, ...queues: string[][][]): Promise<FileOutcome[]> {
  return (await Promise.all(Array.from({ length: count }, () => runLane(queues)))).flat();
}

/** One batch after another, from the first queue that has one. */
async function runLane(queues: ReadonlyArray<string[][]>): Promise<FileOutcome[]> {
  const outcomes: FileOutcome[] = [];
  const next = (): readonly string[] | undefined => queues.find(({ length }) => length > 0)?.shift();
  for (let batch = next(); batch !== undefined; batch = next()) outcomes.push(...(await runBatch(batch)));
  return outcomes;
}

async function runBatch(files: readonly string[]): Promise<FileOutcome[]> {
  const compiled = files.map((file) => packagePath('dist', file.replace(/\.ts$/, '.js')));
  const [alone = ''] = compiled;
  const folder = files.some((file) => measuring.includes(file)) ? null : memoryFolder;
  const runs = compiled.length === 1 ? [await runTestFile(alone, LIMITS, folder)] : await runTestFiles(compiled, LIMITS, folder);
  return runs.map(({ stdout, stderr, end, ...time }, index) => {
    const file = files[index] ?? '';
    const outcome = readTapOutput(stdout, end);
    report(file, outcome, stderr, times.add(file, time));
    waits.add(file, stdout);
    if (isLong) for (const [figures] of stdout.matchAll(/^ *# longest wait .*$/gm)) console.log(figures);
    return outcome;
  });
}

function report(file: string, { passed, failed, skipped }: FileOutcome, stderr: string, time: string): void {
  const verdict = failed.length > 0 ? 'FAILED' : 'ok    ';
  console.log(`${verdict} ${file}: ${passed} passed, ${failed.length} failed (${time})`);
  for (const { title, reason } of skipped) console.log(`  skipped: ${title}: ${reason}`);
  for (const { title, detail } of failed) console.log(indent(`  failed: ${title}\n${inSources(detail)}`));
  if (stderr.trim() !== '') console.log(indent(`  standard error:\n${inSources(stderr)}`));
}

function indent(text: string): string {
  return text.trimEnd().replaceAll('\n', '\n    ');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
