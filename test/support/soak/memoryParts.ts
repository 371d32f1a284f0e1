/** What the resident memory of a service consists of, as far as it can be told from outside and by its threads. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_KIB } from '../../../src/store/sqlite/database.js';
import { residentBytes } from '../hostile/processMemory.js';
import type { HeapReport } from './heapReport.js';

export const PARTS = ['resident', 'heaps', 'buffers', 'pages', 'other'] as const;
export type MemoryParts = Readonly<Record<(typeof PARTS)[number], number>>;

export interface MeasuredService {
  readonly pid: number;
  readonly dataDir: string;
  readonly heapReports: string;
}

export function readMemoryParts({ pid, dataDir, heapReports }: MeasuredService): MemoryParts {
  const resident = residentBytes(pid);
  const threads = latestReports(heapReports);
  const heaps = sum(threads.map(({ heapBytes }) => heapBytes));
  const buffers = sum(threads.map(({ bufferBytes }) => bufferBytes));
  const pages = cachedPages(dataDir);
  return { resident, heaps, buffers, pages, other: resident - heaps - buffers - pages };
}

/**
 * SQLite caches the pages of a file until the file is larger than its cache; under churn it uses them all. A file does
 * not shrink, so this part grows with the most that each shard ever held at once, up to the cache of each file.
 */
function cachedPages(dataDir: string): number {
  const files = readdirSync(dataDir).filter((name) => name.endsWith('.sqlite'));
  return sum(files.map((name) => Math.min(statSync(join(dataDir, name)).size, CACHE_KIB * 1024)));
}

function latestReports(file: string): HeapReport[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const reports = lines.map((line) => JSON.parse(line) as HeapReport);
  return [...new Map(reports.map((report) => [report.thread, report])).values()];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
