/**
 * Several compiled test files in one process, one after another: tap, the service and the validators of its answers are loaded
 * and warm once. What a file registers for its end happens at its end.
 */
import { pathToFileURL } from 'node:url';
import { FILE_END, timeComment } from './fileEnds.js';

const [program, , ...files] = process.argv;
// tap names the folders of tests after it, and other processes run at the same time.
process.argv = [program ?? '', files[0] ?? ''];
const { default: t } = await import('tap');
// It takes tap's own teardown.
await import('./processEnd.js');
const limitMs = Number(process.env['TAP_TIMEOUT']) * 1000;

for (const file of files) {
  const startedAt = performance.now();
  const closers: Array<() => unknown> = [];
  t.setTimeout(limitMs);
  t.teardown = (close) => void closers.unshift(close);
  await import(pathToFileURL(file).href);
  await t.test(FILE_END, async (t) => {
    t.comment(timeComment(performance.now() - startedAt));
    for (const close of closers) await close();
    t.pass();
  });
  process.stderr.write(`${FILE_END}\n`);
}
