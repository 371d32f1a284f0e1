/** Where the output of one test file ends and that of the next begins, in a process that runs several. */
import { cpuComment, readCpuComment } from './cpuTime.js';
import type { ProcessEnd } from './tapOutput.js';

export interface FileRun {
  readonly file: string;
  readonly stdout: string;
  readonly stderr: string;
  readonly end: ProcessEnd;
  readonly milliseconds: number;
  /** Of the processor, with what the file started. */
  readonly cpuMilliseconds: number;
}

/** The last test of each file, and a line on standard error. It runs what the file registered for its end, so it can fail. */
export const FILE_END = 'the file ends';
const END_SUBTEST = `# Subtest: ${FILE_END}`;
const END_POINT = new RegExp(`^(not )?ok \\d+ - ${FILE_END}(?: # time.*)?$`);
const END_OF_ERRORS = new RegExp(`^${FILE_END}\n`, 'm');
const FAILED_POINT = /^not ok /m;
const TIME = /^ +# after (\d+) ms, /m;
const DIAGNOSIS = { first: '  ---', last: '  ...' } as const;

/** A comment of that test: the time since the file began, and that of the processor. */
export function timeComment(milliseconds: number, cpuMilliseconds: number): string {
  return `after ${Math.round(milliseconds)} ms, ${cpuComment(cpuMilliseconds)}`;
}

/** What belongs to each of the files that began: a process that ends too early does so in the last of them. */
export function splitByFile(files: readonly string[], stdout: string, stderr: string, end: ProcessEnd): FileRun[] {
  const errors = stderr.split(END_OF_ERRORS);
  const lines = stdout.split('\n');
  const runs: FileRun[] = [];
  let from = 0;
  for (const [index, line] of lines.entries()) {
    const [point, not] = END_POINT.exec(line) ?? [];
    const file = files[runs.length];
    if (point === undefined || file === undefined) continue;
    const subtest = lines.indexOf(END_SUBTEST, from);
    const last = lines[index + 1] === DIAGNOSIS.first ? lines.indexOf(DIAGNOSIS.last, index) : index;
    const ending = lines.slice(subtest, index).join('\n');
    const [, milliseconds] = TIME.exec(ending) ?? [];
    const own = lines.slice(from, not === undefined ? subtest : last + 1).join('\n');
    runs.push({
      file,
      stdout: own,
      stderr: errors[runs.length] ?? '',
      end: { ok: true },
      milliseconds: Number(milliseconds),
      cpuMilliseconds: readCpuComment(ending),
    });
    from = last + 1;
  }
  const unfinished = files[runs.length];
  if (unfinished !== undefined) {
    const problem: ProcessEnd = end.ok ? { ok: false, problem: 'the process ended before the tests of the file' } : end;
    runs.push({
      file: unfinished,
      stdout: lines.slice(from).join('\n'),
      stderr: errors.slice(runs.length).join(''),
      end: problem,
      milliseconds: 0,
      cpuMilliseconds: 0,
    });
  } else if (!end.ok && !FAILED_POINT.test(stdout)) {
    runs.push(...runs.splice(-1).map((last) => ({ ...last, end })));
  }
  return runs;
}
