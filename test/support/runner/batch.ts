/**
 * Several compiled test files in one process, one after another: tap, the service and the validators of its answers are loaded
 * and warm once. What a file registers for its end happens at its end.
 */
import { pathToFileURL } from 'node:url';
import { cpuMilliseconds } from './cpuTime.js';
import { FILE_END, timeComment } from './fileEnds.js';

const [program, , ...files] = process.argv;
// tap names the folders of tests after it, and other processes run at the same time.
process.argv = [program ?? '', files[0] ?? ''];
const { default: t } = await import('tap');
// It takes tap's own teardown.
await import('./processEnd.js');
const { SkippedFile, TOGETHER } = await import('./skippedFile.js');
process.env[TOGETHER] = '1';

interface Loaded {
  readonly startedAt: number;
  readonly cpuBefore: number;
  /** What the file has registered for its end, the last first. */
  readonly closers: Array<() => unknown>;
  readonly failure: { readonly error: unknown } | null;
}

const limitMs = Number(process.env['TAP_TIMEOUT']) * 1000;

/** Its tests are then those that tap runs next. */
async function load(file: string): Promise<Loaded> {
  const [startedAt, cpuBefore, closers] = [performance.now(), cpuMilliseconds(), [] as Array<() => unknown>];
  t.setTimeout(limitMs);
  t.teardown = (close) => void closers.unshift(close);
  try {
    await import(pathToFileURL(file).href);
    return { startedAt, cpuBefore, closers, failure: null };
  } catch (error) {
    return { startedAt, cpuBefore, closers, failure: error instanceof SkippedFile ? null : { error } };
  }
}

let loaded = load(files[0] ?? '');
for (const index of files.keys()) {
  const { startedAt, cpuBefore, closers, failure } = await loaded;
  if (failure !== null) throw failure.error;
  const next = files[index + 1];
  await t.test(FILE_END, async (t) => {
    try {
      for (const close of closers) await close();
      t.pass();
    } finally {
      t.comment(timeComment(performance.now() - startedAt, cpuMilliseconds() - cpuBefore));
      process.stderr.write(`${FILE_END}\n`);
      // Within a test, because tap takes a process whose tests are over for done.
      if (next !== undefined) await (loaded = load(next));
    }
  });
}
