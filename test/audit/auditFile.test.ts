import { chmodSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { AuditFile } from '../../src/audit/auditFile.js';
import { auditTexts } from '../support/http/audit.js';
import { until } from '../support/until.js';

interface Watched {
  readonly file: AuditFile;
  readonly folder: string;
  readonly troubles: unknown[];
  readonly recoveries: number[];
}

function fileIn(folder: string, limits: { maxBytes?: number; maxFiles?: number } = {}): Watched {
  const troubles: unknown[] = [];
  const recoveries: number[] = [];
  const file = new AuditFile({
    path: join(folder, 'audit.log'),
    maxBytes: limits.maxBytes ?? 1_000_000,
    maxFiles: limits.maxFiles ?? 10,
    onTrouble: (error) => troubles.push(error),
    onRecovery: (lost) => recoveries.push(lost),
  });
  return { file, folder, troubles, recoveries };
}

function newFile(t: Test, limits: { maxBytes?: number; maxFiles?: number } = {}): Watched {
  return fileIn(join(t.testdir(), 'audit'), limits);
}

const numbered = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index);

async function numbersIn(folder: string): Promise<number[]> {
  return (await auditTexts(folder)).map((line) => (JSON.parse(line) as { number: number }).number);
}

t.test('AUDIT5 every value is a line, in order, in a file that only its owner can read', async (t) => {
  const { file, folder, troubles } = newFile(t);
  for (const number of numbered(2_000)) file.write({ number, text: 'two\nlines' });
  await file.close();
  t.strictSame(await numbersIn(folder), numbered(2_000));
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.equal(statSync(join(folder, 'audit.log')).mode & 0o777, 0o600);
  t.strictSame(troubles, []);
});

t.test('AUDIT5 a full file is renamed without the loss of a line', async (t) => {
  const { file, folder } = newFile(t, { maxBytes: 500, maxFiles: 1_000 });
  for (const number of numbered(600)) {
    file.write({ number });
    if (number % 7 === 0) await new Promise(setImmediate);
  }
  await file.close();
  t.strictSame(
    (await numbersIn(folder)).sort((a, b) => a - b),
    numbered(600),
  );
  t.ok(readdirSync(folder).length > 2, 'there are several files');
  for (const name of readdirSync(folder)) t.match(name, /^audit(-20[0-9TZ.-]+)?\.log$/);
});

t.test('AUDIT5 two writers of one file lose no line', async (t) => {
  const folder = join(t.testdir(), 'audit');
  const writers = [0, 1].map(() => fileIn(folder, { maxBytes: 300, maxFiles: 1_000 }));
  for (const number of numbered(300)) {
    writers[number % 2]?.file.write({ number });
    if (number % 3 === 0) await new Promise(setImmediate);
  }
  await Promise.all(writers.map(({ file }) => file.close()));
  t.strictSame(
    (await numbersIn(folder)).sort((a, b) => a - b),
    numbered(300),
  );
  for (const { troubles } of writers) t.strictSame(troubles, []);
});

t.test('AUDIT5 as many files as configured are kept, the latest', async (t) => {
  const { file, folder } = newFile(t, { maxBytes: 1, maxFiles: 3 });
  for (const number of numbered(12)) {
    file.write({ number });
    // Each becomes a file of its own, whose name has the time.
    const end = Date.now() + 2;
    await until(async () => Date.now() >= end && (await numbersInSafely(folder)).at(-1) === number);
  }
  await file.close();
  t.equal(readdirSync(folder).length, 3);
  t.strictSame(await numbersIn(folder), [9, 10, 11]);
});

async function numbersInSafely(folder: string): Promise<number[]> {
  try {
    return await numbersIn(folder);
  } catch (error) {
    // Not there yet, or renamed between the listing and the read.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

t.test('AUDIT7 lines wait for a file that cannot be written, and follow in order', async (t) => {
  const { file, folder, troubles, recoveries } = newFile(t);
  // A folder in the place of the file, which also stops root.
  mkdirSync(join(folder, 'audit.log'), { recursive: true });
  for (const number of numbered(5)) file.write({ number });
  await until(() => troubles.length > 0);
  t.equal(file.isWritable, false);
  for (const number of numbered(5, 5)) file.write({ number });
  rmdirSync(join(folder, 'audit.log'));
  await until(() => recoveries.length > 0);
  t.equal(file.isWritable, true);
  await file.close();
  t.strictSame(await numbersIn(folder), numbered(10));
  t.strictSame([troubles.length, recoveries], [1, [0]], 'reported once');
});

t.test('AUDIT7 what waits is bounded, what is lost is counted, and closing does not wait for ever', async (t) => {
  const { file, folder, troubles } = newFile(t);
  mkdirSync(join(folder, 'audit.log'), { recursive: true });
  for (const number of numbered(10_100)) file.write({ number });
  t.equal(file.lostLines, 100);
  await file.close();
  t.equal(troubles.length, 1);
  chmodSync(folder, 0o700);
});
