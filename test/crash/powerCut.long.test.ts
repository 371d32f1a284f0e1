import { randomInt } from 'node:crypto';
import { statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { packagePath } from '../../src/paths.js';
import { Api } from '../support/http/api.js';
import { newUser } from '../support/http/users.js';
import { monotonicTime } from '../support/monotonicTime.js';
import { chooseCuts, cutFolders, type Cut } from '../support/powerCut/cut.js';
import { expectUnharmed } from '../support/powerCut/expectUnharmed.js';
import { CUT_MODES, type CutMode } from '../support/powerCut/fate.js';
import { judge } from '../support/powerCut/judge.js';
import { Load } from '../support/powerCut/load.js';
import { Recording } from '../support/powerCut/recording.js';
import { IS_LONG_FORM } from '../support/runner/testProcess.js';
import { seededRandom } from '../support/seededRandom.js';
import { compilePreload } from '../support/service/preload.js';
import { temporaryFolder } from '../support/store/folder.js';
import { skipFile } from '../support/runner/skippedFile.js';

const SHARDS = 4;
/** After a cut one thread serves what several have written. */
const settings = { SHARDS: String(SHARDS), SHARD_THREADS: '1', DURABILITY: 'full', JWT_SECRET: 'of the tests alone' };
const PHASE = IS_LONG_FORM ? { changes: 300, newcomers: 6, files: 7 } : { changes: 60, newcomers: 2, files: 4 };
/** In the long form each place is cut in every mode, and often. */
const REPETITIONS = 3;

const library = await compilePreload(packagePath('test/support/powerCut/recorder.c'), await temporaryFolder(t));
if ('missing' in library) skipFile('CRASH2 to CRASH6', library.missing);

const seed = randomInt(2 ** 31);
const random = seededRandom(seed);

// One recorded life of a data folder: first start, load, clean restart, load, kill, recovery, load, kill.
const recording = await Recording.prepare(t, library.path, { ...settings, SHARD_THREADS: '2' });
const born = monotonicTime();
const first = await recording.start();
const served = monotonicTime();
const load = await Load.prepare(await Api.connect(first.url), { writers: 4, workplaces: 3, shards: SHARDS });
const ready = monotonicTime();
await load.start(first.url);
await load.advance(PHASE);
await load.pause();
const stopping = monotonicTime();
await first.stop();
const second = await recording.start();
const restarted = monotonicTime();
await load.start(second.url);
await load.advance(PHASE);
const killing = monotonicTime();
await second.killBetweenChanges();
await load.gone();
const third = await recording.start();
await load.settle(third.url);
const recovered = monotonicTime();
await load.start(third.url);
await load.advance(PHASE);
await third.killBetweenChanges();
await load.gone();

const records = recording.records();
const recorded = { records, load, settings };
const times = records.map(({ time }) => time);
/** Right after a write there is something to drop. */
const writeTimes = records.filter(({ kind }) => kind === 'write').map(({ time }) => time);
const { promiseTimes } = load;
const ended = times.at(-1) ?? 0;
t.comment(`seed ${seed}; ${load.figures}, ${records.length} records`);

function cuts(at: readonly number[], from: number, to: number, ...modes: readonly CutMode[]): Cut[] {
  const all = IS_LONG_FORM ? Array.from({ length: REPETITIONS }, () => CUT_MODES).flat() : modes;
  return chooseCuts(at, { from, to }, all, random);
}

t.test('CRASH2 after a power cut everything acknowledged and published is there once, and nothing is half done', async (t) => {
  t.ok(promiseTimes.length > 100, 'there was something to lose');
  await expectUnharmed(t, recorded, [...cuts(promiseTimes, ready, stopping, 'drop'), ...cuts(writeTimes, recovered, ended, 'drop', 'torn')]);
});

t.test('CRASH2 so it is after a cut around a clean restart, and during the recovery from a kill', async (t) => {
  await expectUnharmed(t, recorded, [...cuts(times, stopping, restarted, 'subset'), ...cuts(writeTimes, killing, recovered, 'drop')]);
});

t.test('CRASH2 a first start that is cut is completed by the next one', async (t) => {
  const findProblems = async (url: string): Promise<string[]> => {
    const api = await Api.connect(url);
    const { token } = await newUser(api);
    const { status } = await api.request('POST', '/boards', { token, json: { title: 'Plans' } });
    return status === 201 ? [] : [`a new board gets ${status}`];
  };
  for (const { cut, folder } of cutFolders(records, cuts(times, born, served, 'drop', 'subset'))) {
    const problems = await judge({ folder, settings, isComplete: false, findProblems });
    t.strictSame(problems, [], `cut at ${((cut.time - born) / 1e6).toFixed(1)} ms, ${cut.mode}, seed ${cut.seed}`);
  }
});

t.test('on a disk whose flushes do nothing the same search finds what was lost', async (t) => {
  const findProblems = (url: string): Promise<string[]> => load.findProblems(url, ended);
  const lies = (IS_LONG_FORM ? (['drop', 'torn'] as const) : (['drop'] as const)).map((mode) => ({ time: ended, mode, seed: random.below(2 ** 31) }));
  for (const { cut, folder } of cutFolders(records, lies, recovered)) {
    const { mode } = cut;
    const problems = await judge({ folder, settings, isComplete: true, findProblems });
    t.ok(problems.length > 0, `${mode}: ${problems.length} problems, such as ${problems[0]}`);
    // With all unflushed writes gone the folder is sound but older: each kind of promise is broken.
    if (mode !== 'drop') continue;
    t.match(problems.join('\n'), /^a card is .* was acknowledged$/m, 'acknowledged changes are missed');
    t.match(problems.join('\n'), /^event .* was published and is not in the log$/m, 'published events are missed');
    t.match(problems.join('\n'), /^newcomer-\d+ is there 0 times/m, 'registered users are missed');
    t.match(problems.join('\n'), /^file-\d+ is there 0 times/m, 'attached files are missed');
  }
});

t.test('the records of a folder are complete: without a cut they rebuild it byte by byte', async (t) => {
  const [whole] = cutFolders(records, [{ time: ended, mode: 'keep', seed: 0 }]);
  const entries = [...(whole?.folder.entries ?? [])];
  const paths = await readdir(recording.dataDir, { recursive: true });
  const isRecorded = (path: string): boolean => !path.endsWith('-shm') && statSync(join(recording.dataDir, path)).isFile();
  const files = paths.filter(isRecorded);
  const rebuilt = entries.flatMap(([path, content]) => (content === null ? [] : [path]));
  t.strictSame(rebuilt.toSorted(), files.toSorted());
  for (const [path, content] of entries) {
    if (content !== null) t.ok(content.equals(await readFile(join(recording.dataDir, path))), path);
  }
});
