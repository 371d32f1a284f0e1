/** Runs compiled test files in a process. A tap test file is a plain program that prints TAP, so it needs no loader. */
import { spawn } from 'node:child_process';
import { packagePath } from '../../../src/paths.js';
import { readCpuComment } from './cpuTime.js';
import { FILE_END, splitByFile, type FileRun } from './fileEnds.js';
import type { ProcessEnd } from './tapOutput.js';

export interface Limits {
  /**
   * tap's own limit, after which it names the test that was running. It finds tests that hang, and measures none: a machine
   * that shares its processors may be four times slower than an idle one. One limit for all files but those whose length
   * can be chosen.
   */
  readonly tapSeconds: number;
  /** For a process that does not end after that. */
  readonly killSeconds: number;
}

export const LIMITS: Limits = { tapSeconds: 600, killSeconds: 900 };

/** The variable that is set in the processes of the long form: tests may take longer there, and check more strictly. */
export const LONG_FORM = 'TEST_LONG_FORM';
export const IS_LONG_FORM = process.env[LONG_FORM] !== undefined;

const CPU_AT_END = packagePath('dist', 'test', 'support', 'runner', 'cpuAtEnd.js');
/** Characters in which the last line of the output is. */
const LAST_LINE = 100;
const BATCH = packagePath('dist', 'test', 'support', 'runner', 'batch.js');

interface FinishedProcess {
  readonly stdout: string;
  readonly stderr: string;
  readonly end: ProcessEnd;
}

/** `folder`: for its temporary files; null for that of the system. */
export async function runTestFile(file: string, limits: Limits = LIMITS, folder: string | null = null): Promise<FileRun> {
  const startedAt = performance.now();
  const finished = await runProcess(['--import', CPU_AT_END, file], limits, folder);
  return { file, ...finished, milliseconds: performance.now() - startedAt, cpuMilliseconds: readCpuComment(finished.stdout.slice(-LAST_LINE)) };
}

/** Several files in one process. After a bad end the files that had not begun are run in another one. */
export async function runTestFiles(
  files: readonly string[],
  limits: Limits = LIMITS,
  folder: string | null = null,
  env: NodeJS.ProcessEnv = process.env,
): Promise<FileRun[]> {
  const { stdout, stderr, end } = await runProcess([BATCH, ...files], limits, folder, env);
  const runs = splitByFile(files, stdout, stderr, end);
  const rest = files.slice(runs.length);
  return rest.length === 0 ? runs : [...runs, ...(await runTestFiles(rest, limits, folder, env))];
}

function runProcess(args: readonly string[], limits: Limits, folder: string | null, env = process.env): Promise<FinishedProcess> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, ...(folder === null ? {} : { TMPDIR: folder }), TAP_TIMEOUT: String(limits.tapSeconds) },
    });
    let stdout = '';
    let stderr = '';
    let problem: string | null = null;
    const limit = setTimeout(() => {
      problem = `the process did not end within ${limits.killSeconds} s`;
      child.kill('SIGKILL');
    }, limits.killSeconds * 1000);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      if (text.includes(`- ${FILE_END}`)) limit.refresh();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      if (code !== 0) problem ??= `the process ended with ${signal ?? `code ${code}`}`;
      resolve({ stdout, stderr, end: problem === null ? { ok: true } : { ok: false, problem } });
    });
  });
}
