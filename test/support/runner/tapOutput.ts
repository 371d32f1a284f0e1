/**
 * Reads the output of one test file. The unit of counting is the titled test at the top level of the file, because
 * a rule of SPEC.md names that; assertions and subtests are its details.
 */
export interface FileOutcome {
  readonly passed: number;
  readonly failed: readonly Failure[];
  /** Tests that were skipped, and parts that were skipped inside a test that ran. */
  readonly skipped: readonly Skip[];
}

export interface Failure {
  readonly title: string;
  readonly detail: string;
}

export interface Skip {
  readonly title: string;
  readonly reason: string;
}

/** How the process ended: `problem` describes a bad end, independent of the results of its tests. */
export type ProcessEnd = { readonly ok: true } | { readonly ok: false; readonly problem: string };

interface Block {
  /** The diagnosis of the previous test point, which TAP prints after it. */
  readonly diagnosis: readonly string[];
  readonly body: readonly string[];
  readonly point: Point | null;
}

interface Point {
  readonly ok: boolean;
  readonly title: string;
  readonly skip: string | null;
}

const TOP_LEVEL_POINT = /^(?:not )?ok \d+/;
const NESTED_POINT = /^ +(?:not )?ok \d+/;
const POINT = /^ *(not )?ok \d+(?: - )?(.*)$/;
const TIME = / # time=[\d.]+m?s$/;
const DIRECTIVE = /^(.*?) ?# (?:SKIP|TODO)\b ?(.*)$/i;
const EMPTY_PLAN = /^1\.\.0(?: # (?:SKIP )?(.*))?$/i;
/** tap's reason for an empty plan without a given one. */
const NO_TESTS = 'no tests found';

export function readTapOutput(stdout: string, end: ProcessEnd): FileOutcome {
  let passed = 0;
  const failed: Failure[] = [];
  const skipped: Skip[] = [];
  const blocks = toBlocks(stdout);
  for (const [index, { body, point }] of blocks.entries()) {
    if (point === null) continue;
    if (point.skip !== null) {
      skipped.push({ title: point.title, reason: point.skip });
    } else if (point.ok) {
      passed += 1;
      skipped.push(...skipsInside(body, point.title));
    } else {
      const detail = body.length > 0 ? body : (blocks[index + 1]?.diagnosis ?? []);
      failed.push({ title: point.title, detail: detail.join('\n') });
    }
  }
  const skippedFile = skipOfFile(stdout);
  if (skippedFile !== null) skipped.push({ title: 'the whole file', reason: skippedFile });
  if (!end.ok && failed.length === 0) {
    failed.push({ title: end.problem, detail: (blocks.at(-1)?.body ?? []).join('\n') });
  }
  if (passed + failed.length + skipped.length === 0) failed.push({ title: 'the file ran no test', detail: '' });
  return { passed, failed, skipped };
}

function toBlocks(stdout: string): Block[] {
  const blocks: Block[] = [];
  let lines: string[] = [];
  for (const line of stdout.split('\n')) {
    if (TOP_LEVEL_POINT.test(line)) {
      blocks.push(toBlock(lines, readPoint(line)));
      lines = [];
    } else {
      lines.push(line);
    }
  }
  blocks.push(toBlock(lines, null));
  return blocks;
}

function toBlock(lines: readonly string[], point: Point | null): Block {
  const diagnosisEnd = lines[0] === '  ---' ? lines.indexOf('  ...') + 1 : 0;
  const body = lines.slice(diagnosisEnd).filter((line) => line.trim() !== '' && !line.startsWith('TAP version'));
  return { diagnosis: lines.slice(0, diagnosisEnd), body, point };
}

function readPoint(line: string): Point {
  const [, not, rest = ''] = POINT.exec(line) ?? [];
  const text = rest.replace(TIME, '');
  const [, title, reason] = DIRECTIVE.exec(text) ?? [];
  return title === undefined ? { ok: not === undefined, title: text, skip: null } : { ok: not === undefined, title, skip: reason || title };
}

function skipsInside(body: readonly string[], test: string): Skip[] {
  return body
    .filter((line) => NESTED_POINT.test(line))
    .map(readPoint)
    .flatMap(({ title, skip }) => (skip === null ? [] : [{ title: `${test} > ${title}`, reason: skip }]));
}

function skipOfFile(stdout: string): string | null {
  for (const line of stdout.split('\n')) {
    const reason = EMPTY_PLAN.exec(line)?.[1];
    if (reason !== undefined && reason !== NO_TESTS) return reason;
  }
  return null;
}
